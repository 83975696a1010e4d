"""Small random networks of multi-valued variables, and their values by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from hypothesis import strategies as st

from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Network


@dataclass
class Plain:
    """Domains, and functions as dictionaries from combinations of values to costs."""

    sizes: list[int]
    functions: list[tuple[tuple[int, ...], dict[tuple[int, ...], float]]] = field(
        default_factory=list
    )

    def assignments(self) -> Iterator[tuple[int, ...]]:
        return product(*(range(size) for size in self.sizes))

    def cost(self, assignment: tuple[int, ...]) -> float:
        return sum(table[tuple(assignment[v] for v in scope)] for scope, table in self.functions)


@st.composite
def plain_networks(draw: st.DrawFn, costs: st.SearchStrategy[float]) -> Plain:
    """Up to four variables of up to three values, functions of up to three of them."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    network = Plain(sizes)
    for _ in range(draw(st.integers(0, 5))):
        order = draw(st.permutations(range(len(sizes))))
        scope = tuple(order[: draw(st.integers(0, min(3, len(sizes))))])
        default = draw(costs)
        table = {
            combination: draw(costs) if draw(st.booleans()) else default
            for combination in product(*(range(sizes[v]) for v in scope))
        }
        network.functions.append((scope, table))
    return network


def _exact(graph: FactorGraph) -> str:
    """Enumeration, unless lists of exceptions have brought many variables."""
    return "brute_force" if len(graph) <= 12 else "branch_and_bound"


def assert_same(network: Network, plain: Plain, limit: float = np.inf) -> None:
    """The graph has the cost of each assignment, and its best is the best."""
    best = np.inf
    tolerance = 1e-9 * max(
        [1.0, *(abs(c) for _, t in plain.functions for c in t.values() if abs(c) < np.inf)]
    )
    for assignment in plain.assignments():
        cost = plain.cost(assignment)
        allowed = cost < limit
        try:
            copy = Network(
                network.graph.copy(),
                network.variables,
                network.measure,
                network.offset,
                network.floor,
                network.whole,
            )
            copy.fix(dict(enumerate(assignment)), "evidence")
            answer = copy.answer(copy.graph.solve(_exact(copy.graph)))
        except InfeasibleError:
            assert not allowed
            continue
        assert allowed
        assert answer.assignment is not None
        assert [list(v.values).index(answer.assignment[v.name]) for v in network.variables] == list(
            assignment
        )
        assert abs(network.sign * -answer.value - cost) <= tolerance
        best = min(best, cost)
    try:
        solution = network.graph.solve(_exact(network.graph))
        answer = network.answer(solution)
    except InfeasibleError:
        assert best == np.inf
        return
    assert abs(network.sign * -answer.value - best) <= tolerance
    # Search may stop when the bound is as near as its tolerance says, on the safe side.
    bound = network.sign * -answer.bound
    assert best - tolerance - solution.tolerance <= bound <= best + tolerance
