"""What every solver of best assignments promises, whatever its method."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.graphs import random_graph
from oracles.tree_graphs import tree_graph

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import (
    SOLVERS,
    FactorGraph,
    Kind,
    Solution,
    Status,
    brute_force,
)

NAMES = ["admm", "branch_and_bound", "brute_force", "linear_program", "max_product", "subgradient"]
#: These prove the best assignment, or that there is none, on any graph that is small enough.
EXACT = {"branch_and_bound", "brute_force"}

every_solver = pytest.mark.parametrize("solver", NAMES)


def best_value(graph: FactorGraph) -> float:
    try:
        return brute_force(graph).value
    except InfeasibleError:
        return -np.inf


def assert_sound(graph: FactorGraph, found: Solution, best: float) -> None:
    """The value is one of an assignment, and lies with the bound around the best one."""
    slack = 1e-6 * max(1.0, abs(best)) if best > -np.inf else 0.0
    assert found.value <= best + slack
    assert found.upper_bound >= best - slack
    assert found.gap >= 0
    if found.values is None:
        assert found.value == -np.inf
    else:
        assert found.values.dtype == bool
        assert found.values.shape == (len(graph),)
        assert graph.value(found.values) == pytest.approx(found.value, abs=1e-6)
    if found.relaxed is not None:
        assert found.relaxed.shape == (len(graph),)
    if found.status is Status.OPTIMAL:
        assert abs(found.value - best) <= 10 * slack
    assert found.seconds >= 0
    assert found.iterations >= 0


def test_the_suite_knows_every_solver():
    # belief_propagation is another name of max_product; toulbar2 has tests among the extras.
    assert {*NAMES, "belief_propagation", "toulbar2"} == set(SOLVERS)


@every_solver
@pytest.mark.parametrize("seed", range(40))
def test_value_and_bound_enclose_the_best_value(solver, seed):
    graph = random_graph(np.random.default_rng([21, seed]), variables=8)
    best = best_value(graph)
    try:
        found = graph.solve(solver)
    except InfeasibleError:
        assert best == -np.inf
        return
    assert_sound(graph, found, best)
    if solver in EXACT:
        assert found.status is Status.OPTIMAL


@every_solver
@pytest.mark.parametrize("seed", range(15))
def test_graphs_without_loops_are_solved(solver, seed):
    # Without knapsacks, whose relaxation is loose by itself.
    kinds = [kind for kind in Kind if kind not in (Kind.CUSTOM, Kind.KNAPSACK)]
    graph = tree_graph(np.random.default_rng([22, seed]), kinds, most_variables=10)
    best = best_value(graph)
    if best == -np.inf:
        with pytest.raises(InfeasibleError):
            graph.solve(solver)
        return
    found = graph.solve(solver)
    assert_sound(graph, found, best)
    assert found.value == pytest.approx(best, abs=1e-5)


@every_solver
def test_a_worked_example_is_solved(solver):
    # Of a, b and not-c exactly one, d only with a: a, c and d are worth 0.3 - 0.2 + 1.1 + 0.7.
    graph = FactorGraph()
    a, b, c, d = graph.variables([0.3, 0.8, -0.2, 1.1])
    graph.exactly_one([a, b, ~c])
    graph.implies(d, a)
    graph.pair(a, d, 0.7)
    found = graph.solve(solver)
    assert found.values.tolist() == [True, False, True, True]
    assert found.value == pytest.approx(1.9)
    assert_sound(graph, found, 1.9)


def _both_fixed() -> FactorGraph:
    graph = FactorGraph()
    a, b = graph.variables([1.0, 2.0])
    graph.exactly_one([a, b])
    graph.fix([a, b])
    return graph


def _contradictory_units() -> FactorGraph:
    graph = FactorGraph()
    a = graph.variable(1.0)
    graph.exactly_one([a])
    graph.exactly_one([~a])
    return graph


def _none_allowed() -> FactorGraph:
    graph = FactorGraph()
    graph.at_least_one(graph.variables([-np.inf, -np.inf]))
    return graph


def _fixed_to_a_forbidden_value() -> FactorGraph:
    graph = FactorGraph()
    graph.fix(graph.variables([-np.inf]))
    return graph


def _chain_of_implications() -> FactorGraph:
    graph = FactorGraph()
    a, b, c = graph.variables([1.0, 1.0, 1.0])
    graph.implies([a, b], [b, c])
    graph.fix(a)
    graph.fix(c, False)
    return graph


def _forbidden_table() -> FactorGraph:
    graph = FactorGraph()
    a, b = graph.variables([1.0, 1.0])
    graph.table([[a], [b]], [[-np.inf, 0.0], [0.0, -np.inf]])
    graph.fix([a, b])
    return graph


def _tree_without_arcs() -> FactorGraph:
    graph = FactorGraph()
    xs = graph.variables([1.0, 1.0, 1.0])
    graph.tree([0, 0, 1], [1, 2, 2], xs, single_root=False)
    graph.fix(xs[1:], False)
    return graph


@every_solver
@pytest.mark.parametrize(
    "build",
    [
        _both_fixed,
        _contradictory_units,
        _none_allowed,
        _fixed_to_a_forbidden_value,
        _chain_of_implications,
        _forbidden_table,
        _tree_without_arcs,
    ],
)
def test_infeasible_graphs_are_said_to_be_so(solver, build):
    with pytest.raises(InfeasibleError):
        build().solve(solver)


@every_solver
def test_forbidden_values_are_not_chosen(solver):
    graph = FactorGraph()
    xs = graph.variables([-np.inf, 1.0, 0.5, -np.inf])
    graph.exactly_one(xs[:3])
    graph.pair(xs[0], xs[3], 100.0)
    graph.pair(xs[1], xs[2], -np.inf)
    found = graph.solve(solver)
    assert found.values.tolist() == [False, True, False, False]
    assert_sound(graph, found, 1.0)


@every_solver
def test_forbidden_values_hold_on_negated_links(solver):
    graph = FactorGraph()
    a, b = graph.variables([-np.inf, -3.0])
    graph.at_least_one([~a, b])
    found = graph.solve(solver)
    assert found.values.tolist() == [False, False]
    assert found.value == 0.0


@every_solver
def test_forbidden_entries_of_a_table_are_not_chosen(solver):
    graph = FactorGraph()
    a, b, c, d = graph.variables([1.0, 0.0, 1.0, 0.0])
    graph.table([[a, b], [c, d]], [[-np.inf, 0.2], [0.1, 0.3]])
    # a with d is 1.2; b with c is 1.1; a with c would be 2.
    found = graph.solve(solver)
    assert found.values.tolist() == [True, False, False, True]
    assert found.value == pytest.approx(1.2)


@every_solver
def test_evidence_is_respected(solver):
    graph = FactorGraph()
    xs = graph.variables([5.0, 3.0, 1.0, -4.0])
    graph.exactly_one(xs[:3])
    graph.fix(xs[0], False)
    graph.fix(xs[3])
    found = graph.solve(solver)
    assert found.values.tolist() == [False, True, False, True]
    assert found.value == pytest.approx(-1.0)
    assert found.upper_bound == pytest.approx(-1.0, abs=1e-5)
    graph.unfix()
    assert graph.solve(solver).value == pytest.approx(5.0)


@every_solver
def test_all_variables_may_be_fixed(solver):
    graph = FactorGraph()
    xs = graph.variables([1.0, -2.0, 3.0])
    graph.at_least_one(xs)
    graph.fix(xs, [False, True, False])
    found = graph.solve(solver)
    assert found.status is Status.OPTIMAL
    assert found.values.tolist() == [False, True, False]
    assert found.value == pytest.approx(-2.0)


@every_solver
def test_the_graph_is_left_as_it_was(solver):
    graph = random_graph(np.random.default_rng(3), [Kind.PAIR, Kind.OR], evidence=0.3)
    scores, evidence = graph.scores.copy(), graph.evidence.copy()
    first = graph.solve(solver)
    np.testing.assert_array_equal(graph.scores, scores)
    np.testing.assert_array_equal(graph.evidence, evidence)
    again = graph.solve(solver)
    assert (first.value, first.upper_bound) == (again.value, again.upper_bound)


@every_solver
def test_an_empty_graph_is_solved(solver):
    found = FactorGraph().solve(solver)
    assert found.status is Status.OPTIMAL
    assert (found.value, found.upper_bound, found.values.tolist()) == (0.0, 0.0, [])


@every_solver
def test_variables_without_factors_are_solved(solver):
    graph = FactorGraph()
    graph.variables([1.5, -2.0, -np.inf, 0.25])
    graph.fix(3, False)
    found = graph.solve(solver)
    assert found.status is Status.OPTIMAL
    assert found.values.tolist() == [True, False, False, False]
    assert found.value == 1.5
    assert found.upper_bound == pytest.approx(1.5, abs=1e-5)


@every_solver
@pytest.mark.parametrize("score", [1e-3, 1e4])
def test_small_and_large_scores_are_solved(solver, score):
    # a, or b with c: 0.75 - 1 + 1.5. No loops, so every relaxation is tight.
    graph = FactorGraph()
    a, b, c = graph.variables(np.array([1.0, 0.75, -1.0]) * score)
    graph.at_most_one([a, b])
    graph.pair(b, c, 1.5 * score)
    found = graph.solve(solver)
    assert found.values.tolist() == [False, True, True]
    assert found.value == pytest.approx(1.25 * score)


@every_solver
def test_time_limits_and_traces_are_understood(solver):
    graph = random_graph(np.random.default_rng(3), [Kind.PAIR, Kind.OR])
    found = graph.solve(solver, time_limit_seconds=60, trace=True)
    assert found.trace is not None
    assert len(found.trace) >= 1
    assert (np.diff(found.trace.upper_bound) <= 1e-9).all()
    assert graph.solve(solver).trace is None
    with pytest.raises(InputError, match="time_limit_seconds"):
        graph.solve(solver, time_limit_seconds=-1)


def test_graphs_that_make_no_sense_never_reach_a_solver():
    graph = FactorGraph()
    a, b = graph.variables([1.0, 2.0])
    for score in (np.nan, np.inf):
        with pytest.raises(InputError, match="finite"):
            graph.variable(score)
        with pytest.raises(InputError, match="finite"):
            graph.set_scores(score, variables=a)
        with pytest.raises(InputError, match="finite"):
            graph.pair(a, b, score)
        with pytest.raises(InputError, match="finite"):
            graph.table([[a], [b]], [[0.0, score], [0.0, 0.0]])
        with pytest.raises(InputError, match="finite"):
            graph.siblings([a, b], np.full((3, 3), score))
    for kind in ("exactly_one", "at_most_one", "at_least_one", "not_all"):
        with pytest.raises(InputError, match="at least one variable"):
            getattr(graph, kind)([])
        with pytest.raises(InputError, match="more than once"):
            getattr(graph, kind)([a, b, a])
        with pytest.raises(InputError, match="more than once"):
            getattr(graph, kind)([a, ~a])
    assert graph.factor_count == 0
    assert graph.scores.tolist() == [1.0, 2.0]
