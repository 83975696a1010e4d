"""The preset subgradient2011 against the algorithm of the paper, written out literally."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import feasible_graph
from oracles.subgradient2011 import run

from turbotree.errors import InputError
from turbotree.graphs import FactorGraph, Kind, Status, solve_many, subgradient
from turbotree.graphs.solvers.trial_steps import TRIAL_ROUNDS, steps_to_try

ROUNDS = 50
KINDS = (Kind.XOR, Kind.OR, Kind.OR_OUT, Kind.PAIR, Kind.TREE, Kind.HEAD_AUTOMATON)


def small_graph(seed):
    return feasible_graph(np.random.default_rng(seed), KINDS, forbidden=0.0, evidence=0.0)


def literal(graph, **options):
    return subgradient(graph, literal=True, projected=True, **options)


def until_tied(records):
    return next((k for k, one in enumerate(records) if one.tied), len(records))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.1, 0.5, 2.0]))
def test_the_rounds_are_those_of_the_paper(seed, eta):
    graph = small_graph(seed)
    records = run(graph, ROUNDS, eta)
    count = until_tied(records)
    if count == 0:
        return
    found = literal(graph, step=eta, max_iterations=count, trace=True)
    assert found.iterations == count
    lowest = np.minimum.accumulate([one.dual for one in records[:count]])
    np.testing.assert_allclose(found.trace.upper_bound, lowest, rtol=0, atol=1e-9)
    assert (found.status is Status.OPTIMAL) == records[count - 1].agreed
    variables = np.concatenate([block.variables for block in graph.blocks])
    degrees = np.maximum(1, np.bincount(variables, minlength=len(graph)))
    for k in sorted({1, 3, 10, count} & set(range(count + 1))):
        state = literal(graph, step=eta, max_iterations=k).warm_start
        signs = 1.0 - 2.0 * np.concatenate([block.negated for block in graph.blocks])
        lambdas = signs * state.link_scores - (graph.scores / degrees)[variables]
        expected = np.concatenate(records[k - 1].lambdas)
        np.testing.assert_allclose(lambdas, expected, rtol=0, atol=1e-9)


def test_the_trial_takes_the_step_that_lowers_the_dual_most_in_20_rounds():
    compared = 0
    for seed in range(400):
        if compared == 8:
            break
        graph = small_graph(seed)
        trials = {eta: run(graph, TRIAL_ROUNDS, eta) for eta in steps_to_try(graph)}
        if any(until_tied(records) < len(records) for records in trials.values()):
            continue
        lowest = {eta: min(one.dual for one in records) for eta, records in trials.items()}
        ranked = sorted(lowest.values())
        if len(ranked) > 1 and ranked[1] - ranked[0] < 1e-9:
            continue  # several are as good
        best = min(lowest, key=lowest.__getitem__)
        by_trial = graph.solve("subgradient2011", max_iterations=ROUNDS, trace=True)
        given_step = literal(graph, step=best, max_iterations=ROUNDS, trace=True)
        np.testing.assert_array_equal(by_trial.trace.upper_bound, given_step.trace.upper_bound)
        compared += 1
    assert compared == 8


def test_trials_are_the_same_in_batches_and_on_threads():
    graphs = [small_graph(seed) for seed in range(6)]
    alone = [graph.solve("subgradient2011", max_iterations=100) for graph in graphs]
    for threads in (1, 2):
        together = solve_many(graphs, "subgradient2011", threads=threads, max_iterations=100)
        assert [one.upper_bound for one in together] == [one.upper_bound for one in alone]
    assert solve_many([], "subgradient2011", threads=2) == []


def test_without_scores_any_step_will_do():
    graph = FactorGraph()
    graph.exactly_one(graph.variables([0.0, 0.0]))
    assert graph.solve("subgradient2011").value == 0.0


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"projected": True}, "expected literal=True"),
        ({"projected": 1, "literal": True}, "projected: expected True or False"),
        ({"step": "trial", "projected": True}, "expected literal=True"),
        ({"step": "guess"}, "'trial' or a number"),
        ({"step": "trial", "max_iterations": -1}, "max_iterations"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, culprit):
    graph = FactorGraph()
    graph.exactly_one(graph.variables([1.0, 2.0]))
    with pytest.raises(InputError, match=culprit):
        subgradient(graph, **options)
