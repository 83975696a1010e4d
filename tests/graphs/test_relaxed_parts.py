"""What the relaxed solution of ADMM says of the parts that factors score by themselves."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracles.graphs import random_graph

from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Kind, Status, linear_program

SOLVED = {"max_iterations": 20000, "residual_threshold": 1e-9, "factors": True}
#: Kinds with scores of their own, and some that keep them from being whole.
KINDS = (
    Kind.PAIR,
    Kind.DENSE,
    Kind.HEAD_AUTOMATON,
    Kind.GRANDPARENT_AUTOMATON,
    Kind.TRIPLE_AUTOMATON,
    Kind.CHAIN,
    Kind.XOR,
    Kind.BUDGET,
)


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_scores_and_parts_of_a_relaxed_solution_sum_to_the_optimum_of_the_relaxation(seed):
    graph = random_graph(np.random.default_rng(seed), KINDS, factors=8, forbidden=0.0)
    try:
        expected = linear_program(graph).upper_bound
        solution = graph.solve("admm", **SOLVED)
    except InfeasibleError:
        assume(False)
    # A proven assignment stops the rounds before the factors agree with it.
    assume(solution.status is Status.RELAXED)
    parts = sum(
        float(block.scores @ often)
        for block, often in zip(graph.blocks, solution.factor_marginals, strict=True)
    )
    reached = float(graph.scores @ solution.relaxed) + parts
    assert reached == pytest.approx(expected, rel=1e-4, abs=1e-4)
    for often in solution.factor_marginals:
        assert ((often >= 0.0) & (often <= 1.0)).all()


def test_half_of_a_head_automaton_has_half_of_its_steps():
    """Two factors pull a modifier apart, so that it is there in half of the mixture."""
    graph = FactorGraph()
    first, second = graph.variables([0.0, 0.0])
    graph.siblings([first, second], [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    graph.exactly_one([first, second])
    solution = graph.solve("admm", **SOLVED)
    assert solution.relaxed == pytest.approx([0.5, 0.5], abs=1e-6)
    square = solution.factor_marginals[[b.kind for b in graph.blocks].index(Kind.HEAD_AUTOMATON)]
    # None at all, or both in a row: start to stop, start to 1, 1 to 2, 2 to stop.
    expected = [[0.5, 0.0, 0.5], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]]
    assert square.reshape(3, 3) == pytest.approx(np.array(expected), abs=1e-6)


def test_parts_are_given_only_if_asked_for():
    graph = FactorGraph()
    graph.pair(*graph.variables([1.0, 1.0]), 1.0)
    assert graph.solve("admm").factor_marginals is None
    (often,) = graph.solve("admm", factors=True).factor_marginals
    assert often == pytest.approx([1.0])
