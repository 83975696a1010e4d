"""What HiGHS and enumeration say about graphs, to hold solvers against."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from oracles.graphs import random_graph
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, linear_program
from turbotree.graphs.files import refill


class Optima(NamedTuple):
    """The best values of a graph's relaxation and of its assignments; -inf if there is none."""

    relaxation: float
    exact: float


def optima(graph: FactorGraph) -> Optima:
    """Ask HiGHS."""
    try:
        relaxation = linear_program(graph).upper_bound
    except InfeasibleError:
        return Optima(-np.inf, -np.inf)
    try:
        return Optima(relaxation, linear_program(graph, exact=True).value)
    except InfeasibleError:
        return Optima(relaxation, -np.inf)


@cache
def mixed_graph(seed: int) -> tuple[FactorGraph, Optima]:
    """A random graph of all kinds with its optima, which several test modules share."""
    graph = random_graph(np.random.default_rng(seed))
    return graph, optima(graph)


@cache
def feasible_seeds(count: int) -> tuple[int, ...]:
    """The first graphs whose relaxation has a solution."""
    found: list[int] = []
    seed = 0
    while len(found) < count:
        if mixed_graph(seed)[1].relaxation > -np.inf:
            found.append(seed)
        seed += 1
    return tuple(found)


def scaled(graph: FactorGraph, factor: float) -> FactorGraph:
    """The same graph with all scores multiplied."""
    made = FactorGraph()
    made.variables(graph.scores * factor)
    for block in graph.blocks:
        refill(
            made,
            block.kind,
            block.offsets,
            block.variables,
            block.negated,
            block.score_offsets,
            block.scores * factor,
            block.shape_offsets,
            block.shapes,
        )
    fixed = np.flatnonzero(graph.evidence >= 0)
    if fixed.size:
        made.fix(fixed, graph.evidence[fixed] == 1)
    return made


def parsing_graph(seed: int, words: int = 6, pairs: int = 40, strength: float = 1.0) -> FactorGraph:
    """Arcs of a sentence under a TREE factor, and random scores for pairs of them.

    Every third tree is projective, every third has a single root.
    """
    rng = np.random.default_rng(seed)
    heads, modifiers = np.array(
        [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    ).T
    graph = FactorGraph()
    arcs = graph.variables(rng.normal(size=len(heads)))
    graph.tree(heads, modifiers, arcs, projective=seed % 3 == 1, single_root=seed % 3 == 2)
    first = rng.integers(len(arcs), size=pairs)
    second = (first + rng.integers(1, len(arcs), size=pairs)) % len(arcs)
    graph.pair(arcs[first], arcs[second], strength * rng.normal(size=pairs))
    return graph
