from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factors import (
    OneFactor,
    Own,
    Used,
    check_expectations,
    check_functions,
    check_projection,
)

from .strategies import factor_scores, pushed, scales, scores, targets

HEAD_AUTOMATON = 13


def own_score(matrix: list[float], modifiers: int) -> Own:
    """Walk from the start over the chosen modifiers to the stop."""
    table = np.reshape(matrix, (modifiers + 1, modifiers + 1))

    def own(assignment: tuple[int, ...]) -> float:
        stops = [k for k, bit in enumerate(assignment) if bit] + [modifiers]
        rows = [0] + [k + 1 for k in stops[:-1]]
        return float(table[rows, stops].sum())

    return own


def used_extras(modifiers: int) -> Used:
    """The cells on the walk."""

    def used(assignment: tuple[int, ...]) -> list[int]:
        stops = [k for k, bit in enumerate(assignment) if bit] + [modifiers]
        rows = [0] + [k + 1 for k in stops[:-1]]
        return [row * (modifiers + 1) + stop for row, stop in zip(rows, stops, strict=True)]

    return used


@st.composite
def automata(draw: st.DrawFn) -> tuple[OneFactor, Own]:
    modifiers = draw(st.integers(1, 6))
    matrix = draw(factor_scores((modifiers + 1) ** 2))
    matrix[modifiers] = max(matrix[modifiers], -3.0)  # no modifier at all is always allowed
    factor = OneFactor(HEAD_AUTOMATON, modifiers, scores=matrix)
    return factor, own_score(matrix, modifiers)


@given(automaton=automata(), data=st.data())
def test_functions_equal_enumeration(automaton: tuple[OneFactor, Own], data: st.DataObject) -> None:
    factor, own = automaton
    check_functions(factor, own, data.draw(scores(factor.links)))


@settings(max_examples=40)
@given(automaton=automata(), data=st.data())
def test_messages_are_exact_beside_a_score_of_a_fixed_link(
    automaton: tuple[OneFactor, Own], data: st.DataObject
) -> None:
    factor, own = automaton
    check_functions(factor, own, data.draw(pushed(factor.links)))


@given(automaton=automata(), data=st.data())
def test_expectations_equal_enumeration(
    automaton: tuple[OneFactor, Own], data: st.DataObject
) -> None:
    factor, own = automaton
    values = data.draw(st.one_of(scores(factor.links), pushed(factor.links)))
    check_expectations(factor, own, used_extras(factor.links), values)


@given(automaton=automata(), scale=scales, data=st.data())
def test_projection_equals_a_general_solver(
    automaton: tuple[OneFactor, Own], scale: float, data: st.DataObject
) -> None:
    factor, own = automaton
    check_projection(factor, own, data.draw(targets(factor.links)), scale)


def test_scores_that_are_no_square_are_refused() -> None:
    with pytest.raises(ValueError, match="siblings"):
        OneFactor(HEAD_AUTOMATON, 2, scores=[0.0] * 8).graph()
