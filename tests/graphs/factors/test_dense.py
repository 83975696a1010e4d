from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

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

DENSE = 11


def own_score(sizes: list[int], table: list[float]) -> Own:
    """Look an assignment up in the table."""
    array = np.reshape(table, [max(size, 2) for size in sizes])

    def own(assignment: tuple[int, ...]) -> float:
        bits, states = iter(assignment), []
        for size in sizes:
            group = list(itertools.islice(bits, size))
            if size > 1 and sum(group) != 1:
                return -np.inf
            states.append(group.index(1) if size > 1 else group[0])
        return float(array[tuple(states)])

    return own


def used_scores(sizes: Sequence[int]) -> Used:
    """The one cell of the table."""

    def used(assignment: tuple[int, ...]) -> list[int]:
        bits, place = iter(assignment), 0
        for size in sizes:
            group = list(itertools.islice(bits, size))
            place = place * max(size, 2) + (group.index(1) if size > 1 else group[0])
        return [place]

    return used


@st.composite
def tables(draw: st.DrawFn) -> tuple[OneFactor, Own]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda s: sum(s) <= 8))
    table = draw(factor_scores(math.prod(max(size, 2) for size in sizes)))
    open_entry = draw(st.integers(0, len(table) - 1))
    table[open_entry] = max(table[open_entry], -3.0)
    factor = OneFactor(DENSE, sum(sizes), scores=table, shape=sizes)
    return factor, own_score(sizes, table)


class TestDense(ScoredFactorSuite):
    cases = tables()

    def used(self, factor: OneFactor) -> Used:
        return used_scores(factor.shape or [])


@pytest.mark.parametrize(
    ("links", "scores", "shape"),
    [(0, [0.0], []), (2, [0.0] * 2, [2, 0]), (2, [0.0] * 3, [1, 1]), (3, [0.0] * 4, [1, 1])],
)
def test_arrays_that_do_not_fit_are_refused(
    links: int, scores: list[float], shape: list[int]
) -> None:
    with pytest.raises(ValueError, match="table"):
        OneFactor(DENSE, links, scores, shape).graph()
