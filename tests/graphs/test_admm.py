"""ADMM against the linear program, the exact program and enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.graphs import random_graph
from oracles.interrupting import interrupted_soon
from oracles.optima import feasible_seeds, mixed_graph, optima, parsing_graph, scaled

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Kind, Status, admm, brute_force

#: How many graphs there are where variants of the solver are tried.
FEW = 25


def close(bound: float, expected: float, share: float = 1e-4) -> bool:
    return abs(bound - expected) <= share * max(1.0, abs(expected))


def odd_ring(variables: int = 5) -> FactorGraph:
    """Neighbours exclude each other: half of each is the best relaxed answer."""
    graph = FactorGraph()
    ring = graph.variables(np.ones(variables))
    graph.not_all(np.stack([ring, np.roll(ring, 1)], axis=1))
    return graph


def hard_grid(seed: int = 0, side: int = 12) -> FactorGraph:
    """Couplings of both signs on a grid: many rounds, and a fractional end."""
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    grid = graph.variables(rng.normal(size=(side, side)))
    graph.pair(grid[1:], grid[:-1], 3 * rng.normal(size=(side - 1, side)))
    graph.pair(grid[:, 1:], grid[:, :-1], 3 * rng.normal(size=(side, side - 1)))
    return graph


# The relaxation


@pytest.mark.parametrize("seed", range(200))
def test_the_bound_is_the_linear_programs_optimum(seed):
    graph, best = mixed_graph(seed)
    if best.relaxation == -np.inf:
        with pytest.raises(InfeasibleError):
            admm(graph)
        return
    found = admm(graph, trace=True)
    assert close(found.upper_bound, best.relaxation)
    scale = max(1.0, abs(best.exact)) if best.exact > -np.inf else 1.0
    assert (found.trace.upper_bound >= best.exact - 1e-9 * scale).all()
    assert found.upper_bound >= best.exact - 1e-9 * scale
    assert ((found.relaxed >= 0) & (found.relaxed <= 1)).all()
    if found.values is not None:
        assert graph.value(found.values) == pytest.approx(found.value, abs=1e-9)
    if found.status is Status.OPTIMAL:
        assert close(found.value, best.exact, 1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {"extrapolate": False},
        {"adapt_penalty": False},
        {"penalty": 0.02},
        {"penalty": 3.0},
        {"step": 1.0},
        {"step": 1.9},
        {"extrapolate": False, "adapt_penalty": False, "penalty": 0.3, "step": 1.0},
    ],
    ids=str,
)
def test_no_setting_changes_the_bound(options):
    for seed in feasible_seeds(FEW):
        graph, best = mixed_graph(seed)
        found = admm(graph, max_iterations=20_000, **options)
        assert close(found.upper_bound, best.relaxation), seed


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_the_unit_of_the_scores_does_not_matter(factor):
    for seed in feasible_seeds(FEW):
        graph, best = mixed_graph(seed)
        found = admm(scaled(graph, factor))
        assert close(found.upper_bound / factor, best.relaxation), seed
        if found.values is not None:
            assert found.value / factor <= best.exact + 1e-6 * max(1.0, abs(best.exact)), seed
            assert graph.value(found.values) == pytest.approx(found.value / factor, abs=1e-6)


@pytest.mark.parametrize("strength", [0.3, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_second_order_parsing_has_the_bound_of_the_linear_program(seed, strength):
    graph = parsing_graph(seed, strength=strength)
    best = optima(graph)
    found = admm(graph)
    assert close(found.upper_bound, best.relaxation)
    assert found.values is not None
    assert found.value <= best.exact + 1e-6
    if found.status is Status.OPTIMAL:
        assert close(found.value, best.exact, 1e-5)


def test_a_fractional_relaxation_is_kept():
    # Half of each of five variables is worth 2.5; no more than two of them can be whole.
    found = admm(odd_ring())
    assert found.status is Status.RELAXED
    assert found.upper_bound == pytest.approx(2.5, abs=1e-4)
    assert found.relaxed == pytest.approx(np.full(5, 0.5), abs=1e-4)
    assert found.value == 2.0
    assert found.gap == pytest.approx(0.5, abs=1e-4)


# Small and special graphs


def test_an_empty_graph_is_solved():
    found = admm(FactorGraph())
    assert found.status is Status.OPTIMAL
    assert (found.value, found.upper_bound, found.values.tolist()) == (0.0, 0.0, [])


def test_variables_without_factors_follow_their_scores():
    graph = FactorGraph()
    graph.variables([1.5, -2.0, -np.inf, 0.25])
    graph.fix(3, False)
    found = admm(graph)
    assert found.status is Status.OPTIMAL
    assert found.values.tolist() == [True, False, False, False]
    assert (found.value, found.upper_bound) == (1.5, 1.5)


def test_variables_without_factors_count_beside_those_with():
    graph = FactorGraph()
    xs = graph.variables([2.0, 1.0, 4.0, -1.0])
    graph.exactly_one(xs[:2])
    found = admm(graph)
    assert found.values.tolist() == [True, False, True, False]
    assert found.value == pytest.approx(6.0)
    assert found.upper_bound == pytest.approx(6.0, abs=1e-5)


def test_zero_scores_are_solved():
    graph = FactorGraph()
    graph.exactly_one(graph.variables(np.zeros(4)))
    found = admm(graph)
    assert found.status is Status.OPTIMAL
    assert found.values.sum() == 1


def test_evidence_and_forbidden_values_hold():
    graph = FactorGraph()
    xs = graph.variables([5.0, 3.0, 1.0, -np.inf])
    graph.exactly_one(xs)
    graph.fix(xs[0], False)
    found = admm(graph)
    assert found.values.tolist() == [False, True, False, False]
    assert found.relaxed[[0, 3]].tolist() == [0.0, 0.0]
    assert found.upper_bound == pytest.approx(3.0, abs=1e-5)
    graph.fix(xs[3])
    with pytest.raises(InfeasibleError, match="x3 is fixed to 1"):
        admm(graph)


def test_evidence_on_negated_links_holds():
    graph = FactorGraph()
    a, b, c = graph.variables([1.0, 2.0, 0.5])
    graph.exactly_one([~a, b, c])
    graph.fix(a)
    found = admm(graph)
    assert found.values.tolist() == [True, True, False]
    assert found.value == 3.0


def test_a_factor_that_evidence_contradicts_is_named():
    graph = FactorGraph()
    a, b = graph.variables([1.0, 1.0], names="ab")
    graph.exactly_one([a, b])
    graph.fix([a, b])
    with pytest.raises(InfeasibleError, match=r"exactly_one\(a, b\) cannot hold"):
        admm(graph)


def test_factors_that_contradict_each_other_are_recognised():
    graph = FactorGraph()
    a, b, c = graph.variables([0.5, 0.2, -1.0])
    graph.exactly_one([[a, b], [b, c], [a, c]])
    graph.exactly_one([a])
    with pytest.raises(InfeasibleError):
        admm(graph)


def test_a_custom_factors_own_cost_is_no_sign_of_infeasibility():
    graph = FactorGraph()
    graph.custom(graph.variables([1.0, 2.0]), lambda scores: (scores > 0, -100.0))
    found = admm(graph)
    assert found.values.tolist() == [True, True]
    assert found.value == pytest.approx(-97.0)
    assert found.upper_bound == pytest.approx(-97.0, abs=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_custom_factors_take_part(seed):
    graph = random_graph(np.random.default_rng([3, seed]), [Kind.CUSTOM, Kind.XOR, Kind.PAIR])
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        best = -np.inf
    try:
        found = admm(graph)
    except InfeasibleError:
        assert best == -np.inf
        return
    assert found.value <= best + 1e-9
    assert found.upper_bound >= best - 1e-9 * max(1.0, abs(best))
    if found.status is Status.OPTIMAL:
        assert close(found.value, best, 1e-5)


def test_errors_of_a_custom_factor_reach_the_caller():
    graph = FactorGraph()
    graph.custom(graph.variables([1.0, 2.0]), lambda scores: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        admm(graph)


# Warm start


def test_a_warm_start_gives_the_same_bound_in_fewer_rounds():
    rng = np.random.default_rng(5)
    warm_rounds = cold_rounds = 0
    for seed in feasible_seeds(FEW):
        graph = mixed_graph(seed)[0].copy()
        first = admm(graph)
        graph.set_scores(graph.scores + 0.05 * rng.normal(size=len(graph)))
        warm, cold = admm(graph, warm_start=first), admm(graph)
        assert close(warm.upper_bound, optima(graph).relaxation), seed
        assert close(warm.upper_bound, cold.upper_bound), seed
        warm_rounds += warm.iterations
        cold_rounds += cold.iterations
    assert warm_rounds <= cold_rounds


def test_a_warm_start_takes_changed_evidence():
    for seed in feasible_seeds(FEW):
        graph = mixed_graph(seed)[0].copy()
        first = admm(graph)
        variable = int(np.flatnonzero(graph.evidence < 0)[0])
        graph.fix(variable, bool(first.relaxed[variable] < 0.5) and graph.scores[variable] > -50)
        best = optima(graph).relaxation
        if best == -np.inf:
            with pytest.raises(InfeasibleError):
                admm(graph, warm_start=first)
        else:
            assert close(admm(graph, warm_start=first).upper_bound, best), seed


def test_a_warm_start_may_be_freed_of_evidence():
    graph = odd_ring(6)
    graph.fix([0, 3])
    first = admm(graph)
    assert first.value == 2.0
    graph.unfix()
    again = admm(graph, warm_start=first)
    assert again.status is Status.OPTIMAL
    assert again.value == 3.0


def test_a_warm_start_has_to_fit():
    graph = odd_ring()
    with pytest.raises(InputError, match="warm_start: expected a solution of admm"):
        admm(graph, warm_start=brute_force(graph))
    with pytest.raises(InputError, match=r"warm_start.*5 variables, 10 links.*got 3 var"):
        admm(graph, warm_start=admm(odd_ring(3)))
    more = odd_ring()
    more.pair(0, 2, 1.0)
    with pytest.raises(InputError, match=r"warm_start.*got 5 variables, 12 links"):
        admm(graph, warm_start=admm(more))


# Limits, trace, options


def test_the_trace_has_a_row_a_round_and_the_bound_only_falls():
    for seed in feasible_seeds(FEW):
        found = admm(mixed_graph(seed)[0], trace=True)
        rows = found.trace
        assert rows.iteration.tolist() == list(range(1, found.iterations + 1))
        for name in rows.__slots__:
            assert getattr(rows, name).shape == (found.iterations,), name
        assert (np.diff(rows.upper_bound) <= 0).all()
        assert (rows.value[1:] >= rows.value[:-1]).all()
        assert (rows.primal_residual >= 0).all()
        assert (rows.dual_residual >= 0).all()
        assert ((rows.active >= 0) & (rows.active <= 1)).all()
        for name in ("moving_variables", "moving_factors", "moving_links"):
            assert ((getattr(rows, name) >= 0) & (getattr(rows, name) <= 1)).all(), name
        assert rows.value[-1] == found.value
    assert admm(odd_ring()).trace is None


@pytest.mark.parametrize("rounds", [0, 1])
def test_few_rounds_end_at_the_limit(rounds):
    for seed in feasible_seeds(10):
        graph, best = mixed_graph(seed)
        found = admm(graph, max_iterations=rounds, trace=True)
        assert found.iterations <= max(rounds, 1)
        assert found.upper_bound >= best.exact - 1e-9 * max(1.0, abs(best.exact))
        assert found.value <= found.upper_bound + 1e-9
    found = admm(hard_grid(), max_iterations=rounds)
    assert found.status is Status.LIMIT


def test_time_limits_end_a_run():
    grid = hard_grid(side=40)
    at_once = admm(grid, max_iterations=10**6, time_limit_seconds=0)
    assert at_once.status is Status.LIMIT
    soon = admm(
        grid, max_iterations=10**6, residual_threshold=1e-300, tolerance=1e-300,
        time_limit_seconds=0.05,
    )  # fmt: skip
    assert soon.status is Status.LIMIT
    assert soon.seconds < 5
    assert soon.upper_bound <= at_once.upper_bound


def test_control_c_ends_a_run():
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        admm(hard_grid(), max_iterations=10**9, residual_threshold=1e-300, tolerance=1e-300)


def test_the_threshold_decides_when_the_relaxation_counts_as_solved():
    rough = admm(hard_grid(), residual_threshold=1e-2, trace=True)
    fine = admm(hard_grid(), residual_threshold=1e-5, max_iterations=20_000, trace=True)
    assert rough.status is fine.status is Status.RELAXED
    assert rough.iterations < fine.iterations
    for found, threshold in [(rough, 1e-2), (fine, 1e-5)]:
        assert found.trace.primal_residual[-1] < threshold
        assert found.trace.dual_residual[-1] < threshold


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"max_iterations": -1}, "max_iterations"),
        ({"max_iterations": 1.5}, "max_iterations"),
        ({"residual_threshold": 0.0}, "residual_threshold"),
        ({"penalty": -0.1}, "penalty"),
        ({"penalty": float("nan")}, "penalty"),
        ({"step": 0.0}, "step"),
        ({"step": 2.0}, "step"),
        ({"tolerance": -1e-6}, "tolerance"),
        ({"time_limit_seconds": -1}, "time_limit_seconds"),
    ],
    ids=str,
)
def test_wrong_options_are_named(options, word):
    with pytest.raises(InputError, match=word):
        admm(odd_ring(), **options)
