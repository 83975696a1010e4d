"""What the functions of a factor must give, by enumerating its assignments.

A test describes its kind by a plain Python function ``own(assignment) -> float``: the factor
score, ``-inf`` where the assignment is not allowed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from turbotree.graphs import _core

Own = Callable[[tuple[int, ...]], float]
#: The places of the scores that make up the own score of an allowed assignment.
Used = Callable[[tuple[int, ...]], list[int]]


@dataclass(frozen=True)
class OneFactor:
    """One factor over variables 0..links-1, as the core sees it."""

    kind: int
    links: int
    scores: Sequence[float] | None = None
    shape: Sequence[int] | None = None

    def graph(self) -> _core.Graph:
        """Build the graph that holds this factor alone."""

        scores = np.array([] if self.scores is None else self.scores, np.float64)
        shape = np.array([] if self.shape is None else self.shape, np.int32)
        chunk = (
            1,
            self.links,
            np.arange(self.links, dtype=np.int32),
            np.zeros(self.links, np.uint8),
            len(scores),
            scores,
            len(shape),
            shape,
            (),
        )
        return _core.Graph(np.zeros(self.links), None, {self.kind: [chunk]})


def allowed(links: int, own: Own) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """List the allowed assignments, one per row, and their own scores."""
    rows = list(itertools.product((0, 1), repeat=links))
    scores = np.array([own(row) for row in rows])
    keep = scores > -np.inf
    return np.array(rows, float).reshape(-1, links)[keep], scores[keep]


def _log_sum(values: NDArray[np.float64]) -> float:
    if values.size == 0:
        return -np.inf
    top = values.max()
    return float(top + np.log(np.exp(values - top).sum()))


def _close(ours: object, truth: object, message: str) -> None:
    np.testing.assert_allclose(ours, truth, rtol=1e-9, atol=1e-9, err_msg=message)


def check_functions(factor: OneFactor, own: Own, scores: Sequence[float]) -> None:
    """Compare everything but the projection with enumeration."""
    s = np.asarray(scores, np.float64)
    graph = factor.graph()
    points, owns = allowed(factor.links, own)
    for row in itertools.product((0, 1), repeat=factor.links):
        _close(_core.factor_values(graph, np.array(row, np.uint8))[0], own(row), f"value {row}")
    totals = points @ s + owns
    values, chosen = _core.maximise(graph, s)
    _close(values[0], totals.max(), "best value")
    _close(chosen @ s + own(tuple(int(c) for c in chosen)), totals.max(), "best assignment")
    best, max_messages = _core.max_messages(graph, s)
    _close(best[0], totals.max(), "best value of the messages")
    log_partitions, sum_messages, expected = _core.sum_messages(graph, s)
    log_partition = _log_sum(totals)
    _close(log_partitions[0], log_partition, "log partition")
    probabilities = np.exp(totals - log_partition)
    _close(expected[0], probabilities @ owns, "expected own score")
    for i in range(factor.links):
        on = points[:, i] == 1
        without = totals - points[:, i] * s[i]
        with np.errstate(invalid="ignore"):
            for name, ours, reduce in (
                ("max", max_messages, lambda x: x.max(initial=-np.inf)),
                ("sum", sum_messages, _log_sum),
            ):
                truth = reduce(without[on]) - reduce(without[~on])
                _close(ours[i], truth, f"{name} message {i}")
    odds = s + sum_messages
    marginals = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
    entropy = log_partitions[0] - marginals @ s - expected[0]
    positive = probabilities[probabilities > 0]
    _close(entropy, -(positive @ np.log(positive)), "entropy")


def check_expectations(factor: OneFactor, own: Own, used: Used, scores: Sequence[float]) -> None:
    """Compare the expectations of the factor's scores with enumeration."""
    s = np.asarray(scores, np.float64)
    points, owns = allowed(factor.links, own)
    totals = points @ s + owns
    probabilities = np.exp(totals - _log_sum(totals))
    truth = np.zeros(len(factor.scores or ()))
    counts = np.zeros(len(truth), dtype=bool)
    for probability, point in zip(probabilities, points.astype(int).tolist(), strict=True):
        places = used(tuple(point))
        assert len(set(places)) == len(places)
        truth[places] += probability
        counts[places] = True
    found = _core.expectations(factor.graph(), s)
    _close(found, truth, "expectations")
    # Impossible and meaningless entries never count, not even a little.
    assert (found[~counts] == 0.0).all()


def nearest(
    points: NDArray[np.float64],
    owns: NDArray[np.float64],
    target: NDArray[np.float64],
    scale: float,
) -> NDArray[np.float64]:
    """Minimise 1/2 |z - target|^2 - scale * own over the hull of the points with Clarabel."""
    count, links = points.shape
    # Unknowns: z (links), then one weight per point.
    quadratic = sparse.diags([1.0] * links + [0.0] * count, format="csc")
    linear = np.concatenate([-target, -scale * owns])
    combination = np.hstack([-np.eye(links), points.T])
    total = np.concatenate([np.zeros(links), np.ones(count)])
    positive = np.hstack([np.zeros((count, links)), -np.eye(count)])
    rows = sparse.csc_matrix(np.vstack([combination, total, positive]))
    bounds = np.concatenate([np.zeros(links), [1.0], np.zeros(count)])
    cones = [clarabel.ZeroConeT(links + 1), clarabel.NonnegativeConeT(count)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    solution = clarabel.DefaultSolver(quadratic, linear, rows, bounds, cones, settings).solve()
    weights = np.clip(solution.x[links:], 0.0, None)
    weights /= weights.sum()
    point = weights @ points
    push = target - point
    excess = (points @ push + scale * owns).max() - (push @ point + scale * (weights @ owns))
    return point, float(np.sqrt(max(excess, 0.0)))


def check_projection(
    factor: OneFactor, own: Own, targets: Sequence[Sequence[float]], scale: float
) -> None:
    """Compare the projection, after a warm start from earlier targets, with a general QP solver."""
    points, owns = allowed(factor.links, own)
    rows = np.asarray(targets, np.float64).reshape(len(targets), factor.links)
    ours, support = _core.project(factor.graph(), rows, scale)
    truth, doubt = nearest(points, owns, rows[-1], scale)
    np.testing.assert_allclose(ours, truth, rtol=0, atol=1e-6 + doubt)
    # What the solvers take the bound from.
    push = rows[-1] - ours
    best = (points @ push + scale * owns).max()
    size = 1.0 + np.abs(push).sum() + scale * np.abs(owns).max(initial=0.0)
    claimed = push @ ours + scale * support[0]
    assert claimed >= best - 1e-12 * size
    assert claimed <= best + 1e-8 * size
