"""The preset admm2011 against the algorithm of the paper, written out literally."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.admm2011 import FIRST_PENALTY, KINDS, run
from oracles.graphs import feasible_graph

from turbotree.graphs import Status, admm

ROUNDS = 50


def small_graph(seed, constant=0.0):
    rng = np.random.default_rng(seed)
    graph = feasible_graph(rng, KINDS, forbidden=0.0, evidence=0.0)
    graph.set_scores(graph.scores + constant)
    return graph


def check_round(graph, records, k):
    """Compare the state after k rounds."""
    found = graph.solve("admm2011", max_iterations=k, residual_threshold=1e-300, trace=True)
    if any(max(one.primal, one.dual) < 1e-18 for one in records[:k]):
        return  # it stands still, and nothing but rounding decides on the penalty
    assert found.iterations == k
    expected, state = records[k - 1], found.warm_start
    linked = np.unique(np.concatenate([block.variables for block in graph.blocks]))
    signs = 1.0 - 2.0 * np.concatenate([block.negated for block in graph.blocks])
    variables = np.concatenate([block.variables for block in graph.blocks])
    theta = (graph.scores / np.maximum(1, np.bincount(variables, minlength=len(graph))))[variables]
    lambdas = signs * state.link_scores - theta
    np.testing.assert_allclose(state.consensus[linked], expected.u[linked], rtol=0, atol=1e-9)
    scale = max(1.0, expected.penalty)  # steps of multipliers are multiples of it
    np.testing.assert_allclose(lambdas, np.concatenate(expected.lambdas), rtol=0, atol=1e-9 * scale)
    assert state.penalty == expected.penalty
    for column, name in (
        (found.trace.primal_residual, "primal"),
        (found.trace.dual_residual, "dual"),
    ):
        wanted = [getattr(one, name) for one in records[:k]]
        np.testing.assert_allclose(column, wanted, rtol=0, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_the_rounds_are_those_of_the_paper(seed):
    graph = small_graph(seed)
    records = run(graph, ROUNDS)
    for k in (1, 2, 5, 20, ROUNDS):
        check_round(graph, records, k)


def test_constants_are_not_subtracted():
    """Elsewhere solvers may: where one of several scores counts, a constant of all is no choice."""
    for seed in range(5):
        graph = small_graph(seed, constant=100.0)
        check_round(graph, run(graph, ROUNDS), ROUNDS)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_it_stops_by_the_residuals_alone(seed):
    graph = small_graph(seed)
    records = run(graph, 200, threshold=1e-3)
    found = graph.solve("admm2011", max_iterations=200)
    assert found.iterations == len(records)
    if records[-1].primal < 1e-3 and records[-1].dual < 1e-3:
        assert found.status is not Status.LIMIT


def test_the_penalty_goes_both_ways():
    """So that what is compared above has been there."""
    penalties = {one.penalty for seed in range(20) for one in run(small_graph(seed), ROUNDS)}
    assert min(penalties) < FIRST_PENALTY < max(penalties)
    graph = small_graph(1)
    fixed = graph.solve("admm2011", adapt_penalty=False, max_iterations=ROUNDS)
    assert fixed.warm_start.penalty == FIRST_PENALTY


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1e-6, 1.0, 1e6]))
def test_its_bounds_and_proofs_hold_for_all_kinds_in_any_unit(seed, unit):
    graph = feasible_graph(np.random.default_rng(seed))
    graph.set_scores(unit * graph.scores)
    best = graph.solve("brute_force").value
    usual = max(1.0, abs(best))
    found = admm(graph, literal=True, max_iterations=300)
    assert found.upper_bound >= best - 1e-7 * usual
    assert found.value <= best + 1e-9 * usual
    if found.status is Status.OPTIMAL:
        assert found.value == pytest.approx(best, rel=1e-5, abs=1e-5 * usual)
