from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factors import OneFactor, check_functions
from oracles.polytopes import check_hard_projection, check_large_projection

from turbotree.graphs import _core

from .pins import draw_and_check_pinned_functions, draw_and_check_pinned_projection
from .strategies import scales, scores, targets

BUDGET = 8

Budget = tuple[OneFactor, Callable[[tuple[int, ...]], float]]


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    """Budgets of none, some, all and more than all links."""
    links = draw(st.integers(1, 6))
    budget = draw(st.integers(0, links + 1))
    factor = OneFactor(BUDGET, links, shape=[budget])
    return factor, lambda y: 0.0 if sum(y) <= budget else -np.inf


@given(case=budgets(), data=st.data())
def test_functions_equal_enumeration(case: Budget, data: st.DataObject) -> None:
    check_functions(*case, data.draw(scores(case[0].links)))


@given(case=budgets(), data=st.data())
def test_messages_are_exact_beside_pinned_scores(case: Budget, data: st.DataObject) -> None:
    draw_and_check_pinned_functions(data, *case)


@given(case=budgets(), scale=scales, data=st.data())
def test_projection_is_the_nearest_point(case: Budget, scale: float, data: st.DataObject) -> None:
    check_hard_projection(*case, data.draw(targets(case[0].links)), scale)


@given(case=budgets(), data=st.data())
def test_projection_keeps_fixed_links_at_their_values(case: Budget, data: st.DataObject) -> None:
    draw_and_check_pinned_projection(data, *case)


@settings(max_examples=30)
@given(links=st.integers(7, 20), data=st.data())
def test_large_projection_is_the_nearest_point(links: int, data: st.DataObject) -> None:
    budget = data.draw(st.integers(0, links))
    factor = OneFactor(BUDGET, links, shape=[budget])
    check_large_projection(factor, data.draw(targets(links)), [(np.ones(links), budget)])


def test_a_budget_of_none_forbids_every_link() -> None:
    graph = OneFactor(BUDGET, 3, shape=[0]).graph()
    point, _ = _core.project(graph, np.array([[0.1, 5.0, 1e7]]), 1.0)
    assert point.tolist() == [0.0, 0.0, 0.0]
    assert _core.sum_messages(graph, np.ones(3))[1].tolist() == [-np.inf] * 3


@pytest.mark.parametrize("budget", [3, 4])
def test_a_budget_of_all_says_nothing(budget: int) -> None:
    graph = OneFactor(BUDGET, 3, shape=[budget]).graph()
    assert _core.max_messages(graph, np.ones(3))[1].tolist() == [0.0] * 3
    assert _core.sum_messages(graph, np.ones(3))[1].tolist() == [0.0] * 3


@pytest.mark.parametrize(("links", "shape"), [(0, [1]), (2, [-1]), (2, []), (2, [1, 1]), (2, None)])
def test_a_malformed_budget_is_refused(links: int, shape: list[int] | None) -> None:
    with pytest.raises(ValueError, match="budget"):
        OneFactor(BUDGET, links, shape=shape).graph()
