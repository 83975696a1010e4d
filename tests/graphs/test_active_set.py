"""The projection of factors that are known by their best assignment, call after call."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factors import OneFactor, Own, allowed, check_projection, nearest

from turbotree.graphs import _core

TREE, HEAD_AUTOMATON, DENSE = 12, 13, 11
FIXED = 1e7


def table(own_scores: np.ndarray) -> tuple[OneFactor, Own]:
    """Any own score for any assignment: the hardest case, as the assignments depend affinely."""
    links = own_scores.ndim
    factor = OneFactor(DENSE, links, scores=list(own_scores.ravel()), shape=[1] * links)
    return factor, lambda y: float(own_scores[y])


def automaton(rng: np.random.Generator, modifiers: int) -> tuple[OneFactor, Own]:
    matrix = rng.normal(size=(modifiers + 1, modifiers + 1))

    def own(y: tuple[int, ...]) -> float:
        stops = [*np.flatnonzero(y), modifiers]
        return float(matrix[[0, *(k + 1 for k in stops[:-1])], stops].sum())

    return OneFactor(HEAD_AUTOMATON, modifiers, scores=list(matrix.ravel())), own


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("drift", [0.01, 0.3])
def test_warm_starts_stay_exact_over_hundreds_of_targets(seed: int, drift: float) -> None:
    rng = np.random.default_rng(seed)
    factor, own = automaton(rng, 6) if seed % 2 else table(rng.normal(size=(2,) * 5))
    walk = rng.normal(size=factor.links) + drift * rng.normal(size=(400, factor.links)).cumsum(0)
    for rows in (1, 20, 100, 400):
        check_projection(factor, own, walk[:rows].tolist(), scale=1.0)


@given(data=st.data(), scale=st.sampled_from([0.1, 1.0, 10.0]))
def test_equal_own_scores_of_dependent_assignments_do_no_harm(
    data: st.DataObject, scale: float
) -> None:
    levels = st.lists(st.integers(-1, 1), min_size=8, max_size=8)
    factor, own = table(np.array(data.draw(levels), float).reshape(2, 2, 2))
    target = st.lists(st.integers(-2, 4).map(lambda k: k / 2), min_size=3, max_size=3)
    targets = data.draw(st.lists(target, min_size=1, max_size=8))
    check_projection(factor, own, targets, scale)


@given(data=st.data(), scale=st.sampled_from([0.1, 1.0, 10.0]), seed=st.integers(0, 2**32 - 1))
def test_fixed_links_come_out_exactly_and_the_rest_is_optimal(
    data: st.DataObject, scale: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    factor, own = automaton(rng, 5) if seed % 2 else table(3 * rng.normal(size=(2,) * 4))
    fixed = np.array(
        data.draw(
            st.lists(st.sampled_from([-1, 0, 0, 1]), min_size=factor.links, max_size=factor.links)
        )
    )
    rows = rng.normal(size=(data.draw(st.integers(1, 6)), factor.links)) / 2 + 0.5
    # The links are fixed from some call on; the assignments of earlier calls may break that.
    start = data.draw(st.integers(0, len(rows) - 1))
    rows[start:, fixed != 0] = FIXED * fixed[fixed != 0]
    ours, support = _core.project(factor.graph(), rows, scale)
    np.testing.assert_array_equal(ours[fixed != 0], fixed[fixed != 0] == 1)

    points, owns = allowed(factor.links, own)
    keep = (points[:, fixed != 0] == (fixed[fixed != 0] == 1)).all(axis=1)
    target = np.where(fixed == 0, rows[-1], fixed == 1)
    truth, doubt = nearest(points[keep], owns[keep], target, scale)
    np.testing.assert_allclose(ours, truth, rtol=0, atol=1e-6 + doubt)
    push = (target - ours) / scale
    best = (points[keep] @ push + owns[keep]).max()
    np.testing.assert_allclose(push @ ours + support[0], best, rtol=1e-9, atol=1e-7 / scale)


def test_links_fixed_against_the_factor_leave_a_point_of_the_factor() -> None:
    own_scores = np.array([[0.0, 1.0], [2.0, -np.inf]])
    factor, _ = table(own_scores)
    point, own = _core.project(factor.graph(), np.full((2, 2), FIXED), 1.0)
    assert own_scores[tuple(point.astype(int))] == own[0] > -np.inf


def test_a_factor_without_any_assignment_has_the_own_score_of_nothing() -> None:
    factor, _ = table(np.full((2, 2), -np.inf))
    point, own = _core.project(factor.graph(), np.zeros((3, 2)), 1.0)
    assert own[0] == -np.inf
    np.testing.assert_array_equal(point, 0.0)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), spread=st.sampled_from([0.3, 1.0, 5.0]))
def test_trees_satisfy_the_optimality_condition(seed: int, spread: float) -> None:
    # Too many trees to list: the point is optimal if no tree is better in the direction of the
    # target, and `own` says by how much one is.
    rng = np.random.default_rng(seed)
    words = 12
    arcs = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    factor = OneFactor(TREE, len(arcs), shape=[words, 0, *itertools.chain(*arcs)])
    start = spread * rng.normal(size=len(arcs))
    rows = start + 0.003 * spread * rng.normal(size=(300, len(arcs))).cumsum(0)
    rows = np.vstack([rows, np.repeat(rows[-1:], 20, 0)])  # a call takes a limited number of steps
    graph = factor.graph()
    point, own = _core.project(graph, rows, 1.0)
    push = rows[-1] - point
    assert abs(own[0]) < 1e-9
    assert _core.maximise(graph, push)[0][0] - push @ point < 1e-9
    for m in range(1, words + 1):
        np.testing.assert_allclose(sum(point[i] for i, a in enumerate(arcs) if a[1] == m), 1.0)
