"""Figures as PNG and SVG, by matplotlib."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

from turbotree.errors import MissingExtraError
from turbotree.experiments.records import Figure

# Readable on white and on black alike.
_INK = "#7b8494"
_COLORS = ("#3b82f6", "#ea580c", "#16a34a", "#a855f7", "#dc2626", "#0891b2")


@dataclass(frozen=True)
class Picture:
    """One figure in two formats."""

    png: bytes
    svg: bytes


def check_matplotlib() -> None:
    """Complain if figures cannot be drawn: better now than after hours of work."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("figures need matplotlib: pip install 'turbotree[plots]'") from None


def draw(figure: Figure) -> Picture:
    """Draw a figure."""
    check_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    # Text stays text, and names inside hang on the title alone: the same figure, the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": figure.title, "font.size": 10}):
        canvas = Canvas(figsize=(6.4, 4.0), layout="constrained")
        axes: Any = canvas.subplots()
        for number, series in enumerate(figure.series):
            color = _COLORS[number % len(_COLORS)]
            if figure.points:
                axes.scatter(series.x, series.y, s=14, alpha=0.7, color=color, label=series.name)
            else:
                line = "--" if series.dashed else "-"
                mark = "o" if len(series.x) <= 20 else None
                axes.plot(
                    series.x, series.y, line, marker=mark, ms=4, color=color, label=series.name
                )
        if figure.logarithmic:
            axes.set_xscale("log")
            axes.set_yscale("log")
        if figure.diagonal:
            values = [v for s in figure.series for v in (*s.x, *s.y)]
            if values:
                ends = (min(values), max(values))
                axes.plot(ends, ends, ":", color=_INK)
        axes.set_title(figure.title, color=_INK, fontsize=11)
        axes.set_xlabel(figure.x_label, color=_INK)
        axes.set_ylabel(figure.y_label, color=_INK)
        axes.tick_params(colors=_INK, which="both")
        axes.grid(color=_INK, alpha=0.2)
        axes.set_facecolor("none")
        for spine in axes.spines.values():
            spine.set_color(_INK)
        if figure.series:
            axes.legend(labelcolor=_INK, framealpha=0.0)
        png, svg = io.BytesIO(), io.BytesIO()
        canvas.savefig(png, format="png", dpi=150, transparent=True, metadata={"Software": None})
        canvas.savefig(svg, format="svg", transparent=True, metadata={"Date": None})
    return Picture(png.getvalue(), svg.getvalue())


def file_name(title: str) -> str:
    """Make a name for a file of a title.

    >>> file_name("Accuracy against K, en_ewt")
    'accuracy-against-k-en_ewt'
    """
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-")
