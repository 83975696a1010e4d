from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factors import OneFactor, check_functions
from oracles.polytopes import check_hard_projection

from .pins import draw_and_check_pinned_functions, draw_and_check_pinned_projection
from .strategies import scales, scores, targets

IMPLY = 6


def own(assignment: tuple[int, ...]) -> float:
    return 0.0 if assignment[0] <= assignment[1] else -np.inf


@given(values=scores(2))
def test_functions_equal_enumeration(values: list[float]) -> None:
    check_functions(OneFactor(IMPLY, 2), own, values)


@settings(max_examples=40)
@given(data=st.data())
def test_messages_are_exact_beside_pinned_scores(data: st.DataObject) -> None:
    draw_and_check_pinned_functions(data, OneFactor(IMPLY, 2), own)


@given(scale=scales, points=targets(2))
def test_projection_is_the_nearest_point(scale: float, points: list[list[float]]) -> None:
    check_hard_projection(OneFactor(IMPLY, 2), own, points, scale)


@settings(max_examples=40)
@given(data=st.data())
def test_projection_keeps_fixed_links_at_their_values(data: st.DataObject) -> None:
    draw_and_check_pinned_projection(data, OneFactor(IMPLY, 2), own)


@pytest.mark.parametrize("links", [0, 1, 3])
def test_an_implication_without_two_links_is_refused(links: int) -> None:
    with pytest.raises(ValueError, match="two variables"):
        OneFactor(IMPLY, links).graph()
