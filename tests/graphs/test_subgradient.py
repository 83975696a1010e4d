"""The subgradient method against enumeration and the linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import ALL_KINDS, feasible_graph, graphs
from oracles.interrupting import interrupted_soon
from oracles.tree_graphs import tree_graphs

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Kind, Status, brute_force, linear_program, subgradient

STEPS = ["koo", "polyak", 0.5]


def frustrated_ring() -> FactorGraph:
    """Three variables that all want to differ: its relaxation is not tight."""
    graph = FactorGraph()
    a, b, c = graph.variables([1.0, 1.0, 1.0])
    graph.pair([a, b, c], [b, c, a], [-2.0, -2.0, -2.0])
    return graph


def sibling_parser(seed: int, words: int = 4) -> FactorGraph:
    """A tree factor and one automaton for each head and side, as Koo et al. have them."""
    rng = np.random.default_rng(seed)
    heads, modifiers = np.array(
        [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    ).T
    graph = FactorGraph()
    arcs = graph.variables(rng.normal(size=len(heads)))
    graph.tree(heads, modifiers, arcs, single_root=False)
    for head in range(words + 1):
        for side in (-1, 1):
            chosen = np.flatnonzero((heads == head) & (np.sign(modifiers - heads) == side))
            if len(chosen):
                outward = arcs[chosen[np.argsort(np.abs(modifiers - heads)[chosen])]]
                size = len(chosen) + 1
                graph.siblings(outward, rng.normal(size=(size, size)))
    return graph


@pytest.mark.parametrize("step", STEPS)
@settings(max_examples=50, deadline=None)
@given(graphs())
def test_value_and_bound_enclose_the_best_value(step, graph):
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        best = -np.inf
    try:
        found = subgradient(graph, step=step, max_iterations=100)
    except InfeasibleError:
        assert best == -np.inf
        return
    assert found.value <= best + 1e-7
    assert found.upper_bound >= best - 1e-7
    assert ((found.relaxed >= 0) & (found.relaxed <= 1)).all()
    if found.values is not None:
        assert graph.value(found.values) == pytest.approx(found.value, abs=1e-9)
    if found.status is Status.OPTIMAL:
        assert found.value == pytest.approx(best, abs=1e-5)
        np.testing.assert_array_equal(found.relaxed, found.values)


@settings(max_examples=50, deadline=None)
@given(tree_graphs(ALL_KINDS))
def test_graphs_without_loops_are_solved_or_proven_infeasible(graph):
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            subgradient(graph, step="polyak")
        return
    found = subgradient(graph, step="polyak")
    assert found.value == pytest.approx(best, abs=1e-5)
    assert found.upper_bound == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_comes_near_the_linear_program(seed):
    # Fixed graphs: how near a given number of rounds leads is no law. Without knapsacks, of which
    # the program has a looser relaxation than their assignments.
    kinds = [kind for kind in ALL_KINDS if kind is not Kind.KNAPSACK]
    graph = feasible_graph(np.random.default_rng(seed), kinds)
    relaxation = linear_program(graph).upper_bound
    found = subgradient(graph, step="polyak", max_iterations=2000)
    assert found.upper_bound >= relaxation - 1e-5
    assert found.upper_bound <= relaxation + 1e-2


@pytest.mark.parametrize("seed", range(10))
def test_head_automata_and_a_tree_agree_on_the_best_parse(seed):
    graph = sibling_parser(seed)
    best = linear_program(graph, exact=True).value
    found = subgradient(graph)
    assert found.value <= best + 1e-6
    assert found.upper_bound >= best - 1e-6
    # A fractional relaxation has a gap; these random ones are rarely fractional.
    if linear_program(graph).status is Status.OPTIMAL:
        assert found.value == pytest.approx(best, abs=1e-5)


def test_a_fractional_relaxation_ends_at_the_limit_with_its_bound():
    # Half of each variable is worth 1.5 and pays nothing; whole ones are worth 1.
    found = subgradient(frustrated_ring(), max_iterations=2000)
    assert found.status is Status.LIMIT
    assert found.iterations == 2000
    assert found.value == pytest.approx(1.0)
    assert found.upper_bound == pytest.approx(1.5, abs=1e-2)
    np.testing.assert_allclose(found.relaxed, 0.5, atol=0.1)


def test_factors_whose_shares_stay_are_not_solved_again():
    graph = frustrated_ring()
    calm = graph.variables(np.ones(30))
    graph.pair(calm[:-1], calm[1:], np.ones(29))  # all agree at once
    found = subgradient(graph, max_iterations=50, trace=True)
    assert found.trace.active[0] == 1.0
    assert (found.trace.active[1:] <= 3 / 32).all()


def test_one_round_is_enough_where_factors_agree():
    graph = FactorGraph()
    xs = graph.variables([3.0, 1.0, 1.0])
    graph.exactly_one(xs)
    graph.pair(xs[0], xs[1], -1.0)
    found = subgradient(graph, trace=True)
    assert (found.status, found.iterations) == (Status.OPTIMAL, 1)
    assert found.trace.primal_residual.tolist() == [0.0]


def test_infeasible_graphs_are_recognised():
    graph = FactorGraph()
    a, b, c = graph.variables([0.5, 0.2, -1.0])
    for x, y in [(a, b), (b, c)]:
        graph.exactly_one([x, y])
    graph.exactly_one([a, ~c, b])
    graph.exactly_one([b])
    with pytest.raises(InfeasibleError, match=r"no assignment|cannot hold"):
        subgradient(graph)
    fixed = FactorGraph()
    a, b = fixed.variables([1.0, 1.0], names="ab")
    fixed.exactly_one([a, b])
    fixed.fix([a, b])
    with pytest.raises(InfeasibleError, match=r"exactly_one\(a, b\) cannot hold"):
        subgradient(fixed)
    forbidden = FactorGraph()
    forbidden.variables([-np.inf])
    forbidden.fix(0)
    with pytest.raises(InfeasibleError, match="fixed to 1"):
        subgradient(forbidden)


def test_variables_without_factors_take_their_better_value():
    assert subgradient(FactorGraph()).status is Status.OPTIMAL
    graph = FactorGraph()
    graph.variables([1.5, -2.0, -np.inf, 0.25])
    graph.fix(3, False)
    found = subgradient(graph)
    assert found.values.tolist() == [True, False, False, False]
    assert (found.value, found.upper_bound) == (1.5, 1.5)


def test_limits_end_the_run():
    graph = frustrated_ring()
    assert subgradient(graph, max_iterations=3).iterations == 3
    nothing = subgradient(graph, max_iterations=0)
    assert (nothing.values, nothing.upper_bound, nothing.status) == (None, np.inf, Status.LIMIT)
    quick = subgradient(graph, max_iterations=10**9, time_limit_seconds=0.05)
    assert quick.status is Status.LIMIT
    assert quick.seconds < 5


def test_the_trace_has_a_row_a_round():
    found = subgradient(frustrated_ring(), max_iterations=40, trace=True)
    assert found.trace.iteration.tolist() == list(range(1, 41))
    assert (np.diff(found.trace.upper_bound) <= 0).all()
    assert (np.diff(found.trace.value) >= 0).all()


def test_control_c_ends_a_run():
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        subgradient(frustrated_ring(), max_iterations=10**9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_custom_factors_take_part(seed):
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=5))

    def all_or_none(scores):
        return np.full(len(scores), scores.sum() > 0)

    graph.custom(xs[:3], all_or_none)
    graph.exactly_one(xs[2:])
    best = brute_force(graph).value
    found = subgradient(graph, step="polyak")
    assert found.value == pytest.approx(best, abs=1e-5)


def test_errors_of_a_custom_factor_reach_the_caller():
    graph = FactorGraph()
    graph.custom(graph.variables([1.0, 2.0]), lambda scores: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        subgradient(graph)
    other = FactorGraph()
    other.custom(other.variables([1.0, 2.0]), lambda scores: [1, 2, 3])
    with pytest.raises(InputError, match="the oracle gave"):
        subgradient(other)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"step": "newton"}, "step"),
        ({"step": 0.0}, "step"),
        ({"tolerance": -1}, "tolerance"),
        ({"max_iterations": 1.5}, "max_iterations"),
        ({"time_limit_seconds": -1}, "time_limit_seconds"),
    ],
)
def test_wrong_options_are_named(options, word):
    with pytest.raises(InputError, match=word):
        subgradient(frustrated_ring(), **options)
