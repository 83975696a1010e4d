"""Solvers one after another: the best of both, and proofs that are proofs."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.graphs import graphs

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Solution, Status, brute_force
from turbotree.graphs.solvers.anytime import better, solve_anytime
from turbotree.graphs.solvers.branch_and_bound import prepare
from turbotree.graphs.solvers.native import Prepared
from turbotree.interrupts import Stop, best_on_interrupt, best_so_far


@given(graphs(), st.sampled_from([None, 0.0, 0.3]))
def test_the_answer_is_that_of_enumeration(graph: FactorGraph, gap: float | None) -> None:
    seen: list[Solution] = []
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            solve_anytime(graph)
        return
    found = solve_anytime(graph, gap=gap, report=seen.append)
    slack = 1e-6 * max(1.0, abs(best))
    assert found.values is not None
    assert found.value == pytest.approx(graph.value(found.values), abs=1e-9)
    assert found.value <= best + slack
    assert found.upper_bound >= best - slack
    if found.status is Status.OPTIMAL:
        assert found.value >= best - 10 * slack
    else:
        assert gap == 0.3
        size = max(1.0, abs(found.upper_bound))
        assert found.gap <= 0.3 * size * 2
    for one, other in zip(seen, [*seen[1:], found], strict=True):
        assert one.value <= other.value
        assert one.upper_bound >= other.upper_bound


def hard_graph() -> FactorGraph:
    rng = np.random.default_rng(1)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=60))
    first, second = np.triu_indices(60, 1)
    graph.pair(xs[first], xs[second], rng.normal(size=len(first)))
    return graph


def test_a_limit_leaves_values_and_a_bound() -> None:
    graph = hard_graph()
    found = solve_anytime(graph, time_limit_seconds=0.2)
    assert found.values is not None
    assert found.value == pytest.approx(graph.value(found.values))
    assert found.value <= found.upper_bound < np.inf


def test_enough_is_enough() -> None:
    stop = Stop()
    with best_so_far(stop):
        found = solve_anytime(hard_graph(), report=lambda _: stop.set())
    assert found.status is Status.LIMIT
    assert found.values is not None


def prepared(time_limit_seconds: float) -> Prepared:
    return prepare(
        max_nodes=10**6,
        max_rounds_per_node=100,
        tolerance=1e-6,
        time_limit_seconds=time_limit_seconds,
        trace=False,
    )


def test_search_reports_what_it_knows() -> None:
    graph = hard_graph()
    seen: list[Solution] = []
    found = prepared(1.5).solve(graph, seen.append)
    assert seen or found.status is Status.OPTIMAL
    for one, other in zip(seen, [*seen[1:], found], strict=True):
        assert one.value <= other.value
        assert one.upper_bound >= other.upper_bound
        assert one.values is not None
        assert one.value == pytest.approx(graph.value(one.values))


def test_an_error_of_a_report_is_raised() -> None:
    def report(solution: Solution) -> None:
        raise ValueError("enough of it")

    with pytest.raises(ValueError, match="enough of it"):
        prepared(60.0).solve(hard_graph(), report)


@pytest.mark.parametrize("solver", ["auto", "branch_and_bound"])
def test_nodes_are_a_limit_too(solver: str) -> None:
    graph = hard_graph()
    found = solve_anytime(graph, solver=solver, max_nodes=2)
    assert found.status is Status.LIMIT
    assert found.values is not None
    assert found.value == pytest.approx(graph.value(found.values))
    assert found.value <= found.upper_bound < np.inf
    with pytest.raises(InputError, match="unknown option 'max_nodes'"):
        solve_anytime(graph, solver="admm", max_nodes=2)


def test_the_first_interrupt_gives_the_best_so_far_and_the_second_raises() -> None:
    graph = hard_graph()
    with best_on_interrupt() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        found = graph.solve("branch_and_bound")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert found.status is Status.LIMIT
    assert found.values is not None
    assert found.value == pytest.approx(graph.value(found.values))
    assert found.value <= found.upper_bound < np.inf
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_programs_own_stays() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with best_on_interrupt() as stop:
            signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT]
        assert not stop.is_set()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_proof_of_one_is_a_proof_of_both() -> None:
    values = np.array([True])
    early = Solution(values, 2.0, 5.0, Status.RELAXED, 7, 0.5)
    late = Solution(values, 2.0, 2.0, Status.OPTIMAL, 3, 0.25)
    joined = better(early, late)
    assert (joined.status, joined.upper_bound, joined.iterations) == (Status.OPTIMAL, 2.0, 10)


def test_other_solvers_are_called_by_name() -> None:
    graph = FactorGraph()
    graph.at_most_one(graph.variables([1.0, 2.0]))
    for solver in ("admm", "brute_force", "linear_program", "branch_and_bound", "subgradient"):
        found = solve_anytime(graph, solver=solver, time_limit_seconds=60, gap=0.001)
        assert found.value == pytest.approx(2.0)
    with pytest.raises(InputError, match="unknown solver 'magic'"):
        solve_anytime(graph, solver="magic")
    with pytest.raises(InputError, match="gap: expected a number from 0"):
        solve_anytime(graph, gap=2.0)
