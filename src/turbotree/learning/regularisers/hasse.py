"""The Hasse diagram of some groups: which lies directly inside which, as a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turbotree.graphs.pictures import escape
from turbotree.learning.regularisers.groups import Groups

_ROW = 70  # between layers, in pixels
_GAP = 18  # between neighbours in a layer
_HEIGHT = 24
_MARGIN = 20
_LETTER = 7.2  # about the width of a letter
_SWEEPS = 8
_ALIVE, _DEAD = "#0072b2", "#b0b0b0"


@dataclass(frozen=True)
class HasseDiagram:
    """Groups, and arcs from each to the largest groups inside it.

    Attributes
    ----------
    names
        One per group.
    arcs
        Pairs of an outer and an inner group.
    layers
        Length of the longest way from an outermost group to each.

    Examples
    --------
    >>> diagram = HasseDiagram.of(Groups.of([[0, 1, 2], [0, 1], [0]], names=["a", "b", "c"]))
    >>> diagram.arcs
    ((0, 1), (1, 2))
    >>> print(diagram)
    a > b
    b > c
    >>> diagram.to_svg().count("<rect")  # paper and groups
    4
    """

    names: tuple[str, ...]
    arcs: tuple[tuple[int, int], ...]
    layers: tuple[int, ...]

    @classmethod
    def of(cls, groups: Groups) -> HasseDiagram:
        """Find the arcs of some groups. Equal groups lie beside each other."""
        cells = groups.cells
        inside = np.zeros((len(groups), int(cells.max(initial=-1)) + 1), dtype=np.float64)
        inside[groups.owners, cells[groups.members]] = 1.0
        sizes = inside.sum(axis=1)
        shared = inside @ inside.T
        # Strictly inside: all of the inner group's cells, and not all of the outer one's.
        around = (shared == sizes) & (sizes[:, None] > sizes)
        between = around.astype(np.float64) @ around.astype(np.float64) > 0
        arcs = np.argwhere(around & ~between)
        layers = np.zeros(len(groups), dtype=np.int64)
        for outer in np.argsort(-sizes, kind="stable"):
            inner = arcs[arcs[:, 0] == outer, 1]
            layers[inner] = np.maximum(layers[inner], layers[outer] + 1)
        return cls(groups.names, tuple((int(a), int(b)) for a, b in arcs), tuple(layers.tolist()))

    def __str__(self) -> str:
        return "\n".join(f"{self.names[a]} > {self.names[b]}" for a, b in self.arcs)

    def to_dot(self) -> str:
        """Write the diagram for Graphviz.

        >>> print(HasseDiagram.of(Groups.of([[0, 1], [0]])).to_dot())
        digraph groups {
          node [shape=box, fontsize=10];
          g0 [label="G1"];
          g1 [label="G2"];
          g0 -> g1;
        }
        """
        lines = ["digraph groups {", "  node [shape=box, fontsize=10];"]
        for number, name in enumerate(self.names):
            label = name.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  g{number} [label="{label}"];')
        lines += [f"  g{a} -> g{b};" for a, b in self.arcs]
        return "\n".join([*lines, "}"])

    def to_svg(self, alive: tuple[bool, ...] | None = None) -> str:
        """Draw the diagram, outermost groups on top.

        Parameters
        ----------
        alive
            Groups that are not, say after a selection, are drawn pale.
        """
        rows = self._ordered_rows()
        widths = [max(24.0, len(name) * _LETTER + 12) for name in self.names]
        spans = [sum(widths[g] for g in row) + _GAP * (len(row) - 1) for row in rows]
        width = 2 * _MARGIN + max(spans, default=0.0)
        height = 2 * _MARGIN + _HEIGHT + _ROW * max(0, len(rows) - 1)
        places: dict[int, tuple[float, float]] = {}  # the middle of each box
        for depth, row in enumerate(rows):
            left = (width - spans[depth]) / 2
            for group in row:
                places[group] = (left + widths[group] / 2, _MARGIN + _HEIGHT / 2 + depth * _ROW)
                left += widths[group] + _GAP
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        ]
        for outer, inner in self.arcs:
            (x1, y1), (x2, y2) = places[outer], places[inner]
            parts.append(
                f'<line x1="{x1:.1f}" y1="{y1 + _HEIGHT / 2:.1f}" x2="{x2:.1f}" '
                f'y2="{y2 - _HEIGHT / 2:.1f}" stroke="#666666" stroke-opacity="0.7"/>'
            )
        for group, (x, y) in sorted(places.items()):
            colour = _ALIVE if alive is None or alive[group] else _DEAD
            parts.append(
                f'<g><rect x="{x - widths[group] / 2:.1f}" y="{y - _HEIGHT / 2:.1f}" rx="4" '
                f'width="{widths[group]:.1f}" height="{_HEIGHT}" fill="white" stroke="{colour}" '
                f'stroke-width="1.5"/><text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">'
                f"{escape(self.names[group])}</text></g>"
            )
        return "\n".join([*parts, "</svg>", ""])

    def _ordered_rows(self) -> list[list[int]]:
        """Put each layer in an order with few crossings: each group near those around it."""
        rows: list[list[int]] = [[] for _ in range(max(self.layers, default=-1) + 1)]
        for group, layer in enumerate(self.layers):
            rows[layer].append(group)
        near: list[list[int]] = [[] for _ in self.names]
        for outer, inner in self.arcs:
            near[outer].append(inner)
            near[inner].append(outer)
        for _ in range(_SWEEPS):
            at = {g: (i + 0.5) / len(row) for row in rows for i, g in enumerate(row)}
            for row in rows:
                row.sort(key=lambda g: (_mean([at[o] for o in near[g]], at[g]), g))
        return rows


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
