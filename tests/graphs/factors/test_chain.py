from __future__ import annotations

import itertools
from collections.abc import Sequence

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


def used_extras(sizes: Sequence[int]) -> Used:
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


@given(chain=chains(), data=st.data())
def test_functions_equal_enumeration(chain: tuple[OneFactor, Own], data: st.DataObject) -> None:
    factor, own = chain
    check_functions(factor, own, data.draw(scores(factor.links)))


@settings(max_examples=40)
@given(chain=chains(), data=st.data())
def test_messages_are_exact_beside_a_score_of_a_fixed_link(
    chain: tuple[OneFactor, Own], data: st.DataObject
) -> None:
    factor, own = chain
    check_functions(factor, own, data.draw(pushed(factor.links)))


@given(chain=chains(), data=st.data())
def test_expectations_equal_enumeration(chain: tuple[OneFactor, Own], data: st.DataObject) -> None:
    factor, own = chain
    values = data.draw(st.one_of(scores(factor.links), pushed(factor.links)))
    check_expectations(factor, own, used_extras(factor.shape or []), values)


@given(chain=chains(), scale=scales, data=st.data())
def test_projection_equals_a_general_solver(
    chain: tuple[OneFactor, Own], scale: float, data: st.DataObject
) -> None:
    factor, own = chain
    check_projection(factor, own, data.draw(targets(factor.links)), scale)


@pytest.mark.parametrize(
    ("links", "scores", "shape"),
    [(0, [], []), (2, [], [2, 0]), (3, [0.0] * 2, [1, 1]), (3, [0.0] * 3, [1, 2])],
)
def test_arrays_that_do_not_fit_are_refused(
    links: int, scores: list[float], shape: list[int]
) -> None:
    with pytest.raises(ValueError, match="chain"):
        OneFactor(CHAIN, links, scores, shape).graph()
