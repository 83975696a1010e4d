from __future__ import annotations

import itertools
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

CHAIN = 15


def own_score(sizes: list[int], transitions: list[float]) -> Own:
    """Add up the transitions of a path, node by node."""

    def own(assignment: tuple[int, ...]) -> float:
        bits, path = iter(assignment), []
        for size in sizes:
            states = [s for s, bit in enumerate(itertools.islice(bits, size)) if bit]
            if len(states) != 1:
                return -np.inf
            path.append(states[0])
        total, start = 0.0, 0
        for t in range(len(sizes) - 1):
            matrix = np.reshape(
                transitions[start : start + sizes[t] * sizes[t + 1]], sizes[t : t + 2]
            )
            total += matrix[path[t], path[t + 1]]
            start += matrix.size
        return float(total)

    return own


def used_scores(sizes: Sequence[int]) -> Used:
    """The transitions of the path."""

    def used(assignment: tuple[int, ...]) -> list[int]:
        ends = list(itertools.accumulate(sizes))
        path = [
            assignment[end - size : end].index(1) for end, size in zip(ends, sizes, strict=True)
        ]
        places, start = [], 0
        for t in range(len(sizes) - 1):
            places.append(start + path[t] * sizes[t + 1] + path[t + 1])
            start += sizes[t] * sizes[t + 1]
        return places

    return used


@st.composite
def chains(draw: st.DrawFn) -> tuple[OneFactor, Own]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda s: sum(s) <= 9))
    count = sum(a * b for a, b in itertools.pairwise(sizes))
    transitions = draw(factor_scores(count))
    # One path is always open.
    start = 0
    for a, b in itertools.pairwise(sizes):
        transitions[start] = max(transitions[start], -3.0)
        start += a * b
    return OneFactor(CHAIN, sum(sizes), scores=transitions, shape=sizes), own_score(
        sizes, transitions
    )


class TestChain(ScoredFactorSuite):
    cases = chains()

    def used(self, factor: OneFactor) -> Used:
        return used_scores(factor.shape or [])


@pytest.mark.parametrize(
    ("links", "scores", "shape"),
    [(0, [], []), (2, [], [2, 0]), (3, [0.0] * 2, [1, 1]), (3, [0.0] * 3, [1, 2])],
)
def test_arrays_that_do_not_fit_are_refused(
    links: int, scores: list[float], shape: list[int]
) -> None:
    with pytest.raises(ValueError, match="chain"):
        OneFactor(CHAIN, links, scores, shape).graph()
