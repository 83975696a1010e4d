"""Belief propagation against enumeration, and the Bethe entropy against the paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import ALL_KINDS, graphs, single_factor_graph
from oracles.interrupting import interrupted_soon
from oracles.tree_graphs import tree_graphs

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import (
    FactorGraph,
    Kind,
    Status,
    belief_propagation,
    bethe_entropy,
    brute_force,
    brute_force_marginals,
    max_product,
    sum_product,
)

SCHEDULES = ["flooding", "sequential", "residual"]


def two_word_flow_graph() -> FactorGraph:
    """The trees over two words by flows, with all scores 0 (2010, appendix B, Table 5)."""
    graph = FactorGraph()
    arc01, arc02, arc12, arc21 = graph.variables(np.zeros(4))
    flow012, flow021, path12, path21 = graph.variables(np.zeros(4))
    graph.exactly_one([arc01, arc21])  # single parent
    graph.exactly_one([arc02, arc12])
    graph.implies(flow012, arc01)  # flow implies arc
    graph.implies(flow021, arc02)
    graph.exactly_one([flow012, ~path12])  # path builder
    graph.exactly_one([flow021, ~path21])
    graph.exactly_one([arc01, flow021])  # flow delta
    graph.exactly_one([arc02, flow012])
    graph.exactly_one([arc12, ~path12])
    graph.exactly_one([arc21, ~path21])
    return graph


def attractive_graph(seed: int, variables: int = 8, pairs: int = 14) -> FactorGraph:
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=variables))
    for _ in range(pairs):
        graph.pair(*rng.permutation(xs)[:2], rng.exponential())
    return graph


def test_the_flow_graph_has_the_papers_bethe_entropy_at_the_true_marginals():
    graph = two_word_flow_graph()
    exact = brute_force_marginals(graph)
    third = [1 / 3] * 6
    np.testing.assert_allclose(exact.probabilities, [2 / 3, 2 / 3, *third], atol=1e-12)
    assert exact.entropy == pytest.approx(math.log(3), abs=1e-12)
    binary = -(1 / 3) * math.log(1 / 3) - (2 / 3) * math.log(2 / 3)
    golden = -4 * binary + 2 * math.log(3)
    assert golden == pytest.approx(-0.3488, abs=5e-5)
    assert bethe_entropy(graph, exact.probabilities) == pytest.approx(golden, abs=1e-9)


@pytest.mark.parametrize("schedule", SCHEDULES)
@settings(max_examples=60, deadline=None)
@given(tree_graphs(ALL_KINDS))
def test_sum_product_is_exact_on_trees(schedule, graph):
    try:
        exact = brute_force_marginals(graph)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            sum_product(graph, schedule=schedule)
        return
    found = sum_product(graph, schedule=schedule)
    assert found.converged
    np.testing.assert_allclose(found.probabilities, exact.probabilities, rtol=0, atol=1e-8)
    assert found.log_partition == pytest.approx(exact.log_partition, abs=1e-8)
    assert found.entropy == pytest.approx(exact.entropy, abs=1e-8)


@settings(max_examples=150, deadline=None)
@given(tree_graphs(ALL_KINDS))
def test_probabilities_of_the_factors_own_parts_are_exact_on_trees(graph):
    try:
        exact = brute_force_marginals(graph, factors=True)
    except InfeasibleError:
        return
    found = graph.marginals("belief_propagation", factors=True)
    assert [len(own) for own in found.factor_marginals] == [len(b.scores) for b in graph.blocks]
    for ours, truth in zip(found.factor_marginals, exact.factor_marginals, strict=True):
        np.testing.assert_allclose(ours, truth, rtol=0, atol=1e-8)


def test_probabilities_of_parts_are_derivatives_of_the_bethe_log_partition():
    """Also on loopy graphs, at a fixed point of the messages."""
    rng = np.random.default_rng(3)
    scores, pairs = rng.normal(size=5), [(a, b) for a in range(5) for b in range(a)]
    strengths = rng.normal(scale=0.5, size=len(pairs))

    def solved(strengths):
        graph = FactorGraph()
        xs = graph.variables(scores)
        for (a, b), strength in zip(pairs, strengths, strict=True):
            graph.pair(xs[a], ~xs[b], strength)
        found = sum_product(graph, tolerance=1e-12, factors=True)
        assert found.converged
        return found

    (found,) = solved(strengths).factor_marginals
    step = 1e-5
    for place in range(len(pairs)):
        change = step * (np.arange(len(pairs)) == place)
        high, low = solved(strengths + change), solved(strengths - change)
        slope = (high.log_partition - low.log_partition) / (2 * step)
        assert found[place] == pytest.approx(slope, abs=1e-8)


def test_probabilities_of_parts_are_given_only_when_asked_for():
    graph = FactorGraph()
    assert graph.marginals(factors=True).factor_marginals == ()
    a, b = graph.variables([0.0, 0.0])
    graph.exactly_one([a, b])
    graph.pair(a, b, 1.0)
    assert graph.marginals().factor_marginals is None
    assert graph.marginals("brute_force").factor_marginals is None
    assert graph.marginals().to_dict()["factor_marginals"] is None
    for solver in ("belief_propagation", "brute_force"):
        found = graph.marginals(solver, factors=True)
        assert found.factor_marginals[0].size == 0
        assert found.to_dict()["factor_marginals"][1] == found.factor_marginals[1].tolist()
    with pytest.raises(InputError, match="factors"):
        graph.marginals(factors="yes")


@pytest.mark.parametrize("schedule", SCHEDULES)
@settings(max_examples=60, deadline=None)
@given(tree_graphs(ALL_KINDS))
def test_max_product_is_proven_optimal_on_trees(schedule, graph):
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            max_product(graph, schedule=schedule)
        return
    found = max_product(graph, schedule=schedule)
    assert found.status is Status.OPTIMAL
    assert found.value == pytest.approx(best, abs=1e-8)
    assert graph.value(found.values) == pytest.approx(best, abs=1e-8)
    assert found.upper_bound >= best - 1e-8


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_one_factor_alone_takes_a_few_rounds(kind):
    for seed in range(10):
        graph = single_factor_graph(np.random.default_rng([kind, seed]), kind)
        try:
            exact = brute_force_marginals(graph)
        except InfeasibleError:
            continue
        found = sum_product(graph)
        assert found.iterations <= 3
        np.testing.assert_allclose(found.probabilities, exact.probabilities, rtol=0, atol=1e-9)
        assert bethe_entropy(graph, exact.probabilities) == pytest.approx(exact.entropy, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_max_product_never_claims_too_much(graph):
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        best = -np.inf
    try:
        found = max_product(graph, max_iterations=50)
    except InfeasibleError:
        assert best == -np.inf
        return
    assert found.upper_bound >= best - 1e-7
    assert found.value <= best + 1e-7
    if found.status is Status.OPTIMAL:
        assert found.value == pytest.approx(best, abs=1e-5)
    if found.values is not None:
        assert graph.value(found.values) == pytest.approx(found.value, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_sum_product_calls_no_feasible_graph_infeasible(graph):
    try:
        found = sum_product(graph, max_iterations=50)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            brute_force(graph)
        return
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
    assert np.isfinite(found.log_partition)
    assert np.isfinite(found.entropy)


@pytest.mark.parametrize("seed", range(20))
def test_attractive_pairs_bound_the_partition_from_below(seed):
    # The Bethe partition of a log-supermodular model is never above the true one (Ruozzi 2012).
    graph = attractive_graph(seed)
    found = sum_product(graph, max_iterations=2000)
    assert found.converged
    assert found.log_partition <= brute_force_marginals(graph).log_partition + 1e-8


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_schedules_and_damping_share_the_fixed_point(schedule, damping):
    rng = np.random.default_rng(5)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=(6, 7)))
    graph.pair(xs[:, :-1].ravel(), ~xs[:, 1:].ravel(), rng.normal(scale=0.3, size=36))
    graph.pair(xs[:-1].ravel(), xs[1:].ravel(), rng.normal(scale=0.3, size=35))
    graph.fix(xs[2, 3])
    first = sum_product(graph)
    other = sum_product(graph, schedule=schedule, damping=damping, max_iterations=1000)
    assert first.converged
    assert other.converged
    np.testing.assert_allclose(first.probabilities, other.probabilities, rtol=0, atol=1e-7)
    assert first.log_partition == pytest.approx(other.log_partition, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 30.0, 900.0]))
def test_many_pairs_at_once_give_what_enumeration_gives(seed, scale):
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=10) * scale)
    above = np.array([rng.integers(child) for child in range(1, 10)])
    signs = rng.random(9) < 0.3
    graph.pair(np.where(signs, ~xs[above], xs[above]), xs[1:], rng.normal(size=9) * scale)
    exact = brute_force_marginals(graph)
    found = sum_product(graph)
    np.testing.assert_allclose(found.probabilities, exact.probabilities, rtol=0, atol=1e-9)
    assert found.log_partition == pytest.approx(exact.log_partition, abs=1e-9 * scale)


def test_fixed_and_forbidden_variables_are_exactly_certain():
    graph = FactorGraph()
    a, b, c, d = graph.variables([1.0, -np.inf, 2.0, 0.5])
    graph.exactly_one([a, b, c])
    graph.pair(c, d, 3.0)
    graph.fix(a, False)
    found = sum_product(graph)
    assert found.probabilities[[a, b, c]].tolist() == [0.0, 0.0, 1.0]
    assert found.probabilities[d] == pytest.approx(1 / (1 + math.exp(-3.5)), abs=1e-12)
    assert found.log_partition == pytest.approx(2 + math.log1p(math.exp(3.5)), abs=1e-9)


def test_contradictions_name_a_factor():
    graph = FactorGraph()
    a, b, c = graph.variables([0.0, 0.0, 0.0], names="abc")
    graph.exactly_one([a, b])
    graph.exactly_one([b, c])
    graph.fix([a, ~c])
    for solver in (sum_product, max_product):
        with pytest.raises(InfeasibleError, match=r"exactly_one\(.*\) cannot hold"):
            solver(graph)
    graph.unfix()
    graph.exactly_one([a])
    graph.exactly_one([c])
    assert sum_product(graph).probabilities.tolist() == [1.0, 0.0, 1.0]
    graph.exactly_one([b])
    for solver in (sum_product, max_product):
        with pytest.raises(InfeasibleError, match="cannot hold"):
            solver(graph)


def test_ties_are_decoded_to_one_allowed_assignment():
    graph = FactorGraph()
    xs = graph.variables(np.zeros((3, 3)))
    for row in xs:
        graph.exactly_one(row)
    graph.exactly_one([~xs[0, 0], xs[1, 0], xs[2, 0]])
    found = max_product(graph)
    assert found.status is Status.OPTIMAL
    assert found.value == 0.0
    assert graph.violations(found.values) == []


def test_variables_without_factors_and_empty_graphs_are_fine():
    assert sum_product(FactorGraph()).log_partition == 0.0
    assert max_product(FactorGraph()).status is Status.OPTIMAL
    graph = FactorGraph()
    graph.variables([0.0, 2.0, -3.0])
    found = sum_product(graph)
    np.testing.assert_allclose(found.probabilities, 1 / (1 + np.exp([0.0, -2.0, 3.0])))
    assert found.entropy == pytest.approx(brute_force_marginals(graph).entropy)
    assert max_product(graph).values.tolist() == [False, True, False]


def test_limits_end_the_run_unconverged():
    graph = attractive_graph(0)
    none = sum_product(graph, max_iterations=0)
    assert (none.converged, none.iterations) == (False, 0)
    np.testing.assert_allclose(none.probabilities, 1 / (1 + np.exp(-graph.scores)))
    short = sum_product(graph, time_limit_seconds=0.0)
    assert (short.converged, short.iterations) == (False, 0)
    assert max_product(graph, max_iterations=1).iterations == 1


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_trace_has_a_row_a_round(schedule):
    graph = attractive_graph(1)
    sums = sum_product(graph, schedule=schedule, trace=True)
    assert len(sums.trace) == sums.iterations
    assert sums.trace.primal_residual[-1] <= 1e-8
    maxima = max_product(graph, schedule=schedule, trace=True)
    assert len(maxima.trace) == maxima.iterations
    assert (np.diff(maxima.trace.upper_bound) <= 0).all()
    assert maxima.trace.upper_bound[-1] == maxima.upper_bound
    assert sum_product(graph).trace is None


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_control_c_ends_a_run(schedule):
    graph = two_word_flow_graph()
    options = {"schedule": schedule, "tolerance": 0.0, "max_iterations": 10**9}
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        sum_product(graph, **options)


def test_custom_factors_are_for_maxima_only():
    graph = FactorGraph()
    graph.custom(graph.variables([1.0, -3.0]), lambda scores: np.full(2, scores.sum() > 0))
    with pytest.raises(InputError, match="custom"):
        sum_product(graph)
    with pytest.raises(InputError, match="custom"):
        bethe_entropy(graph, [0.5, 0.5])
    assert max_product(graph).values.tolist() == [False, False]


def test_wrong_options_are_named():
    graph = attractive_graph(0)
    for options, word in [
        ({"mode": "mean"}, "mode"),
        ({"schedule": "random"}, "schedule"),
        ({"damping": 1.0}, "damping"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"max_iterations": -1}, "max_iterations"),
        ({"time_limit_seconds": "soon"}, "time_limit_seconds"),
    ]:
        with pytest.raises(InputError, match=word):
            belief_propagation(graph, **options)


def test_the_graphs_methods_find_the_solvers():
    graph = attractive_graph(0)
    assert graph.marginals().log_partition == sum_product(graph).log_partition
    assert graph.solve("max_product").value == max_product(graph).value
    assert belief_propagation(graph, mode="max").value == max_product(graph).value


def test_the_entropy_of_given_probabilities_needs_a_distribution():
    graph = FactorGraph()
    a, b = graph.variables([0.0, 0.0], names="ab")
    graph.implies(a, b)
    assert bethe_entropy(graph, [0.5, 0.5]) == pytest.approx(math.log(2), abs=1e-6)
    assert bethe_entropy(graph, [0.0, 1.0]) == pytest.approx(0.0, abs=1e-9)
    assert bethe_entropy(graph) == pytest.approx(math.log(3), abs=1e-9)
    with pytest.raises(InputError, match=r"implies\(a, b\) has no belief"):
        bethe_entropy(graph, [0.5, 0.4])
    with pytest.raises(InputError, match="shape"):
        bethe_entropy(graph, [0.5])
    with pytest.raises(InputError, match="between 0 and 1"):
        bethe_entropy(graph, [0.5, np.nan])


@settings(max_examples=30, deadline=None)
@given(tree_graphs([Kind.XOR, Kind.PAIR, Kind.DENSE, Kind.TREE]))
def test_the_bethe_entropy_of_trees_is_their_entropy(graph):
    try:
        exact = brute_force_marginals(graph)
    except InfeasibleError:
        return
    assert bethe_entropy(graph, exact.probabilities) == pytest.approx(exact.entropy, abs=1e-6)
