"""Lines, boxes and letters for the pictures of the documentation.

Colours are names, not values: a picture shows them as fits the light or dark mode of the machine,
and in the site (docs/site/style.css) as fits the page around it.
"""

from __future__ import annotations

from html import escape
from math import atan2, cos, sin

STYLE = (
    ".picture{--ink:#1f2328;--pale:#8b949e;--mark:#c2410c;--cool:#0f766e;"
    "--fill:#0f766e1a;--warm:#c2410c1a}"
    "@media(prefers-color-scheme:dark){.picture{--ink:#e6e6e6;--mark:#fb923c;"
    "--cool:#5eead4;--fill:#5eead426;--warm:#fb923c26}}"
    ".picture text{font-family:system-ui,sans-serif;font-size:13px}"
    ".picture .small{font-size:11px}.picture .bold{font-weight:600}"
)


class Picture:
    """A drawing that grows call by call; x goes right, y goes down."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def text(
        self, x: float, y: float, words: str, pen: str = "ink", at: str = "middle", kind: str = ""
    ) -> None:
        style = f' class="{kind}"' if kind else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{at}"{style} fill="var(--{pen})">'
            f"{escape(words)}</text>"
        )

    def path(
        self,
        steps: str,
        pen: str = "ink",
        *,
        width: float = 1.5,
        dash: bool = False,
        fill: str = "none",
    ) -> None:
        colour = "none" if fill == "none" else f"var(--{fill})"
        dashes = ' stroke-dasharray="4 4"' if dash else ""
        self._parts.append(
            f'<path d="{steps}" fill="{colour}" stroke="var(--{pen})" '
            f'stroke-width="{width:g}"{dashes}/>'
        )

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        pen: str = "ink",
        *,
        arrow: bool = False,
        dash: bool = False,
        width: float = 1.5,
    ) -> None:
        self.path(f"M{x1:g} {y1:g}L{x2:g} {y2:g}", pen, dash=dash, width=width)
        if arrow:
            self._head(x2, y2, atan2(y2 - y1, x2 - x1), pen)

    def bow(
        self, x1: float, y1: float, x2: float, y2: float, bend: float, pen: str = "ink"
    ) -> tuple[float, float]:
        """Draw a bent arrow; give the place of its label."""
        across, down = x2 - x1, y2 - y1
        length = (across * across + down * down) ** 0.5
        cx = (x1 + x2) / 2 + bend * down / length
        cy = (y1 + y2) / 2 - bend * across / length
        self.path(f"M{x1:g} {y1:g}Q{cx:.1f} {cy:.1f} {x2:g} {y2:g}", pen)
        self._head(x2, y2, atan2(y2 - cy, x2 - cx), pen)
        return (x1 + x2) / 4 + cx / 2, (y1 + y2) / 4 + cy / 2

    def arc(self, x1: float, x2: float, y: float, height: float, pen: str = "ink") -> None:
        """Draw an arc of a tree, from the head's x to the modifier's."""
        top, side = y - height, 10 if x2 > x1 else -10
        self.path(
            f"M{x1:g} {y:g}V{top + 10:g}Q{x1:g} {top:g} {x1 + side:g} {top:g}"
            f"H{x2 - side:g}Q{x2:g} {top:g} {x2:g} {top + 10:g}V{y:g}",
            pen,
        )
        self._head(x2, y, 1.5708, pen)

    def box(
        self, x: float, y: float, width: float, height: float, pen: str = "ink", fill: str = "none"
    ) -> None:
        self.path(f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z", pen, fill=fill)

    def circle(
        self, x: float, y: float, radius: float, pen: str = "ink", fill: str = "none"
    ) -> None:
        colour = "none" if fill == "none" else f"var(--{fill})"
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{colour}" '
            f'stroke="var(--{pen})" stroke-width="1.5"/>'
        )

    def _head(self, x: float, y: float, angle: float, pen: str) -> None:
        corners = " ".join(
            f"{x - 8 * cos(angle + turn):.1f},{y - 8 * sin(angle + turn):.1f}"
            for turn in (-0.42, 0.42)
        )
        self._parts.append(f'<polygon points="{x:g},{y:g} {corners}" fill="var(--{pen})"/>')

    def svg(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}">'
        )
        return "\n".join([head, f"<style>{STYLE}</style>", *self._parts, "</svg>", ""])
