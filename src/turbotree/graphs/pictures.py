"""A factor graph in words, in the language of Graphviz, and as a bipartite drawing in SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape as xml_escape

import numpy as np

from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT, Block, Kind

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: A graph with more factors, and a list with more items, is only summed up in text.
_MANY_FACTORS = 40
_MANY_ITEMS = 12

_WITH_OUTPUT = frozenset({Kind.XOR_OUT, Kind.OR_OUT, Kind.AND_OUT})


def counted(number: int, noun: str) -> str:
    """Count things in words.

    >>> counted(1, "factor"), counted(2, "factor")
    ('1 factor', '2 factors')
    """
    return f"{number} {noun}" + "s" * (number != 1)


def describe(graph: FactorGraph) -> str:
    """Describe a graph: how much of what, and for a small one each variable and factor."""
    lines = [f"{counted(len(graph), 'variable')}, {counted(graph.factor_count, 'factor')}"]
    if graph.blocks:
        kinds = (
            f"{len(block)} {block.kind.method} ({counted(len(block.variables), 'link')})"
            for block in graph.blocks
        )
        lines.append("  " + ", ".join(kinds))
    fixed = int((graph.evidence >= 0).sum())
    if graph.factor_count > _MANY_FACTORS or len(graph) > _MANY_FACTORS:
        if fixed:
            lines.append(f"  {counted(fixed, 'variable')} fixed")
        return "\n".join(lines)
    if len(graph):
        lines.append("variables: " + ", ".join(variable_text(graph, v) for v in range(len(graph))))
    for block in graph.blocks:
        lines.extend("  " + factor_text(graph, block, index) for index in range(len(block)))
    return "\n".join(lines)


def variable_text(graph: FactorGraph, variable: int) -> str:
    """Name a variable with its score and evidence."""
    evidence = int(graph.evidence[variable])
    fixed = "" if evidence < 0 else f" (fixed to {evidence})"
    return f"{graph.name(variable)} {graph.scores[variable]:.4g}{fixed}"


def factor_text(graph: FactorGraph, block: Block, index: int) -> str:
    """Say what one factor says.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c = graph.variables([0, 0, 0], names="abc")
    >>> graph.define_or(c, [a, ~b])
    >>> factor_text(graph, graph.blocks[0], 0)
    'define_or(c = a or not b)'
    """
    factor = block.factor(index)
    names = [
        graph.name(int(~variable if negated else variable))
        for variable, negated in zip(factor.variables, factor.negated, strict=True)
    ]
    method = block.kind.method
    if block.kind in _WITH_OUTPUT:
        word = {Kind.XOR_OUT: " + ", Kind.OR_OUT: " or ", Kind.AND_OUT: " and "}[block.kind]
        return f"{method}({names[-1]} = {_listed(names[:-1], word)})"
    if block.kind is Kind.BUDGET:
        return f"at_most({_listed(names)}; {factor.shape[0]})"
    if block.kind is Kind.KNAPSACK:
        terms = [f"{c} {x}" for c, x in zip(factor.shape[1:], names, strict=True)]
        return f"knapsack({_listed(terms, ' + ')} <= {factor.shape[0]})"
    if block.kind is Kind.PAIR:
        return f"pair({names[0]}, {names[1]}): {factor.scores[0]:.4g}"
    if block.kind is Kind.TREE:
        words, flags = factor.shape[:2].tolist()
        arcs = [
            f"{head}->{modifier} {x}"
            for (head, modifier), x in zip(factor.shape[2:].reshape(-1, 2), names, strict=True)
        ]
        more = ", projective" * bool(flags & PROJECTIVE) + ", one root" * bool(flags & SINGLE_ROOT)
        return f"tree({counted(words, 'word')}{more}; {_listed(arcs)})"
    if block.kind in (Kind.DENSE, Kind.CHAIN):
        groups = np.split(np.array(names, dtype=object), np.cumsum(factor.shape)[:-1])
        sets = [_listed(list(group), " | ") for group in groups]
        return f"{method}({_listed(sets)})"
    if block.kind is Kind.GRANDPARENT_AUTOMATON:
        above, below = names[: factor.shape[0]], names[factor.shape[0] :]
        return f"{method}({_listed(above, ' | ')}; {_listed(below)})"
    return f"{method}({_listed(names)})"


def _listed(items: list[str], separator: str = ", ") -> str:
    if len(items) > _MANY_ITEMS:
        items = [*items[: _MANY_ITEMS - 1], f"... {len(items) - _MANY_ITEMS + 1} more"]
    return separator.join(items)


def to_dot(graph: FactorGraph) -> str:
    """Write the graph for Graphviz: circles are variables, squares factors, dashes negations."""
    lines = ["graph factors {", "  rankdir=LR;", "  node [fontsize=10];"]
    for variable in range(len(graph)):
        look = "shape=circle"
        if graph.evidence[variable] >= 0:
            look += ", style=filled, fillcolor=lightgrey"
        label = _quoted(f"{graph.name(variable)}\n{graph.scores[variable]:.3g}")
        lines.append(f"  v{variable} [{look}, label={label}];")
    number = 0
    for block in graph.blocks:
        for index in range(len(block)):
            text = _quoted(factor_text(graph, block, index))
            label = _quoted(block.kind.method)
            lines.append(f"  f{number} [shape=square, label={label}, tooltip={text}];")
            factor = block.factor(index)
            for variable, negated in zip(factor.variables, factor.negated, strict=True):
                sign = " [style=dashed, arrowtail=odot, dir=back]" if negated else ""
                lines.append(f"  f{number} -- v{variable}{sign};")
            number += 1
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def to_svg(graph: FactorGraph) -> str:
    """Draw the graph; see :func:`draw`."""
    variables = [
        (graph.name(v), f"{score:.3g}", int(fixed))
        for v, (score, fixed) in enumerate(zip(graph.scores, graph.evidence, strict=True))
    ]
    factors = []
    for block in graph.blocks:
        for index in range(len(block)):
            factor = block.factor(index)
            links = list(zip(factor.variables.tolist(), factor.negated.tolist(), strict=True))
            label = block.kind.method
            if block.kind is Kind.PAIR:
                label += f" {factor.scores[0]:.3g}"
            elif block.kind is Kind.BUDGET:
                label += f" {factor.shape[0]}"
            factors.append((label, factor_text(graph, block, index), links))
    return draw(variables, factors)


# The drawing: circles in one column, squares in another, lines between.

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
        # The links meet the square one below the other, so that each ring can be told apart.
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
