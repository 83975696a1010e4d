from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.factor_pins import draw_and_check_pinned_functions, pins_of
from oracles.factor_strategies import scores, targets
from oracles.factors import OneFactor, check_functions
from oracles.polytopes import PINNED_TARGET

from turbotree.graphs import _core

KNAPSACK = 9


class Knapsack:
    """A limit and costs, and what they allow."""

    def __init__(self, limit: int, costs: list[int]) -> None:
        self.limit, self.costs = limit, np.array(costs)
        self.factor = OneFactor(KNAPSACK, len(costs), shape=[limit, *costs])

    def own(self, assignment: tuple[int, ...]) -> float:
        return 0.0 if self.costs @ np.array(assignment) <= self.limit else -np.inf

    def __repr__(self) -> str:
        return f"Knapsack({self.limit}, {self.costs.tolist()})"


@st.composite
def knapsacks(draw: st.DrawFn, most: int = 6) -> Knapsack:
    """Costs of zero, costs above the limit and limits above all costs are among them."""
    unit = draw(st.sampled_from([1, 1, 3]))
    costs = draw(st.lists(st.integers(0, 5).map(lambda c: c * unit), min_size=1, max_size=most))
    return Knapsack(draw(st.integers(0, sum(costs) + 2)), costs)


def furthest(costs: NDArray[np.int64], limit: float, push: NDArray[np.float64]) -> float:
    """Maximise push . z over the cube under the limit: what brings most a unit of cost first."""
    best = push[(costs == 0) & (push > 0)].sum()
    worth = np.flatnonzero((costs > 0) & (push > 0))
    for i in worth[np.argsort(-push[worth] / costs[worth])]:
        part = min(1.0, limit / costs[i])
        best += part * push[i]
        limit -= part * costs[i]
    return float(best)


def assert_nearest(
    point: NDArray[np.float64],
    costs: NDArray[np.int64],
    limit: float,
    target: NDArray[np.float64],
) -> None:
    """Prove the projection on the cube under the limit; see oracles.polytopes."""
    assert point.min(initial=0.0) >= 0.0
    assert point.max(initial=1.0) <= 1.0
    assert costs @ point <= limit + 1e-12
    push = target - point
    np.testing.assert_allclose(push @ point, furthest(costs, limit, push), rtol=0, atol=1e-12)


@given(case=knapsacks(), data=st.data())
def test_functions_equal_enumeration(case: Knapsack, data: st.DataObject) -> None:
    check_functions(case.factor, case.own, data.draw(scores(case.factor.links)))


@settings(max_examples=40)
@given(case=knapsacks(), data=st.data())
def test_messages_are_exact_beside_pinned_scores(case: Knapsack, data: st.DataObject) -> None:
    draw_and_check_pinned_functions(data, case.factor, case.own)


@given(case=knapsacks(most=12), data=st.data())
def test_projection_is_the_nearest_point(case: Knapsack, data: st.DataObject) -> None:
    rows = np.array(data.draw(targets(case.factor.links)))
    point, own = _core.project(case.factor.graph(), rows, 1.0)
    assert own[0] == 0.0
    assert_nearest(point, case.costs, case.limit, rows[-1])


@settings(max_examples=40)
@given(case=knapsacks(), data=st.data())
def test_projection_keeps_fixed_links_at_their_values(case: Knapsack, data: st.DataObject) -> None:
    pins = data.draw(pins_of(case.factor.links, case.own))
    rows = np.array(data.draw(targets(case.factor.links)))
    free = np.array([pin is None for pin in pins])
    values = np.array([pin or 0 for pin in pins])
    pushed = np.where(free, rows[0], np.where(values > 0, PINNED_TARGET, -PINNED_TARGET))
    point, _ = _core.project(case.factor.graph(), np.vstack([rows, pushed]), 1.0)
    np.testing.assert_array_equal(point[~free], values[~free])
    left = case.limit - case.costs @ values
    assert_nearest(point[free], case.costs[free], left, rows[0][free])


@pytest.mark.parametrize("shape", [[2**31 - 1, 2**30, 2**30 - 1], [2**30, 2**30, 2**29]])
def test_large_costs_are_no_trouble_if_all_fit_or_they_share_a_divisor(shape: list[int]) -> None:
    limit, *costs = shape
    case = Knapsack(limit, costs)
    check_functions(case.factor, case.own, [1.0, 2.0])


@pytest.mark.parametrize(
    ("links", "shape"),
    [
        (0, [1]),
        (2, [-1, 1, 1]),
        (2, [1, 1, -1]),
        (2, [1, 1]),
        (2, [1, 1, 1, 1]),
        (2, None),
        (2, [2**30, 2**30, 2**30 - 1]),
    ],
)
def test_a_malformed_knapsack_is_refused(links: int, shape: list[int] | None) -> None:
    with pytest.raises(ValueError, match="knapsack"):
        OneFactor(KNAPSACK, links, shape=shape).graph()
