"""The prox of crossing groups by Newton steps on a smoothed problem, which ties cannot slow down.

With c_g = t d_g and r_g the length of group g of x, minimise

    1/2 |x - n|^2 + sum_g phi(r_g),   phi(r) = max over |z| < c of  r z + mu log(c^2 - z^2),

for a mu that goes to zero. phi is smooth, the Newton steps are those of an interior-point method
(the conjugate of a self-concordant barrier is self-concordant), and the maximising z are a point of
the dual problem that proves how near x is to the true answer.
"""

from __future__ import annotations

import math

import numpy as np

from turbotree.arrays import FloatArray

_SHRINKING = 0.15  # of mu, from one problem to the next
_NEAR = 0.3  # a Newton decrement below which full steps converge
_LAST_STEPS = 30
_MOST_STEPS = 1000


def smoothed_prox(
    target: FloatArray, inside: FloatArray, costs: FloatArray, tolerance: float
) -> tuple[FloatArray, float]:
    """Return the prox of a vector, and a proven bound on its distance from the true one.

    Parameters
    ----------
    target
        The vector n.
    inside
        One row per group: 1 for its members, 0 for others.
    costs
        The groups' c, all positive.
    tolerance
        The distance to reach, if rounding lets it.

    Examples
    --------
    >>> x, bound = smoothed_prox(np.array([3.0, 4.0]), np.ones((1, 2)), np.array([1.0]), 1e-8)
    >>> x.round(6).tolist(), bound < 1e-7
    ([2.4, 3.2], True)
    """
    x = target.copy()
    smoothing = float(np.linalg.norm(target) * costs.max()) or 1.0
    best, nearest = x, math.inf
    steps_left = _LAST_STEPS
    for _ in range(_MOST_STEPS):
        lengths = np.sqrt(inside @ (x * x))
        curves = np.hypot(smoothing, lengths * costs)
        slopes = costs**2 / (smoothing + curves)  # phi'(r) / r
        pull = inside.T @ slopes
        gradient = x - target + pull * x
        directions = inside * x / np.where(lengths > 0, lengths, 1.0)[:, None]
        bends = slopes * (1.0 - smoothing / curves)
        hessian = np.diag(1.0 + pull) - (directions.T * bends) @ directions
        try:
            step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:  # only rounding makes it singular
            break
        # P(x) - D(z) = 1/2 |gradient|^2 + sum of r (c - z); all terms free of cancellation.
        slack = float((2 * costs * lengths / (lengths * costs + smoothing + curves)).sum())
        distance = math.sqrt(float(gradient @ gradient) + 2 * smoothing * slack)
        if distance < nearest:
            best, nearest = x, distance
        if distance <= tolerance:
            break
        decrement = math.sqrt(max(0.0, float(gradient @ step)) / smoothing)
        x = x - step / (1.0 + decrement if decrement >= _NEAR else 1.0)
        if 2 * smoothing * slack <= 0.5 * tolerance**2:
            steps_left -= 1  # smooth enough: only Newton's method has to converge
        elif decrement < _NEAR:
            smoothing *= _SHRINKING
        if steps_left == 0:
            break
    return best, nearest
