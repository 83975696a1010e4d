"""The linear program against enumeration."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import ALL_KINDS, graphs, single_factor_graph
from oracles.interrupting import interrupted_soon
from oracles.trees import all_trees

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Kind, Status, brute_force, linear_program

EXACT_HULLS = [kind for kind in ALL_KINDS if kind is not Kind.KNAPSACK]


def _best(graph):
    try:
        return brute_force(graph).value
    except InfeasibleError:
        return None


@settings(max_examples=120, deadline=None)
@given(graphs())
def test_the_exact_program_equals_enumeration(graph):
    best = _best(graph)
    if best is None:
        with pytest.raises(InfeasibleError):
            linear_program(graph, exact=True)
        return
    solution = linear_program(graph, exact=True)
    assert solution.status is Status.OPTIMAL
    assert solution.value == pytest.approx(best, abs=1e-6)
    assert graph.value(solution.values) == pytest.approx(best, abs=1e-6)
    assert solution.gap <= 1e-6


@settings(max_examples=120, deadline=None)
@given(graphs(feasible=True))
def test_the_relaxation_bounds_the_best_value(graph):
    best = brute_force(graph).value
    solution = linear_program(graph)
    assert solution.upper_bound >= best - 1e-6
    assert solution.value <= best + 1e-9
    if solution.status is Status.OPTIMAL:
        assert solution.value == pytest.approx(best, abs=1e-6)
    else:
        assert solution.status is Status.RELAXED


@pytest.mark.parametrize("kind", EXACT_HULLS)
def test_one_factor_alone_has_an_exact_relaxation(kind):
    for seed in range(25):
        graph = single_factor_graph(np.random.default_rng([kind, seed]), kind)
        best = _best(graph)
        if best is None:
            with pytest.raises(InfeasibleError):
                linear_program(graph)
            continue
        solution = linear_program(graph)
        assert solution.upper_bound == pytest.approx(best, abs=1e-6), graph


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
@settings(max_examples=30, deadline=None)
def test_full_trees_of_four_words_have_an_exact_relaxation(seed, projective, single_root):
    from turbotree.trees import maximum_spanning_tree, tree_score

    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(5, 5))
    arcs = [(h, m) for m in range(1, 5) for h in range(5) if h != m]
    heads, modifiers = np.array(arcs).T
    graph = FactorGraph()
    xs = graph.variables(scores[heads, modifiers])
    graph.tree(heads, modifiers, xs, projective=projective, single_root=single_root)
    tree = maximum_spanning_tree(scores, projective=projective, single_root=single_root)
    solution = linear_program(graph)
    assert solution.upper_bound == pytest.approx(tree_score(scores, tree), abs=1e-6)
    assert solution.status is Status.OPTIMAL


def test_the_knapsack_is_one_inequality():
    graph = FactorGraph()
    graph.knapsack(graph.variables([3.0, 2.0]), [2, 2], 3)
    # All of the first and half of the second: 3 + 2 / 2.
    solution = linear_program(graph)
    assert solution.upper_bound == pytest.approx(4.0)
    assert solution.status is Status.RELAXED
    assert linear_program(graph, exact=True).value == pytest.approx(3.0)


def test_a_fractional_solution_is_kept():
    graph = FactorGraph()
    a, b, c = graph.variables([1.0, 1.0, 1.0])
    graph.not_all([[a, b], [b, c], [a, c]])
    solution = linear_program(graph)
    assert solution.relaxed == pytest.approx([0.5, 0.5, 0.5])
    assert solution.upper_bound == pytest.approx(1.5)


def test_evidence_and_forbidden_values_are_bounds():
    graph = FactorGraph()
    xs = graph.variables([5.0, 3.0, 1.0, -np.inf])
    graph.exactly_one(xs)
    graph.fix(xs[0], False)
    assert linear_program(graph).values.tolist() == [False, True, False, False]
    graph.fix(xs[3])
    with pytest.raises(InfeasibleError, match="x3"):
        linear_program(graph)


def test_an_infeasible_program_is_said_to_be_so():
    graph = FactorGraph()
    a, b = graph.variables([1.0, 1.0])
    graph.exactly_one([a, b])
    graph.fix([~a, ~b])
    for exact in (False, True):
        with pytest.raises(InfeasibleError, match="no assignment"):
            linear_program(graph, exact=exact)


def test_a_graph_without_factors_or_variables_is_solved():
    assert linear_program(FactorGraph()).value == 0.0
    graph = FactorGraph()
    graph.variables([1.0, -1.0])
    assert linear_program(graph).values.tolist() == [True, False]


def test_custom_factors_are_refused():
    graph = FactorGraph()
    graph.custom(graph.variables([1.0, 2.0]), lambda scores: scores > 0)
    with pytest.raises(InputError, match="custom"):
        linear_program(graph)


def test_a_limit_is_reported():
    rng = np.random.default_rng(5)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=(12, 12)))
    graph.exactly_one(xs)
    graph.exactly_one(xs.T)
    first, second = rng.permutation(144)[:140].reshape(2, 70)
    graph.pair(first, second, rng.normal(size=70))
    solution = linear_program(graph, max_iterations=1)
    assert solution.status is Status.LIMIT
    assert solution.upper_bound >= linear_program(graph, exact=True).value
    assert linear_program(graph, time_limit_seconds=0, exact=True).status is Status.LIMIT


def test_the_trace_holds_the_final_bound():
    graph = FactorGraph()
    graph.at_most_one(graph.variables([1.0, 2.0]))
    solution = linear_program(graph, trace=True)
    assert solution.trace.upper_bound.tolist() == [2.0]
    assert linear_program(graph).trace is None


def test_ctrl_c_stops_the_search():
    # Market split problems keep branch and cut busy for very long.
    rng = np.random.default_rng(1)
    graph = FactorGraph()
    xs = graph.variables(rng.integers(1, 100, size=40).astype(float))
    for _ in range(5):
        costs = rng.integers(1, 100, size=40)
        graph.knapsack(xs, costs, int(costs.sum()) // 2)
        graph.knapsack(~xs, costs, int(costs.sum() + 1) // 2)
    started = time.perf_counter()
    with interrupted_soon(0.5), pytest.raises(KeyboardInterrupt):
        linear_program(graph, exact=True, time_limit_seconds=30)
    assert time.perf_counter() - started < 15


def test_a_graph_that_misleads_presolve_is_solved():
    """The trees of four words under rules, of which HiGHS with presolve finds the second best."""
    graph = FactorGraph.load(Path(__file__).parent / "data" / "four_words_under_rules.npz")
    arcs = [(h, m) for m in range(1, 5) for h in range(5) if h != m]
    best = -np.inf
    for heads in all_trees(4):
        tree = graph.copy()
        tree.fix(np.arange(len(arcs)), [heads[m - 1] == h for h, m in arcs])
        try:  # what rules add follows from the arcs
            best = max(best, linear_program(tree, exact=True).value)
        except InfeasibleError:
            continue
    assert linear_program(graph, exact=True).value == pytest.approx(best)
