"""Random factor graphs without loops."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from oracles.graphs import add_factor, scores
from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.factors.literals import Factors, Links


def tree_graph(
    rng: np.random.Generator,
    kinds: Iterable[Kind],
    *,
    most_variables: int = 13,
    forbidden: float = 0.05,
    evidence: float = 0.05,
) -> FactorGraph:
    """Make a graph in which each factor shares one variable at most with those before it.

    It may be infeasible, and may have several components and variables without a factor.
    """
    menu = list(kinds)
    graph = FactorGraph()
    graph.variables(scores(rng, int(rng.integers(1, 3)), forbidden))
    while True:
        # The factor is drawn on a graph of its own; its variables then get new numbers.
        alone = FactorGraph()
        alone.variables(np.zeros(9))
        add_factor(alone, menu[int(rng.integers(len(menu)))], rng, forbidden)
        factor = alone.blocks[0].factor(0)
        size = len(factor.variables)
        if len(graph) + size > most_variables:
            break
        new = graph.variables(scores(rng, size, forbidden))
        old = np.arange(len(graph) - size)
        if rng.random() < 0.9:
            new[rng.integers(size)] = rng.choice(old)
        links = Links(1, size, np.where(factor.negated == 1, ~new, new))
        graph._add(
            factor.kind,
            Factors(links, len(factor.scores), factor.scores, len(factor.shape), factor.shape),
        )
    fixed = np.flatnonzero(rng.random(len(graph)) < evidence)
    if fixed.size:
        graph.fix(fixed, rng.random(fixed.size) < 0.5)
    return graph


@st.composite
def tree_graphs(draw: st.DrawFn, kinds: Iterable[Kind]) -> FactorGraph:
    """A hypothesis strategy of such graphs."""
    return tree_graph(np.random.default_rng(draw(st.integers(0, 2**32 - 1))), kinds)
