"""What the trace of ADMM says has not converged."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph

IDLE = 1e-6  # with the usual threshold of residuals
ROUNDS = 8  # before any round skips idle factors


def on_simplex(point):
    """Project on the points that are at least 0 and sum to 1, by sorting."""
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    return np.maximum(point - excess[last], 0.0)


def textbook(scores, factors, penalty, rounds):
    """Run ADMM as the paper has it; give the shares in each round, and how near they are to a tie.

    A variable is idle if every copy of this round is the consensus of the round before.
    """
    scores = np.array(scores)
    degree = np.bincount(np.concatenate(factors), minlength=len(scores))
    consensus = np.full(len(scores), 0.5)
    shares = [scores[f] / degree[f] for f in factors]
    rows, nearest = [], np.inf
    for _ in range(rounds):
        copies = [
            on_simplex(consensus[f] + p / penalty) for f, p in zip(factors, shares, strict=True)
        ]
        before, total = consensus, np.zeros(len(scores))
        for f, z in zip(factors, copies, strict=True):
            total[f] += z
        consensus = np.where(degree > 0, total / np.maximum(degree, 1), before)
        apart = np.abs(consensus - before)
        for f, z in zip(factors, copies, strict=True):
            apart[f] = np.maximum(apart[f], np.abs(z - consensus[f]))
        shares = [
            p - penalty * (z - consensus[f])
            for f, z, p in zip(factors, copies, shares, strict=True)
        ]
        moving = apart > IDLE
        awake = [f for f in factors if moving[f].any()]
        used = degree > 0
        rows.append(
            (
                moving[used].mean(),
                len(awake) / len(factors),
                sum(map(len, awake)) / sum(map(len, factors)),
            )
        )
        positive = apart[(apart > 1e-12)]
        nearest = min(nearest, np.abs(np.log(positive / IDLE)).min(initial=np.inf))
    return rows, nearest


@st.composite
def problems(draw):
    count = draw(st.integers(2, 7))
    # Whole scores make copies agree exactly now and then.
    scores = draw(st.lists(st.integers(-3, 3).map(float), min_size=count, max_size=count))
    subsets = st.lists(st.integers(0, count - 1), min_size=1, max_size=count, unique=True)
    factors = draw(st.lists(subsets.map(np.array), min_size=1, max_size=5))
    return scores, factors


@settings(max_examples=60)
@given(problems(), st.sampled_from([0.5, 1.0, 4.0]))
def test_the_shares_that_move_are_those_of_the_textbook(problem, penalty):
    scores, factors = problem
    expected, nearest = textbook(scores, factors, penalty, ROUNDS)
    graph = FactorGraph()
    graph.variables(scores)
    for factor in factors:
        graph.exactly_one(factor)
    try:
        trace = graph.solve(
            "admm",
            trace=True,
            max_iterations=ROUNDS,
            penalty=penalty,
            adapt_penalty=False,
            step=1.0,
            extrapolate=False,
        ).trace
    except InfeasibleError:
        return
    if nearest < 0.1:  # rounding may decide
        return
    found = list(zip(trace.moving_variables, trace.moving_factors, trace.moving_links, strict=True))
    np.testing.assert_allclose(found, expected[: len(found)])


def test_a_graph_that_agrees_at_once_moves_once():
    """The projection of (0.5, 0.5) shifted by (2, -2) is (1, 0), and stays there."""
    graph = FactorGraph()
    graph.exactly_one(graph.variables([2.0, -2.0]))
    trace = graph.solve("admm", trace=True, penalty=1.0, adapt_penalty=False).trace
    assert trace.moving_variables[0] == trace.moving_factors[0] == trace.moving_links[0] == 1.0
    assert (trace.moving_variables[1:] == 0).all()


def test_other_solvers_do_not_know():
    graph = FactorGraph()
    graph.exactly_one(graph.variables([2.0, -2.0]))
    for solver in ("subgradient", "linear_program"):
        trace = graph.solve(solver, trace=True).trace
        assert len(trace) > 0
        assert np.isnan(trace.moving_links).all()
