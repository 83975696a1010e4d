"""Branch and bound against the exact program and enumeration."""

from __future__ import annotations

import time

import numpy as np
import pytest
from oracles.graphs import random_graph
from oracles.interrupting import interrupted_soon
from oracles.optima import mixed_graph, optima, parsing_graph, scaled

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Kind, Status, branch_and_bound, brute_force


def assert_best(graph: FactorGraph, best: float) -> None:
    if best == -np.inf:
        with pytest.raises(InfeasibleError):
            branch_and_bound(graph)
        return
    found = branch_and_bound(graph)
    scale = max(1.0, abs(best))
    assert found.status is Status.OPTIMAL
    assert abs(found.value - best) <= 2e-6 * scale
    assert found.value <= found.upper_bound <= best + 2e-6 * scale
    assert graph.value(found.values) == pytest.approx(found.value, abs=1e-9 * scale)


def spin_glass(side: int, seed: int = 1) -> FactorGraph:
    """Spins on a torus, neighbours of which want to agree or to differ: a loose relaxation."""
    rng = np.random.default_rng(seed)
    down, right = rng.normal(size=(2, side, side))
    # J s t with s, t = 2x - 1, 2y - 1 is 4 J x y - 2 J x - 2 J y + J.
    around = down + np.roll(down, -1, 0) + right + np.roll(right, -1, 1)
    graph = FactorGraph()
    grid = graph.variables(0.1 * rng.normal(size=(side, side)) - 2 * around)
    graph.pair(grid, np.roll(grid, 1, 0), 4 * down)
    graph.pair(grid, np.roll(grid, 1, 1), 4 * right)
    return graph


@pytest.mark.parametrize("seed", range(200))
def test_mixed_graphs_have_the_optimum_of_the_exact_program(seed):
    graph, best = mixed_graph(seed)
    assert_best(graph, best.exact)


@pytest.mark.parametrize("strength", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_second_order_parses_are_those_of_the_exact_program(seed, strength):
    graph = parsing_graph(100 + seed, strength=strength)
    assert_best(graph, optima(graph).exact)


@pytest.mark.parametrize("seed", range(15))
def test_loose_relaxations_are_closed_by_search(seed):
    # Pairs and clauses over few variables, many of each: most relaxations are fractional.
    rng = np.random.default_rng([11, seed])
    kinds = [Kind.PAIR, Kind.PAIR, Kind.NAND, Kind.OR, Kind.KNAPSACK]
    graph = random_graph(rng, kinds, variables=10, factors=25)
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        best = -np.inf
    assert_best(graph, best)


@pytest.mark.parametrize("seed", range(8))
def test_custom_factors_take_part(seed):
    graph = random_graph(np.random.default_rng([3, seed]), [Kind.CUSTOM, Kind.XOR, Kind.PAIR])
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        best = -np.inf
    assert_best(graph, best)


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_the_unit_of_the_scores_does_not_matter(factor):
    for seed in range(20):
        graph, best = mixed_graph(seed)
        if best.exact == -np.inf:
            continue
        found = branch_and_bound(scaled(graph, factor), tolerance=1e-9)
        assert found.value / factor == pytest.approx(best.exact, abs=1e-5), seed


def test_a_ring_of_five_is_proven():
    # Any two of five that are no neighbours; the relaxation says 2.5.
    graph = FactorGraph()
    ring = graph.variables(np.ones(5))
    graph.not_all(np.stack([ring, np.roll(ring, 1)], axis=1))
    found = branch_and_bound(graph)
    assert (found.status, found.value) == (Status.OPTIMAL, 2.0)
    assert found.upper_bound == pytest.approx(2.0, abs=1e-5)
    assert found.relaxed == pytest.approx(np.full(5, 0.5), abs=1e-3)


def test_infeasible_graphs_with_a_feasible_relaxation_are_proven():
    graph = FactorGraph()
    a, b = graph.variables([0.0, 0.0])
    graph.at_least_one([[a, b], [a, ~b], [~a, b], [~a, ~b]])
    with pytest.raises(InfeasibleError, match="no assignment"):
        branch_and_bound(graph)


def test_a_factor_that_evidence_contradicts_is_named():
    graph = FactorGraph()
    a, b = graph.variables([1.0, 1.0], names="ab")
    graph.exactly_one([a, b])
    graph.fix([a, b])
    with pytest.raises(InfeasibleError, match=r"exactly_one\(a, b\) cannot hold"):
        branch_and_bound(graph)


def test_evidence_and_forbidden_values_hold():
    graph = spin_glass(3)
    free = branch_and_bound(graph)
    variable = int(np.flatnonzero(free.values)[0])
    graph.fix(variable, False)
    graph.set_scores(-np.inf, variables=(variable + 1) % 9)
    found = branch_and_bound(graph)
    assert not found.values[[variable, (variable + 1) % 9]].any()
    assert found.value == pytest.approx(brute_force(graph).value, abs=1e-5)


def test_an_empty_graph_is_solved():
    assert branch_and_bound(FactorGraph()).value == 0.0


def test_variables_without_factors_are_solved():
    graph = FactorGraph()
    graph.variables([1.5, -2.0, -np.inf, 0.25])
    graph.fix(3, False)
    found = branch_and_bound(graph)
    assert found.status is Status.OPTIMAL
    assert found.values.tolist() == [True, False, False, False]
    assert (found.value, found.iterations) == (1.5, 1)


def test_a_limit_on_nodes_keeps_value_and_bound_valid():
    graph = spin_glass(5)
    best = optima(graph).exact
    for nodes in (1, 2, 5, 10):
        found = branch_and_bound(graph, max_nodes=nodes, trace=True)
        assert found.iterations <= nodes
        assert found.value <= best + 1e-6
        assert found.upper_bound >= best - 1e-6
        assert graph.value(found.values) == pytest.approx(found.value)
        if found.iterations == nodes and found.gap > 1e-3:
            assert found.status is Status.LIMIT
    nothing = branch_and_bound(graph, max_nodes=0)
    assert (nothing.status, nothing.values) == (Status.LIMIT, None)
    assert (nothing.value, nothing.upper_bound) == (-np.inf, np.inf)


def test_a_limit_on_nodes_before_any_assignment_is_no_proof_of_infeasibility():
    graph = FactorGraph()
    a, b = graph.variables([0.0, 0.0])
    graph.at_least_one([[a, b], [a, ~b], [~a, b], [~a, ~b]])
    found = branch_and_bound(graph, max_nodes=1)
    assert (found.status, found.values, found.value) == (Status.LIMIT, None, -np.inf)


def test_a_time_limit_keeps_value_and_bound_valid():
    graph = spin_glass(16)
    found = branch_and_bound(graph, time_limit_seconds=0.05)
    assert found.status is Status.LIMIT
    assert found.seconds < 5
    assert found.iterations >= 1
    assert graph.value(found.values) == pytest.approx(found.value)
    assert found.value <= found.upper_bound < np.inf


def test_rounds_per_node_do_not_change_the_answer():
    graph = spin_glass(4)
    best = brute_force(graph).value
    for rounds in (1, 20, 1000):
        found = branch_and_bound(graph, max_rounds_per_node=rounds)
        assert found.value == pytest.approx(best, abs=1e-5)


def test_the_trace_has_a_row_a_node_and_closes_in():
    found = branch_and_bound(spin_glass(5), trace=True)
    rows = found.trace
    assert rows.iteration.tolist() == list(range(1, found.iterations + 1))
    assert found.iterations > 1
    assert (np.diff(rows.upper_bound) <= 0).all()
    assert (np.diff(rows.value) >= 0).all()
    assert (rows.upper_bound >= rows.value).all()
    assert rows.active[0] == 1.0
    assert ((rows.active >= 0) & (rows.active <= 1)).all()
    assert rows.value[-1] == found.value
    assert branch_and_bound(spin_glass(3)).trace is None


def test_control_c_ends_the_search_soon():
    # Three times, since a signal between two relaxations ends the search as it should. Ctrl-C
    # shows as an exception at the time limit too, so only the time tells.
    slowest = 0.0
    for _ in range(3):
        started = time.perf_counter()
        with interrupted_soon(0.05), pytest.raises(KeyboardInterrupt):
            branch_and_bound(spin_glass(16), time_limit_seconds=1.0)
        slowest = max(slowest, time.perf_counter() - started)
    assert slowest < 0.6


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"max_nodes": -1}, "max_nodes"),
        ({"max_rounds_per_node": 0}, "max_rounds_per_node"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"time_limit_seconds": "long"}, "time_limit_seconds"),
    ],
    ids=str,
)
def test_wrong_options_are_named(options, word):
    with pytest.raises(InputError, match=word):
        branch_and_bound(spin_glass(3), **options)
