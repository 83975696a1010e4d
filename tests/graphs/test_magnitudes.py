"""Numbers that outweigh all smaller ones, and what they are replaced by."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from turbotree.graphs import _core

#: Usual numbers, masks with and without noise, and what is as good as a mask the other way round.
numbers = st.lists(
    st.one_of(
        st.floats(-3, 3),
        st.sampled_from([-1e4, -1e9, -2e9, 1e9, -1e12]),
        st.floats(-1, 1).map(lambda noise: -1e9 + noise),
        st.floats(4, 12).map(lambda exponent: -(10.0**exponent)),
    ),
    min_size=2,
    max_size=9,
)


def sums(costs: np.ndarray) -> np.ndarray:
    every = (np.arange(2 ** len(costs))[:, np.newaxis] >> np.arange(len(costs))) & 1
    return every @ costs


@given(costs=numbers.map(np.array), level=st.booleans())
def test_sums_keep_their_order(costs, level):
    tamed, taming, _ = _core.tame_costs(costs, level)
    changed = tamed != costs
    assert changed.any() == taming.changed or not taming.changed
    before, after = sums(costs), sums(tamed)
    # What rounding makes of the larger sums is no difference.
    near = 1e-12 * np.abs(costs).sum()
    if taming.ordered:
        higher = before[:, np.newaxis] > before + near
        assert (after[:, np.newaxis] > after - near)[higher].all()
    else:
        has = sums(changed.astype(float)) > 0
        assert (after[~has] == before[~has]).all()
        assert after[has].max() < after[~has].min()
        assert before[has].max() < before[~has].min()


@given(costs=numbers.map(np.array), chosen=st.lists(st.booleans(), min_size=9, max_size=9))
def test_sums_above_a_floor_keep_their_order(costs, chosen):
    floor = costs[np.array(chosen)[: len(costs)]].sum()
    tamed, _, _ = _core.tame_costs(costs, True, floor)
    before, after = sums(costs), sums(tamed)
    near = 1e-12 * np.abs(costs).sum()
    higher = (before[:, np.newaxis] > before + near) & (before[:, np.newaxis] >= floor)
    assert (after[:, np.newaxis] > after - near)[higher].all()


@given(costs=numbers.map(np.array), level=st.booleans())
def test_no_sum_was_higher_than_told(costs, level):
    tamed, taming, _ = _core.tame_costs(costs, level)
    assert (np.abs(tamed) <= np.abs(costs) * (1 + 1e-12)).all()
    assert (np.sign(tamed) == np.sign(costs)).all()
    near = 1e-9 * np.abs(costs).sum()
    assert (sums(costs) <= sums(tamed) + taming.most_lost + near).all()


@given(costs=st.lists(st.floats(-9.8, 9.8), min_size=1, max_size=50).map(np.array))
def test_ordinary_numbers_stay_as_they_are(costs):
    costs = costs + np.copysign(0.1, costs)
    tamed, taming, usual = _core.tame_costs(costs, False)
    assert (tamed == costs).all()
    assert not taming.changed
    assert np.abs(costs).min() <= usual <= np.abs(costs).max()
