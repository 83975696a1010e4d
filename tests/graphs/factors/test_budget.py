from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factor_strategies import targets
from oracles.factor_suites import HardFactorSuite
from oracles.factors import OneFactor
from oracles.polytopes import check_large_projection

from turbotree.graphs import _core

BUDGET = 8

Budget = tuple[OneFactor, Callable[[tuple[int, ...]], float]]


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    """Budgets of none, some, all and more than all links."""
    links = draw(st.integers(1, 6))
    budget = draw(st.integers(0, links + 1))
    factor = OneFactor(BUDGET, links, shape=[budget])
    return factor, lambda y: 0.0 if sum(y) <= budget else -np.inf


class TestBudget(HardFactorSuite):
    cases = budgets()


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
