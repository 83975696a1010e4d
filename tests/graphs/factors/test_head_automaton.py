from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from oracles.factor_strategies import factor_scores
from oracles.factor_suites import ScoredFactorSuite
from oracles.factors import (
    OneFactor,
    Own,
    Used,
)

HEAD_AUTOMATON = 13


def own_score(matrix: list[float], modifiers: int) -> Own:
    """Walk from the start over the chosen modifiers to the stop."""
    table = np.reshape(matrix, (modifiers + 1, modifiers + 1))

    def own(assignment: tuple[int, ...]) -> float:
        stops = [k for k, bit in enumerate(assignment) if bit] + [modifiers]
        rows = [0] + [k + 1 for k in stops[:-1]]
        return float(table[rows, stops].sum())

    return own


def used_scores(modifiers: int) -> Used:
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


class TestHeadAutomaton(ScoredFactorSuite):
    cases = automata()

    def used(self, factor: OneFactor) -> Used:
        return used_scores(factor.links)


def test_scores_that_are_no_square_are_refused() -> None:
    with pytest.raises(ValueError, match="siblings"):
        OneFactor(HEAD_AUTOMATON, 2, scores=[0.0] * 8).graph()
