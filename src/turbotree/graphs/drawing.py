"""A bipartite drawing as SVG: circles in one column, squares in another, lines between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape as xml_escape

_STEP = 34  # between neighbours in a column, in pixels
_RADIUS = 11
_MARGIN = 20
_LETTER = 7.2  # about the width of a letter
_SWEEPS = 8

#: Colours that differ also for colour-blind eyes; each kind of factor keeps one.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#5d3a9b", "#444444")

#: Characters that no XML file may hold.
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Variable = tuple[str, str, int]  # name, score, evidence (-1: none)
Links = Sequence[tuple[int, int]]  # variable, whether negated
Factor = tuple[str, str, Links]  # label, full text, links


def draw(variables: Sequence[Variable], factors: Sequence[Factor]) -> str:
    """Draw variables on the left and factors on the right.

    Both columns are put in an order with few crossings: each node moves to the mean place of its
    neighbours, a few times. A negated link is dashed and ends in a ring; a variable fixed to 1 is
    filled dark, one fixed to 0 light.

    >>> svg = draw([("a", "1", -1)], [("not_all", "not_all(a)", [(0, 1)])])
    >>> svg.count("<circle"), svg.count("<rect")  # the variable and the ring; paper and factor
    (2, 2)
    """
    rows, columns = _order(len(variables), [links for _, _, links in factors])
    tallest = max(len(variables), len(factors), 1)
    height = 2 * _MARGIN + _STEP * tallest
    names = max([len(name) for name, _, _ in variables], default=1) * _LETTER
    scores = max([len(score) for _, score, _ in variables], default=1) * _LETTER
    labels = max([len(label) for label, _, _ in factors], default=1)
    left = _MARGIN + names + 10 + scores + 2 * _RADIUS
    right = left + max(160.0, min(420.0, 9.0 * tallest))
    width = right + 2 * _RADIUS + labels * _LETTER + _MARGIN

    def place(position: int, count: int) -> float:
        return height / 2 + (position - (count - 1) / 2) * _STEP * (tallest / max(count, 1))

    variable_y = {v: place(at, len(variables)) for at, v in enumerate(rows)}
    factor_y = {f: place(at, len(factors)) for at, f in enumerate(columns)}
    kinds = sorted({label.split(" ")[0] for label, _, _ in factors})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    colours = [_COLOURS[kinds.index(f[0].split(" ")[0]) % len(_COLOURS)] for f in factors]
    for index, (_, _, links) in enumerate(factors):
        # The links meet the square one below the other, so that each ring can be told.
        spread = min(6.0, 16.0 / len(links))
        ordered = sorted(links, key=lambda link: variable_y[link[0]])
        for at, (variable, negated) in enumerate(ordered):
            end = factor_y[index] + (at - (len(links) - 1) / 2) * spread
            parts.append(_link(left, variable_y[variable], right, end, negated, colours[index]))
    for index, (name, score, evidence) in enumerate(variables):
        parts.append(_variable(left, variable_y[index], name, score, evidence, scores))
    for index, (label, text, _) in enumerate(factors):
        y = factor_y[index]
        parts.append(
            f'<g><title>{escape(text)}</title><rect x="{right - 8:.1f}" y="{y - 8:.1f}" width="16" '
            f'height="16" fill="{colours[index]}"/><text x="{right + 16:.1f}" y="{y + 4:.1f}">'
            f"{escape(label)}</text></g>"
        )
    return "\n".join([*parts, "</svg>", ""])


def escape(text: str) -> str:
    """Make a name fit for XML.

    >>> escape("a < \\x00")
    'a &lt; \ufffd'
    """
    return xml_escape(_UNFIT.sub("\ufffd", text))


def _order(variables: int, factors: Sequence[Links]) -> tuple[list[int], list[int]]:
    """Order both columns so that few links cross."""
    neighbours: list[list[int]] = [[] for _ in range(variables)]
    for index, links in enumerate(factors):
        for variable, _ in links:
            neighbours[variable].append(index)
    rows, columns = list(range(variables)), list(range(len(factors)))
    of_factor = [[variable for variable, _ in links] for links in factors]
    for _ in range(_SWEEPS):
        columns = _by_means(columns, of_factor, rows)
        rows = _by_means(rows, neighbours, columns)
    return rows, columns


def _by_means(nodes: list[int], neighbours: list[list[int]], others: list[int]) -> list[int]:
    position = {other: (at + 0.5) / len(others) for at, other in enumerate(others)}
    own = {node: (at + 0.5) / len(nodes) for at, node in enumerate(nodes)}

    def mean(node: int) -> float:
        near = neighbours[node]
        return sum(position[other] for other in near) / len(near) if near else own[node]

    return sorted(nodes, key=mean)


def _link(x1: float, y1: float, x2: float, y2: float, negated: int, colour: str) -> str:
    middle = (x1 + x2) / 2
    dashes = ' stroke-dasharray="5 3"' if negated else ""
    end = x2 - 14 if negated else x2 - 8
    line = (
        f'<path d="M{x1 + _RADIUS:.1f} {y1:.1f} C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} '
        f'{end:.1f} {y2:.1f}" fill="none" stroke="{colour}" stroke-opacity="0.7"{dashes}/>'
    )
    if not negated:
        return line
    ring = f'<circle cx="{x2 - 11:.1f}" cy="{y2:.1f}" r="3" fill="white" stroke="{colour}"/>'
    return line + ring


def _variable(x: float, y: float, name: str, score: str, evidence: int, width: float) -> str:
    fill = {1: "#333333", 0: "#d0d0d0"}.get(evidence, "white")
    mark = "" if evidence < 0 else str(evidence)
    ink = "white" if evidence == 1 else "black"
    return (
        f'<g><circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{fill}" stroke="black"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{ink}">{mark}</text>'
        f'<text x="{x - _RADIUS - 6:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#666666">'
        f"{escape(score)}</text>"
        f'<text x="{x - _RADIUS - 16 - width:.1f}" y="{y + 4:.1f}" text-anchor="end">'
        f"{escape(name)}</text></g>"
    )
