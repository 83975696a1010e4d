"""Small random factor graphs of all kinds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from turbotree.graphs import FactorGraph, Kind

#: Every kind that any solver takes; a custom factor is asked for by name.
ALL_KINDS = tuple(kind for kind in Kind if kind is not Kind.CUSTOM)
LOGIC_KINDS = tuple(kind for kind in Kind if kind <= Kind.PAIR)


def random_graph(
    rng: np.random.Generator,
    kinds: Iterable[Kind] = ALL_KINDS,
    *,
    variables: int | None = None,
    factors: int | None = None,
    forbidden: float = 0.05,
    evidence: float = 0.05,
    negated: float = 0.3,
) -> FactorGraph:
    """Make a graph of 7 to 11 variables and 1 to 6 factors; it may be infeasible.

    `forbidden` is the share of scores of -inf, `evidence` that of fixed variables, `negated` that
    of negated links.
    """
    graph = FactorGraph()
    count = int(rng.integers(7, 12)) if variables is None else variables
    graph.variables(scores(rng, count, forbidden))
    menu = list(kinds)
    for _ in range(int(rng.integers(1, 7)) if factors is None else factors):
        add_factor(graph, menu[int(rng.integers(len(menu)))], rng, forbidden, negated)
    fixed = np.flatnonzero(rng.random(count) < evidence)
    if fixed.size:
        graph.fix(fixed, rng.random(fixed.size) < 0.5)
    return graph


def feasible_graph(rng: np.random.Generator, *args: object, **options: object) -> FactorGraph:
    """Draw until some assignment is allowed."""
    while True:
        graph = random_graph(rng, *args, **options)  # type: ignore[arg-type]
        every = (np.arange(2 ** len(graph))[:, np.newaxis] >> np.arange(len(graph))) & 1
        if (graph.value(every) > -np.inf).any():
            return graph


def single_factor_graph(
    rng: np.random.Generator, kind: Kind, *, forbidden: float = 0.1, negated: float = 0.3
) -> FactorGraph:
    """Make one factor over all but a few of the graph's variables."""
    graph = FactorGraph()
    graph.variables(scores(rng, int(rng.integers(7, 12)), 0.0))
    add_factor(graph, kind, rng, forbidden, negated)
    return graph


@st.composite
def graphs(
    draw: st.DrawFn, kinds: Iterable[Kind] = ALL_KINDS, feasible: bool = False
) -> FactorGraph:
    """A hypothesis strategy of such graphs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return (feasible_graph if feasible else random_graph)(rng, tuple(kinds))


def scores(rng: np.random.Generator, shape: object, forbidden: float) -> np.ndarray:
    """Normal scores; a share of them -inf."""
    values = rng.normal(size=shape)  # type: ignore[arg-type]
    values[rng.random(values.shape) < forbidden] = -np.inf
    return values


def add_factor(
    graph: FactorGraph,
    kind: Kind,
    rng: np.random.Generator,
    forbidden: float = 0.0,
    negated: float = 0.3,
) -> None:
    """Add one random factor of a kind; the graph needs 7 variables or more."""

    def links(low: int, high: int | None = None) -> np.ndarray:
        size = int(rng.integers(low, (high or min(len(graph), 6)) + 1))
        xs = rng.permutation(len(graph))[:size]
        return np.where(rng.random(size) < negated, ~xs, xs)

    if kind in (Kind.XOR_OUT, Kind.OR_OUT, Kind.AND_OUT):
        xs = links(2)
        getattr(graph, kind.method)(xs[0], xs[1:])
    elif kind is Kind.IMPLY:
        graph.implies(*links(2, 2))
    elif kind is Kind.PAIR:
        graph.pair(*links(2, 2), rng.normal())
    elif kind is Kind.BUDGET:
        xs = links(1)
        graph.at_most(xs, int(rng.integers(0, len(xs) + 1)))
    elif kind is Kind.KNAPSACK:
        xs = links(1)
        costs = rng.integers(0, 6, size=len(xs))
        graph.knapsack(xs, costs, int(rng.integers(0, max(1, costs.sum()) + 1)))
    elif kind is Kind.DENSE:
        sizes = [(2, 3), (1, 2), (3, 1), (2, 2, 2), (1, 1, 1), (3,)][int(rng.integers(6))]
        xs = links(sum(sizes), sum(sizes))
        groups = np.split(xs, np.cumsum(sizes)[:-1])
        graph.table(groups, scores(rng, [max(size, 2) for size in sizes], forbidden))
    elif kind is Kind.TREE:
        _add_tree(graph, rng, links)
    elif kind is Kind.HEAD_AUTOMATON:
        xs = links(1)
        graph.siblings(xs, scores(rng, (len(xs) + 1, len(xs) + 1), forbidden))
    elif kind is Kind.TRIPLE_AUTOMATON:
        xs = links(1)
        graph.tri_siblings(xs, scores(rng, (len(xs),) * 3, forbidden))
    elif kind is Kind.GRANDPARENT_AUTOMATON:
        xs = links(2, 7)
        above = int(rng.integers(1, min(len(xs), 4)))
        side = len(xs) - above + 1
        graph.grandparent_siblings(
            xs[:above],
            xs[above:],
            scores(rng, (side, side), forbidden),
            scores(rng, (above, side - 1), forbidden),
            scores(rng, (above, side, side), forbidden) if rng.random() < 0.5 else None,
        )
    elif kind is Kind.CHAIN:
        sizes = [(2, 3, 2), (2, 2), (3, 3), (2, 2, 2), (1, 3, 1), (4,)][int(rng.integers(6))]
        xs = links(sum(sizes), sum(sizes))
        steps = [scores(rng, (one, two), forbidden) for one, two in pairwise(sizes)]
        graph.chain(np.split(xs, np.cumsum(sizes)[:-1]), steps)
    elif kind is Kind.CUSTOM:
        xs = links(2, 5)
        graph.custom(xs, _EvenOracle(rng.normal(size=len(xs))))
    else:
        getattr(graph, kind.method)(links(1))


def _add_tree(graph: FactorGraph, rng: np.random.Generator, links) -> None:  # type: ignore[no-untyped-def]
    words = int(rng.integers(1, 4 if len(graph) >= 9 else 3))
    arcs = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    if words == 2 and rng.random() < 0.5:  # three words with few candidates
        words = 3
        arcs = [(0, 1), (1, 2), (2, 1), (0, 3), (3, 2), (2, 3), (1, 3)]
    order = rng.permutation(len(arcs))
    heads, modifiers = np.array(arcs)[order].T
    graph.tree(
        heads,
        modifiers,
        links(len(arcs), len(arcs)),
        words=words,
        projective=bool(rng.random() < 0.5),
        single_root=bool(rng.random() < 0.5),
    )


class _EvenOracle:
    """An even number of literals is true; the own score is linear."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def __call__(self, values: np.ndarray) -> tuple[np.ndarray, float]:
        total = values + self.weights
        best = total > 0
        if best.sum() % 2:
            flip = int(np.abs(total).argmin())
            best[flip] = not best[flip]
        return best, float(self.weights @ best)
