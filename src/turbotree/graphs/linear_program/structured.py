"""Structured factors as flows: each is the convex hull of its allowed points.

A *template* is the program of one factor in its own numbering: columns ``0 .. links - 1`` are
its links, further ones its flows. Factors of the same shape share a template.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate, pairwise, product
from typing import NamedTuple

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.graphs.factors.blocks import Block, Factor, Kind
from turbotree.graphs.linear_program.model import Model
from turbotree.graphs.linear_program.trees import tree_rows


class Template(NamedTuple):
    """The program of one factor; `terms` are the places in its factor scores that sum to a cost."""

    lengths: LongArray
    columns: LongArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    terms: LongArray


def add_structured(model: Model, block: Block) -> None:
    """Write a block of structured factors into the model, those of one shape together."""
    alike: dict[tuple[int, int, bytes], list[int]] = defaultdict(list)
    for index in range(len(block)):
        factor = block.factor(index)
        key = (len(factor.variables), len(factor.scores), factor.shape.tobytes())
        alike[key].append(index)
    for indices in alike.values():
        template = _template(block.factor(indices[0]))
        _instantiate(model, block, np.array(indices), template)


def _instantiate(model: Model, block: Block, indices: LongArray, template: Template) -> None:
    count = len(indices)
    links = int(block.lengths[indices[0]])
    places = block.offsets[indices, np.newaxis] + np.arange(links)
    flows = len(template.terms)
    first = model.columns
    if flows:
        # The place after the last holds 0, for costs of fewer terms.
        size = int(np.diff(block.score_offsets)[indices[0]]) if len(block.score_offsets) else 0
        scores = np.zeros((count, size + 1))
        if size:
            scores[:, :size] = block.scores[
                block.score_offsets[indices, np.newaxis] + np.arange(size)
            ]
        model.add_columns(scores[:, template.terms].sum(axis=2).reshape(-1))
    own = first + np.arange(count)[:, np.newaxis] * flows + np.arange(flows)
    columns = np.concatenate((block.variables[places], own), axis=1)[:, template.columns]
    negated = np.concatenate((block.negated[places], np.zeros_like(own)), axis=1)
    model.add_rows(
        np.tile(template.lengths, count),
        columns.reshape(-1),
        np.tile(template.values, count),
        np.tile(template.lower, count),
        np.tile(template.upper, count),
        negated[:, template.columns].reshape(-1),
    )


def _template(factor: Factor) -> Template:
    links = len(factor.variables)
    shape = factor.shape.tolist()
    if factor.kind is Kind.TREE:
        rows, columns, values, lower, upper, flows = tree_rows(factor.shape)
        return _sorted_rows(rows, columns, values, lower, upper, np.full((flows, 1), -1))
    if factor.kind is Kind.DENSE:
        return _table(shape)
    if factor.kind is Kind.CHAIN:
        return _chain(shape)
    if factor.kind is Kind.HEAD_AUTOMATON:
        return _head_automaton(links)
    if factor.kind is Kind.TRIPLE_AUTOMATON:
        return _triple_automaton(links)
    both = len(factor.scores) > (links - shape[0] + 1) ** 2 + shape[0] * (links - shape[0])
    return _grandparent_automaton(shape[0], links - shape[0], both)


def _sorted_rows(
    rows: Iterable[int] | LongArray,
    columns: Iterable[int] | LongArray,
    values: Iterable[float] | FloatArray,
    lower: Iterable[float] | FloatArray,
    upper: Iterable[float] | FloatArray,
    terms: LongArray,
) -> Template:
    row_of, column_of = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    order = np.argsort(row_of, kind="stable")
    low = np.asarray(lower, dtype=np.float64)
    return Template(
        np.bincount(row_of, minlength=len(low)),
        column_of[order],
        np.asarray(values, dtype=np.float64)[order],
        low,
        np.asarray(upper, dtype=np.float64),
        terms,
    )


class _Equations:
    """Equations written down entry by entry."""

    def __init__(self, links: int) -> None:
        self.links = links
        self.entries: list[tuple[int, int, float]] = []
        self.right: list[float] = []
        self.terms: list[tuple[int, ...]] = []

    def flow(self, *terms: int) -> int:
        """Add a flow whose cost is the sum of the factor scores at these places."""
        self.terms.append(terms)
        return self.links + len(self.terms) - 1

    def equation(self, left: Iterable[int], minus: Iterable[int] = (), right: float = 0.0) -> None:
        """Sum of the columns `left` minus those of `minus` = right."""
        row = len(self.right)
        self.right.append(right)
        self.entries += [(row, column, 1.0) for column in left]
        self.entries += [(row, column, -1.0) for column in minus]

    def template(self) -> Template:
        width = max([len(terms) for terms in self.terms], default=1)
        padded = [terms + (-1,) * (width - len(terms)) for terms in self.terms]
        rows, columns, values = zip(*self.entries, strict=True)
        terms = np.array(padded, dtype=np.int64).reshape(-1, width)
        return _sorted_rows(rows, columns, values, self.right, self.right, terms)


def _table(sizes: list[int]) -> Template:
    """One flow for each combination; the combinations with a state sum to the state."""
    equations = _Equations(sum(sizes))
    states = [range(max(size, 2)) for size in sizes]
    flows = {states: equations.flow(at) for at, states in enumerate(product(*states))}
    equations.equation(flows.values(), right=1.0)
    for group, (size, first) in enumerate(zip(sizes, accumulate([0, *sizes]), strict=False)):
        for link in range(size):
            state = 1 if size == 1 else link
            having = [flow for at, flow in flows.items() if at[group] == state]
            equations.equation(having, minus=[first + link])
    return equations.template()


def _chain(sizes: list[int]) -> Template:
    """One flow for each pair of neighbouring states: a path through the trellis."""
    equations = _Equations(sum(sizes))
    equations.equation(range(sizes[0]), right=1.0)
    at, first = 0, 0
    for here, there in pairwise(sizes):
        flows = [[equations.flow(at + a * there + b) for b in range(there)] for a in range(here)]
        for a in range(here):
            equations.equation(flows[a], minus=[first + a])
        for b in range(there):
            equations.equation([row[b] for row in flows], minus=[first + here + b])
        at += here * there
        first += here
    return equations.template()


def _head_automaton(links: int) -> Template:
    """One flow for each step from a modifier (or the start) to the next (or the stop)."""
    equations = _Equations(links)
    side = links + 1
    flows = {(i, j): equations.flow(i * side + j) for i in range(side) for j in range(i, side)}
    equations.equation([flows[0, j] for j in range(side)], right=1.0)
    for link in range(links):
        equations.equation([flows[i, link] for i in range(link + 1)], minus=[link])
        equations.equation([flows[link + 1, j] for j in range(link + 1, side)], minus=[link])
    return equations.template()


def _triple_automaton(links: int) -> Template:
    """One flow for each three modifiers in a row, from step to step, and one for no modifier."""
    equations = _Equations(links)
    flows = {
        (i, j, k): equations.flow((i * links + j) * links + k)
        for i in range(links)
        for j in range(i, links)
        for k in range(j, links)
    }
    starting = [flow for (i, _, _), flow in flows.items() if i == 0]
    equations.equation([*starting, equations.flow()], right=1.0)
    for j in range(links):
        through = [flows[i, j, k] for i in range(j + 1) for k in range(j, links)]
        equations.equation(through, minus=[j])
        # What steps from the (j + 1)-th modifier to the (k + 2)-th goes on from there.
        for k in range(j, links - 1):
            equations.equation(
                [flows[i, j, k] for i in range(j + 1)],
                minus=[flows[j + 1, k + 1, third] for third in range(k + 1, links)],
            )
    return equations.template()


def _grandparent_automaton(parents: int, children: int, both: bool) -> Template:
    """The head automaton once for each grandparent, entered when that one is chosen."""
    equations = _Equations(parents + children)
    side = children + 1
    grand, third = side * side, side * side + parents * children
    flows = {}
    for g in range(parents):
        for i in range(side):
            for j in range(i, side):
                terms = [i * side + j]
                if j < children:
                    terms.append(grand + g * children + j)
                if both:
                    terms.append(third + (g * side + i) * side + j)
                flows[g, i, j] = equations.flow(*terms)
        equations.equation([flows[g, 0, j] for j in range(side)], minus=[g])
        for k in range(children):
            equations.equation(
                [flows[g, i, k] for i in range(k + 1)],
                minus=[flows[g, k + 1, j] for j in range(k + 1, side)],
            )
    equations.equation(range(parents), right=1.0)
    for k in range(children):
        into = [flows[g, i, k] for g in range(parents) for i in range(k + 1)]
        equations.equation(into, minus=[parents + k])
    return equations.template()
