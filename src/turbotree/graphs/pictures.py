"""A factor graph in words, and in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from turbotree.graphs.blocks import PROJECTIVE, SINGLE_ROOT, Block, Kind
from turbotree.graphs.drawing import draw

if TYPE_CHECKING:
    from turbotree.graphs.store import Store

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


def describe(graph: Store) -> str:
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


def variable_text(graph: Store, variable: int) -> str:
    """Name a variable with its score and evidence."""
    evidence = int(graph.evidence[variable])
    fixed = "" if evidence < 0 else f" (fixed to {evidence})"
    return f"{graph.name(variable)} {graph.scores[variable]:.4g}{fixed}"


def factor_text(graph: Store, block: Block, index: int) -> str:
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
        return f"pair({names[0]}, {names[1]}): {factor.extras[0]:.4g}"
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


def to_dot(graph: Store) -> str:
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


def to_svg(graph: Store) -> str:
    """Draw the graph; see :func:`turbotree.graphs.drawing.draw`."""
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
                label += f" {factor.extras[0]:.3g}"
            elif block.kind is Kind.BUDGET:
                label += f" {factor.shape[0]}"
            factors.append((label, factor_text(graph, block, index), links))
    return draw(variables, factors)
