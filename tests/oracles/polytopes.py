"""Proofs that a point is the nearest one of a polytope.

A general QP solver has the point only to the root of the accuracy of its objective where
constraints are active with multipliers of zero, as they often are at ties. But the projection z of
a target is known by two things that can be checked exactly: it lies in the polytope, and no vertex
lies further than it in the direction of target - z. If one lies further by e at most, then z is
wrong by the root of e at most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from turbotree.graphs import _core

from .factors import OneFactor, Own, allowed

#: How strongly solvers push a link that is fixed.
PINNED_SCORE, PINNED_TARGET = 1e5, 1e7

#: A row and a bound: row . z <= bound.
Inequality = tuple[NDArray[np.float64], float]


def assert_nearest_of_hull(
    point: NDArray[np.float64], points: NDArray[np.float64], target: NDArray[np.float64]
) -> None:
    """Prove that the point is the projection of the target on the hull of the points."""
    weights = linprog(
        np.zeros(len(points)),
        A_eq=np.vstack([points.T, np.ones(len(points))]),
        b_eq=np.append(point, 1.0),
        options={"primal_feasibility_tolerance": 1e-9},
    )
    assert weights.status == 0, f"{point} is no mean of allowed assignments"
    push = target - point
    np.testing.assert_allclose(push @ point, (points @ push).max(), rtol=0, atol=1e-12)


def check_hard_projection(
    factor: OneFactor, own: Own, targets: Sequence[Sequence[float]], scale: float
) -> None:
    """Check the projection of a factor without scores, and the bound that it gives.

    Earlier targets are projected before the last one, as a warm start.
    """
    points, _ = allowed(factor.links, own)
    rows = np.asarray(targets, np.float64).reshape(len(targets), factor.links)
    ours, support = _core.project(factor.graph(), rows, scale)
    assert support[0] == 0.0
    assert_nearest_of_hull(ours, points, rows[-1])


def check_large_projection(
    factor: OneFactor, targets: Sequence[Sequence[float]], inequalities: Sequence[Inequality]
) -> None:
    """Check a projection that is too large for enumeration.

    How far the vertices lie comes from ``maximise``, which other tests compare with enumeration.
    """
    rows = np.asarray(targets, np.float64)
    graph = factor.graph()
    ours, _ = _core.project(graph, rows, 1.0)
    assert ours.min() >= 0.0
    assert ours.max() <= 1.0 + 1e-12
    for row, bound in inequalities:
        assert row @ ours <= bound + 1e-12
    push = rows[-1] - ours
    np.testing.assert_allclose(push @ ours, _core.maximise(graph, push)[0][0], rtol=0, atol=1e-12)


def check_pinned_projection(
    factor: OneFactor,
    own: Own,
    warm: Sequence[Sequence[float]],
    target: Sequence[float],
    pins: Sequence[int | None],
) -> None:
    """Fix some links at values that leave something allowed: the rest is projected on that face."""
    points, _ = allowed(factor.links, own)
    free = np.array([pin is None for pin in pins])
    values = np.array([pin or 0 for pin in pins], float)
    fits = (points[:, ~free] == values[~free]).all(axis=1)
    pushed = np.where(free, target, np.where(values > 0, PINNED_TARGET, -PINNED_TARGET))
    rows = np.array([*warm, pushed, target, pushed], np.float64)
    ours, _ = _core.project(factor.graph(), rows, 1.0)
    np.testing.assert_array_equal(ours[~free], values[~free])
    if free.any():
        assert_nearest_of_hull(ours[free], points[fits][:, free], np.asarray(target)[free])
