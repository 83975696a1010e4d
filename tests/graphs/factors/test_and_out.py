from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factors import OneFactor, check_functions
from oracles.polytopes import check_hard_projection

from .pins import draw_and_check_pinned_functions, draw_and_check_pinned_projection
from .strategies import scales, scores, targets

AND_OUT = 7


def own(assignment: tuple[int, ...]) -> float:
    *xs, y = assignment
    return 0.0 if y == all(xs) else -np.inf


@given(links=st.integers(1, 6), data=st.data())
def test_functions_equal_enumeration(links: int, data: st.DataObject) -> None:
    check_functions(OneFactor(AND_OUT, links), own, data.draw(scores(links)))


@settings(max_examples=40)
@given(links=st.integers(1, 6), data=st.data())
def test_messages_are_exact_beside_pinned_scores(links: int, data: st.DataObject) -> None:
    draw_and_check_pinned_functions(data, OneFactor(AND_OUT, links), own)


@given(links=st.integers(1, 6), scale=scales, data=st.data())
def test_projection_is_the_nearest_point(links: int, scale: float, data: st.DataObject) -> None:
    check_hard_projection(OneFactor(AND_OUT, links), own, data.draw(targets(links)), scale)


@settings(max_examples=40)
@given(links=st.integers(1, 6), data=st.data())
def test_projection_keeps_fixed_links_at_their_values(links: int, data: st.DataObject) -> None:
    draw_and_check_pinned_projection(data, OneFactor(AND_OUT, links), own)


def test_a_factor_without_links_is_refused() -> None:
    with pytest.raises(ValueError, match="of an and"):
        OneFactor(AND_OUT, 0).graph()
