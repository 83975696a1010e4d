from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples

from turbotree.errors import InputError
from turbotree.learning.regularisers import GroupLasso, Groups, OverlappingGroupLasso
from turbotree.learning.sparse.budgets import (
    budget_step,
    overlapping_budget,
    pseudo_budgets,
    shrink_by_family,
)

# Few values, so that ties are common.
lengths = st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5]) | st.floats(0, 3), min_size=1, max_size=8)
costs = st.sampled_from([1.0, 0.5, 2.0])


@given(lengths.flatmap(lambda n: st.tuples(st.just(n), st.lists(costs, min_size=len(n)))))
def test_exactly_the_budget_survives_and_they_are_the_longest_for_their_cost(case):
    norms, prices = np.array(case[0]), np.array(case[1][: len(case[0])])
    ratios = norms / prices
    for budget in range(len(norms) + 1):
        step, alive = budget_step(norms, prices, budget)
        assert alive.sum() == min(budget, (norms > 0).sum())
        if alive.any() and not alive[norms > 0].all():
            assert ratios[alive].min() >= ratios[~alive].max()
        # The step itself kills none that is to live, and without ties all others.
        assert (norms - step * prices)[alive].min(initial=1.0) > 0
        if not alive.any() or ratios[alive].min() > ratios[~alive].max(initial=0.0):
            assert (norms - step * prices)[~alive].max(initial=0.0) <= 1e-12


def test_the_line_is_drawn_half_way_as_in_the_paper():
    step, alive = budget_step(np.array([5.0, 1.0, 3.0, 4.0]), np.ones(4), 2)
    assert step == 3.5
    assert alive.tolist() == [True, False, False, True]
    groups = Groups.of([[0], [1], [2], [3]], weights="one")
    assert GroupLasso(groups).prox([5.0, 1.0, 3.0, 4.0], step).tolist() == [1.5, 0.0, 0.0, 0.5]


def test_a_group_that_costs_nothing_outlives_all_others():
    step, alive = budget_step(np.array([0.1, 5.0, 3.0]), np.array([0.0, 1.0, 1.0]), 1)
    assert alive.tolist() == [True, False, False]
    assert step == 5.0
    assert budget_step(np.array([1.0, 2.0]), np.zeros(2), 1)[1].tolist() == [False, True]


def test_nothing_happens_within_the_budget():
    step, alive = budget_step(np.array([1.0, 0.0, 2.0]), np.ones(3), 2)
    assert step == 0.0
    assert alive.tolist() == [True, False, True]


def test_a_negative_budget_is_refused():
    with pytest.raises(InputError, match="budget is -1"):
        budget_step(np.ones(2), np.ones(2), -1)


@st.composite
def orders(draw):
    """Members that need others with smaller numbers, and with them all that those need."""
    size = draw(st.integers(1, 6))
    finer = np.eye(size, dtype=bool)
    for a in range(size):
        for b in range(a + 1, size):
            finer[a, b] = draw(st.booleans())
    for middle in range(size):
        finer |= np.outer(finer[:, middle], finer[middle])
    groups = [np.flatnonzero(row) for row in finer]
    norms = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=size, max_size=size))
    return Groups.of(groups, size=size, weights="one"), np.array(norms)


@examples(12)
@given(orders())
def test_exactly_the_budget_of_overlapping_groups_survives_coarse_ones_first(case):
    groups, norms = case
    lasso = OverlappingGroupLasso(groups, tolerance=1e-6)
    for budget in range(len(norms) + 1):
        left = overlapping_budget(norms, lambda step: lasso.prox(norms, step), groups, budget)
        alive = left > 0
        assert alive.sum() == budget
        assert (left <= norms).all()
        for member in np.flatnonzero(alive):
            needs = [a for a in range(len(norms)) if member in groups.of_group(a)]
            assert alive[needs].all()


@given(orders(), st.integers(0, 7))
def test_pseudo_budgets_are_those_of_the_best_groups_as_though_they_were_disjoint(case, budget):
    groups, norms = case
    lengths = groups.norms(norms)
    best = np.argsort(-lengths, kind="stable")[:budget]
    numbers = groups.family_numbers
    expected = [int(np.count_nonzero(numbers[best] == f)) for f in range(len(groups.families))]
    ties = len(set(lengths.tolist())) < len(lengths)
    assert sum(pseudo_budgets(norms, groups, budget)) == min(budget, len(groups))
    if not ties:
        assert pseudo_budgets(norms, groups, budget) == expected
    left = shrink_by_family(norms, groups, budget)
    alive_groups = np.count_nonzero(groups.norms(left))
    assert np.count_nonzero(left) <= alive_groups <= budget


def test_a_group_that_is_shrunk_in_two_families_may_leave_fewer_than_the_budget():
    groups = Groups.of([[0], [1], [2], [0, 1, 2]], size=3, weights="one")
    # Of {0}, {2} and all, the first and the last are the longest: one in each family.
    assert pseudo_budgets(np.array([3.0, 1.0, 2.0]), groups, 2) == [1, 1]
    # (3 + 2) / 2 is taken from 3; one group is left in the second family, as its budget says.
    assert shrink_by_family(np.array([3.0, 1.0, 2.0]), groups, 2).tolist() == [0.5, 0.0, 0.0]


def test_members_that_nothing_shrinks_are_dropped_in_the_end():
    groups = Groups.of([[0], [1]], weights=[0.0, 1.0])
    lasso = OverlappingGroupLasso(groups)
    norms = np.array([1.0, 2.0, 3.0])

    def prox(step):
        return np.append(lasso.prox(norms[:2], step), norms[2])

    assert (overlapping_budget(norms, prox, groups, 1) > 0).tolist() == [False, False, True]
