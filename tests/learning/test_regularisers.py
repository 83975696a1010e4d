from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.prox import solved_prox

from turbotree.errors import InputError
from turbotree.learning.regularisers import (
    L1,
    L2,
    ElasticNet,
    GroupLasso,
    Groups,
    MaxNormGroupLasso,
    OverlappingGroupLasso,
    SequentialGroupLasso,
    SparseGroupLasso,
    TreeGroupLasso,
    project_onto_l1_ball,
)

numbers = st.floats(-4, 4, allow_subnormal=False)
amounts = st.sampled_from([0.0, 0.1, 0.5, 1.0]) | st.floats(0.01, 2)
vectors = st.lists(numbers, min_size=1, max_size=7).map(np.array)


@st.composite
def partitions(draw):
    """Disjoint groups, some of them empty, and weights not in any."""
    vector = draw(vectors)
    assignment = draw(st.lists(st.integers(-1, 3), min_size=len(vector), max_size=len(vector)))
    return vector, Groups.of_assignment(assignment, count=4, weights=draw(rules))


rules = st.sampled_from(["one", "sqrt", "log2"])


@st.composite
def overlaps(draw):
    vector = draw(vectors)
    members = st.sets(st.integers(0, len(vector) - 1)).map(sorted)
    groups = draw(st.lists(members, max_size=6))
    return vector, Groups.of(groups, size=len(vector), weights=draw(rules))


@st.composite
def nests(draw):
    """Groups of a random hierarchy: intervals that are split again and again."""
    vector = draw(vectors)
    groups: list[list[int]] = []

    def split(low: int, high: int, depth: int) -> None:
        if low >= high or depth > 4:
            return
        if draw(st.booleans()):
            groups.append(list(range(low, high)))
        middle = draw(st.integers(low, high))
        split(low, middle, depth + 1)
        split(middle, high, depth + 1)

    split(0, len(vector), 0)
    shuffled = draw(st.permutations(range(len(vector))))
    named = [[shuffled[i] for i in group] for group in draw(st.permutations(groups))]
    return vector, Groups.of(named, size=len(vector), weights=draw(rules))


def lists(groups):
    return [groups.of_group(g).tolist() for g in range(len(groups))]


def assert_is_prox(regulariser, vector, step, **problem):
    """Hold a prox against the solver.

    The objective f is strongly convex, so the solver's x is at most sqrt(2 (f(x) - f(best))) from
    the best point: where groups reach zero with nothing to spare, it is further off than 1e-6.
    """
    ours = regulariser.prox(vector, step)
    theirs = solved_prox(vector, step, **problem)

    def objective(x):
        return 0.5 * np.sum((x - vector) ** 2) + step * regulariser.value(x)

    excess = objective(theirs) - objective(ours)
    assert excess > -1e-12
    assert np.linalg.norm(ours - theirs) <= 1e-6 + math.sqrt(2 * max(0.0, excess))


@given(overlaps(), amounts, amounts)
def test_values_are_the_formulas(case, lasso, ridge):
    vector, groups = case
    magnitudes = sum(abs(v) for v in vector)
    squares = sum(v * v for v in vector)
    lengths = [math.sqrt(sum(vector[i] ** 2 for i in group)) for group in lists(groups)]
    mixed = sum(d * length for d, length in zip(groups.weights, lengths, strict=True))
    assert L1(lasso).value(vector) == pytest.approx(lasso * magnitudes)
    assert L2(ridge).value(vector) == pytest.approx(ridge / 2 * squares)
    assert ElasticNet(lasso=lasso, ridge=ridge).value(vector) == pytest.approx(
        lasso * magnitudes + ridge / 2 * squares
    )
    assert OverlappingGroupLasso(groups, 2.0).value(vector) == pytest.approx(2 * mixed)
    if not groups.overlapping:
        sparse = SparseGroupLasso(groups, 2.0, lasso=lasso)
        assert sparse.value(vector) == pytest.approx(2 * mixed + lasso * magnitudes)


@given(vectors, amounts, amounts, amounts)
def test_the_elastic_net_is_that_of_a_general_solver(vector, step, lasso, ridge):
    net = ElasticNet(lasso=lasso, ridge=ridge)
    assert_is_prox(net, vector, step, lasso=lasso, ridge=ridge)
    assert_is_prox(L1(lasso), vector, step, lasso=lasso)
    assert_is_prox(L2(ridge), vector, step, ridge=ridge)


@given(partitions(), amounts, amounts)
def test_the_group_lasso_is_that_of_a_general_solver(case, step, strength):
    vector, groups = case
    problem = {"groups": lists(groups), "costs": strength * groups.weights}
    assert_is_prox(GroupLasso(groups, strength), vector, step, **problem)


@given(partitions(), amounts, amounts, amounts)
def test_the_sparse_group_lasso_is_that_of_a_general_solver(case, step, strength, lasso):
    vector, groups = case
    problem = {"groups": lists(groups), "costs": strength * groups.weights, "lasso": lasso}
    assert_is_prox(SparseGroupLasso(groups, strength, lasso=lasso), vector, step, **problem)


@given(partitions(), amounts, amounts)
def test_maximum_norms_are_those_of_a_general_solver(case, step, strength):
    vector, groups = case
    lasso = MaxNormGroupLasso(groups, strength)
    largest = [max((abs(vector[i]) for i in group), default=0.0) for group in lists(groups)]
    assert lasso.value(vector) == pytest.approx(strength * float(groups.weights @ largest))
    # The solver does without groups that have no members, which its cones would not take.
    filled = [g for g in range(len(groups)) if groups.sizes[g]]
    problem = {
        "groups": [groups.of_group(g).tolist() for g in filled],
        "costs": strength * groups.weights[filled],
        "largest": True,
    }
    assert_is_prox(lasso, vector, step, **problem)


@given(vectors, st.floats(0, 6))
def test_the_projection_onto_the_l1_ball_is_what_is_nearest(vector, radius):
    projected = project_onto_l1_ball(vector, radius)
    assert np.abs(projected).sum() <= radius + 1e-9
    # w - p is in the normal cone at p: no vertex of the ball is further in that direction.
    rest = vector - projected
    assert radius * np.abs(rest).max() <= rest @ projected + 1e-9


@given(nests(), amounts)
def test_nested_groups_are_those_of_a_general_solver(case, step):
    vector, groups = case
    problem = {"groups": lists(groups), "costs": groups.weights}
    assert_is_prox(TreeGroupLasso(groups), vector, step, **problem)
    np.testing.assert_allclose(
        OverlappingGroupLasso(groups).prox(vector, step),
        TreeGroupLasso(groups).prox(vector, step),
        rtol=0,
        atol=1e-12,
    )


@given(overlaps(), amounts)
def test_overlapping_groups_are_those_of_a_general_solver(case, step):
    vector, groups = case
    problem = {"groups": lists(groups), "costs": groups.weights}
    assert_is_prox(OverlappingGroupLasso(groups), vector, step, **problem)


def test_crossing_groups_are_within_a_millionth_of_the_solver_where_it_is_exact():
    rng = np.random.default_rng(5)
    exact = 0
    for _ in range(40):
        vector = rng.normal(size=8)
        members = [rng.choice(8, rng.integers(2, 6), replace=False) for _ in range(5)]
        lasso = OverlappingGroupLasso(Groups.of(members, size=8))
        ours = lasso.prox(vector, 0.1)
        theirs = solved_prox(vector, 0.1, groups=members, costs=lasso.groups.weights)
        values = [0.5 * np.sum((x - vector) ** 2) + 0.1 * lasso.value(x) for x in (ours, theirs)]
        if values[1] - values[0] < 1e-13:
            exact += 1
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    assert exact > 30


def test_groups_that_reach_zero_with_nothing_to_spare_are_exact_too():
    # Turns over the groups come near the answer only as one over their number here.
    groups = Groups.of([[1, 4], [2, 5], [5], [0, 2, 3], [2, 3, 5]], weights="one")
    shrunk = OverlappingGroupLasso(groups).prox([1.0, 3.0, 2.0, 0.0, 2.0, 0.0], 1.0)
    pair = np.array([3.0, 2.0])
    # 1 and 2 in coordinates 0 and 2 are what three groups together can just take away.
    np.testing.assert_allclose(shrunk[[0, 2, 3, 5]], 0.0, atol=1e-7)
    np.testing.assert_allclose(shrunk[[1, 4]], pair * (1 - 1 / np.linalg.norm(pair)), atol=1e-7)


@given(nests(), amounts)
def test_the_sequence_of_steps_is_exact_for_nested_groups(case, step):
    vector, groups = case
    sequence = SequentialGroupLasso(groups).prox(vector, step)
    np.testing.assert_array_equal(sequence, TreeGroupLasso(groups).prox(vector, step))


@given(overlaps(), amounts)
def test_the_sequence_of_steps_never_leaves_more_than_one_family_would(case, step):
    vector, groups = case
    sequence = SequentialGroupLasso(groups).prox(vector, step)
    for family in groups.families:
        alone = GroupLasso(family).prox(vector, step)
        assert (np.abs(sequence) <= np.abs(alone) + 1e-12).all()


def everything(groups):
    return [
        L1(2.0),
        L2(2.0),
        ElasticNet(lasso=1.0, ridge=1.0),
        GroupLasso(groups),
        SparseGroupLasso(groups, lasso=1.0),
        MaxNormGroupLasso(groups),
        TreeGroupLasso(groups),
        SequentialGroupLasso(groups),
        OverlappingGroupLasso(groups),
    ]


@examples(30)
@given(partitions())
def test_a_step_of_zero_changes_nothing_and_zero_stays_zero(case):
    vector, groups = case
    for regulariser in everything(groups):
        before = vector.copy()
        np.testing.assert_array_equal(regulariser.prox(vector, 0.0), vector)
        zero = regulariser.prox(np.zeros(len(vector)), 1.0)
        assert zero.tolist() == [0.0] * len(vector)
        assert regulariser.value(np.zeros(len(vector))) == 0.0
        np.testing.assert_array_equal(vector, before)  # what is given is not changed


def test_a_single_group_of_all_weights_is_scaled():
    # |w| = 5 and the group costs sqrt(2): what is left is 5 - sqrt(2) long.
    groups = Groups.of([[0, 1]])
    for regulariser in everything(groups)[3:4] + everything(groups)[6:]:
        shrunk = regulariser.prox([3.0, 4.0], 1.0)
        np.testing.assert_allclose(shrunk, np.array([0.6, 0.8]) * (5 - math.sqrt(2)))


def test_empty_groups_and_no_groups_and_no_weights_do_no_harm():
    for groups in (Groups.of([[]], size=2), Groups.of([], size=2)):
        for regulariser in everything(groups)[3:]:
            if isinstance(regulariser, SparseGroupLasso):
                continue
            assert regulariser.prox([1.0, -2.0], 1.0).tolist() == [1.0, -2.0]
            assert regulariser.value([1.0, -2.0]) == 0.0
    for regulariser in everything(Groups.of([[]])):
        assert regulariser.prox([], 1.0).tolist() == []


def test_a_group_that_costs_nothing_keeps_its_weights():
    groups = Groups.of([[0, 1], [1, 2]], weights=[0.0, 1.0])
    shrunk = OverlappingGroupLasso(groups).prox([1.0, 3.0, 4.0], 1.0)
    np.testing.assert_allclose(shrunk, [1.0, 2.4, 3.2], atol=1e-8)


def test_huge_and_tiny_weights_neither_overflow_nor_vanish():
    groups = Groups.of([[0, 1], [1, 2]], weights="one")
    for size in (1e-200, 1e200):
        for regulariser in (OverlappingGroupLasso(groups), SequentialGroupLasso(groups)):
            shrunk = regulariser.prox(size * np.array([3.0, 0.0, 4.0]), size)
            np.testing.assert_allclose(shrunk / size, [2.0, 0.0, 3.0])


def test_integers_and_lists_are_taken_as_numbers():
    assert L1(1.0).prox([3, -2], 1).tolist() == [2.0, -1.0]


@pytest.mark.parametrize(
    ("call", "culprit"),
    [
        (lambda: L1(-1.0), "strength is -1"),
        (lambda: L2(math.nan), "strength is nan"),
        (lambda: ElasticNet(lasso=1.0, ridge=math.inf), "ridge is inf"),
        (lambda: L1(1.0).prox([1.0], -1.0), "step is -1"),
        (lambda: L1(1.0).prox([[1.0]], 1.0), "2 dimensions"),
        (lambda: L1(1.0).prox([math.nan], 1.0), "NaN"),
        (lambda: GroupLasso(Groups.of([[0, 1], [1]])), "overlap"),
        (lambda: MaxNormGroupLasso(Groups.of([[0, 1], [1]])), "overlap"),
        (lambda: project_onto_l1_ball([1.0], -1.0), "radius is -1"),
        (lambda: TreeGroupLasso(Groups.of([[0, 1], [1, 2]])), "cross"),
        (lambda: GroupLasso(Groups.of([[0, 1]])).prox([1.0], 1.0), "1 weights; the groups are"),
        (lambda: OverlappingGroupLasso(Groups.of([[0]]), tolerance=0.0), "tolerance"),
    ],
)
def test_what_makes_no_sense_is_refused(call, culprit):
    with pytest.raises(InputError, match=culprit):
        call()
