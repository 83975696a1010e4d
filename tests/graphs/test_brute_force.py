"""Enumeration against sums written out in plain Python."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.graphs import ALL_KINDS, graphs
from oracles.interrupting import interrupted_soon

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Kind, Status, brute_force, brute_force_marginals


def _every(graph):
    return [
        (values, graph.value(values)) for values in itertools.product((0, 1), repeat=len(graph))
    ]


@settings(max_examples=15, deadline=None)
@given(graphs(kinds=[*ALL_KINDS, Kind.CUSTOM]))
def test_the_best_and_the_sums_are_those_of_all_assignments(graph):
    scored = [(values, score) for values, score in _every(graph) if score > -math.inf]
    if not scored:
        with pytest.raises(InfeasibleError):
            brute_force(graph)
        with pytest.raises(InfeasibleError):
            brute_force_marginals(graph)
        return
    solution = brute_force(graph)
    assert solution.value == pytest.approx(max(score for _, score in scored))
    assert graph.value(solution.values) == pytest.approx(solution.value)
    assert (solution.status, solution.gap) == (Status.OPTIMAL, 0.0)

    total = sum(math.exp(score) for _, score in scored)
    weights = [math.exp(score) / total for _, score in scored]
    found = brute_force_marginals(graph)
    assert found.log_partition == pytest.approx(math.log(total), abs=1e-9)
    assert found.entropy == pytest.approx(-sum(p * math.log(p) for p in weights), abs=1e-9)
    expected = np.array(weights) @ np.array([values for values, _ in scored])
    assert found.probabilities == pytest.approx(expected, abs=1e-9)


def test_many_chunks_are_as_one():
    # 15 independent variables: probabilities are logistic, the best takes the positive scores.
    scores = np.linspace(-3, 4, 15)
    graph = FactorGraph()
    graph.variables(scores)
    solution = brute_force(graph, trace=True)
    assert solution.iterations == 4
    assert solution.values.tolist() == (scores > 0).tolist()
    assert np.all(np.diff(solution.trace.value) >= 0)
    found = brute_force_marginals(graph)
    assert found.probabilities == pytest.approx(1 / (1 + np.exp(-scores)))
    assert found.log_partition == pytest.approx(np.log1p(np.exp(scores)).sum())


def test_large_scores_do_not_overflow():
    graph = FactorGraph()
    graph.exactly_one(graph.variables([1e5, 1e5, -1e5]))
    found = brute_force_marginals(graph)
    assert found.probabilities.tolist() == [0.5, 0.5, 0.0]
    assert found.log_partition == pytest.approx(1e5 + math.log(2), abs=1e-9)


def test_fixed_and_forbidden_variables_cost_nothing():
    graph = FactorGraph()
    graph.variables([1.0] * 20 + [-np.inf] * 20 + [1.0] * 3)
    graph.fix(np.arange(20))
    solution = brute_force(graph, max_variables=3)
    assert solution.value == 23.0
    with pytest.raises(InputError, match=r"max_variables.* 3"):
        brute_force(graph, max_variables=2)


def test_a_time_limit_of_nothing_stops_at_once():
    graph = FactorGraph()
    graph.variables([1.0])
    solution = brute_force(graph, time_limit_seconds=0)
    assert (solution.status, solution.values) == (Status.LIMIT, None)
    assert (solution.value, solution.upper_bound) == (-math.inf, math.inf)
    with pytest.raises(InputError, match="time_limit_seconds"):
        brute_force(graph, time_limit_seconds=-1)


@pytest.mark.parametrize("solve", [brute_force, brute_force_marginals])
def test_ctrl_c_ends_the_search(solve):
    graph = FactorGraph()
    graph.at_most(graph.variables(np.ones(24)), 12)
    started = time.perf_counter()
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        solve(graph)
    assert time.perf_counter() - started < 3.0


def test_probabilities_lie_between_zero_and_one():
    # True in every assignment that counts, so that the sum of the parts may be rounded upwards.
    for seed in range(200):
        graph = FactorGraph()
        scores = np.random.default_rng(seed).normal(size=8)
        xs = graph.variables(scores)
        graph.at_least_one(xs[:1])
        probabilities = brute_force_marginals(graph).probabilities
        assert ((probabilities >= 0) & (probabilities <= 1)).all()
        assert probabilities[0] == pytest.approx(1.0, abs=1e-12)


def test_an_empty_graph_has_one_assignment():
    graph = FactorGraph()
    assert brute_force(graph).value == 0.0
    assert brute_force_marginals(graph).log_partition == 0.0


def test_infeasible_evidence_is_named():
    graph = FactorGraph()
    graph.fix(graph.variables([-np.inf], names=["rain"]))
    with pytest.raises(InfeasibleError, match="rain"):
        brute_force(graph)


def test_solutions_become_plain_values():
    graph = FactorGraph()
    graph.exactly_one(graph.variables([1.0, 2.0]))
    plain = graph.solve("brute_force", trace=True).to_dict()
    assert plain["status"] == "optimal"
    assert plain["values"] == [False, True]
    assert plain["trace"]["value"] == [2.0]
    assert plain["trace"]["primal_residual"] == [None]
    assert graph.marginals("brute_force").to_dict()["converged"] is True
    assert "gap 0, 1 of 2 variables true" in str(graph.solve("brute_force"))
