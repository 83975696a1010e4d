from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from oracles.factor_strategies import pushed, scales, scores, targets
from oracles.factors import OneFactor, check_expectations, check_functions, check_projection

PAIR = 10


@given(score=st.floats(-10, 10), values=scores(2))
def test_functions_equal_enumeration(score: float, values: list[float]) -> None:
    check_functions(OneFactor(PAIR, 2, scores=[score]), lambda y: score * y[0] * y[1], values)


@given(score=st.floats(-10, 10), values=st.one_of(scores(2), pushed(2)))
def test_expectations_equal_enumeration(score: float, values: list[float]) -> None:
    factor = OneFactor(PAIR, 2, scores=[score])
    check_expectations(
        factor, lambda y: score * y[0] * y[1], lambda y: [0] if y == (1, 1) else [], values
    )


@given(score=st.floats(-5, 5), scale=scales, points=targets(2))
def test_projection_equals_a_general_solver(
    score: float, scale: float, points: list[list[float]]
) -> None:
    factor = OneFactor(PAIR, 2, scores=[score])
    check_projection(factor, lambda y: score * y[0] * y[1], points, scale)
