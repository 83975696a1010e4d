"""What solvers give back, asked by literals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.graphs import FactorGraph, Marginals, Solution, Status


def solution_of(values: list[bool] | None) -> Solution:
    array = None if values is None else np.array(values, dtype=bool)
    return Solution(array, 0.0, 0.0, Status.OPTIMAL, 1, 0.0)


def marginals_of(probabilities: list[float]) -> Marginals:
    return Marginals(np.array(probabilities), 0.0, 0.0, True, 1, 0.0)


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_a_literal_has_its_variables_value_or_the_other_one(values):
    solution = solution_of(values)
    for variable, value in enumerate(values):
        assert solution[variable] is value
        assert solution[~variable] is (not value)
        assert solution[np.int64(variable)] is value
        assert solution[np.int32(~variable)] is (not value)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_a_literal_has_its_variables_probability_or_the_rest(probabilities):
    marginals = marginals_of(probabilities)
    for variable, probability in enumerate(probabilities):
        assert type(marginals[variable]) is float
        assert marginals[variable] == probability
        assert marginals[~variable] == 1 - probability


def test_arrays_of_literals_give_arrays_of_their_shape():
    graph = FactorGraph()
    xs = graph.variables([[1.0, -1.0], [-2.0, 2.0]])
    for solver in ("admm", "brute_force"):
        solution = graph.solve(solver)
        np.testing.assert_array_equal(solution[xs], [[True, False], [False, True]])
        np.testing.assert_array_equal(solution[~xs], [[False, True], [True, False]])
        assert solution[xs].dtype == bool
        assert solution[[0, ~0, 3]].tolist() == [True, False, True]
        assert solution[[]].shape == (0,)
    assert marginals_of([0.25, 0.5])[[[0], [~0]]].tolist() == [[0.25], [0.75]]


def test_the_answer_does_not_hang_on_the_solution():
    solution = solution_of([True, False])
    solution[[0, 1]][:] = False
    assert solution.values.tolist() == [True, False]


@pytest.mark.parametrize(
    ("literals", "said"),
    [
        (2, "0 to 1 or their negations, got 2"),
        (~2, "got ~2"),
        ([0, 5], "got 5"),
        (0.0, "whole numbers"),
        ("a", "whole numbers"),
        (slice(0, 1), "whole numbers"),
        ([True, False], "whole numbers"),
    ],
    ids=str,
)
def test_what_is_no_literal_is_refused(literals, said):
    for answer in (solution_of([True, False]), marginals_of([0.5, 0.5])):
        with pytest.raises(InputError, match=said):
            answer[literals]


def test_without_an_assignment_literals_have_no_values():
    with pytest.raises(InputError, match="no assignment was found"):
        solution_of(None)[0]


def test_an_answer_is_no_sequence():
    for answer in (solution_of([True]), marginals_of([0.5])):
        with pytest.raises(TypeError, match="not iterable"):
            iter(answer)
