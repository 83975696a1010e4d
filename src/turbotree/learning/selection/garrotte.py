"""How much of each of several voices to take: the non-negative garrotte of Breiman (1995)."""

from __future__ import annotations

import numpy as np

from turbotree.arrays import FloatArray

# Strengths of the ridge that are looked at, in units of the mean square of a voice.
_LEAST_RIDGE, _LARGEST_RIDGE = 1e-8, 1e3
_HALVINGS = 30
# Rounds in which all signs may change at once although that has not helped before.
_PATIENCE = 3


def non_negative_garrotte(moments: FloatArray, gains: FloatArray, ridge: float) -> FloatArray:
    """Minimise ``a' moments a / 2 - gains' a + ridge |a|^2 / 2`` over the vectors a of no sign.

    With the second moments and the means of what some voices say, that is the combination which
    comes nearest to saying 1 each time. Solved exactly by block principal pivoting (Portugal,
    Júdice, Vicente 1994).

    >>> moments = np.array([[2.0, 1.0], [1.0, 1.0]])
    >>> non_negative_garrotte(moments, np.array([1.0, 0.4]), 0.0).tolist()
    [0.5, 0.0]
    """
    matrix = moments + ridge * np.eye(len(gains))
    used = gains > 0
    patience, fewest = _PATIENCE, len(gains) + 1
    while True:
        found = np.zeros(len(gains))
        found[used] = np.linalg.solve(matrix[np.ix_(used, used)], gains[used])
        slopes = matrix @ found - gains
        slack = 1e-10 * np.abs(gains).max(initial=0.0)
        wrong = np.flatnonzero(np.where(used, found < 0.0, slopes < -slack))
        if len(wrong) == 0:
            return found
        if len(wrong) < fewest:
            fewest, patience = len(wrong), _PATIENCE
        elif patience > 0:
            patience -= 1
        else:  # one at a time always comes to an end
            wrong = wrong[-1:]
        used[wrong] = ~used[wrong]


def garrotte_of_size(moments: FloatArray, gains: FloatArray, count: int) -> FloatArray:
    """Return shares so many of which are positive, or a few more; fewer if there are no more.

    Without a ridge, few voices have a share: of those that say the same, one. The stronger it is,
    the more voices share what they have to say, until all do that are right more often than not.

    >>> moments = np.ones((3, 3)) + np.eye(3) / 10
    >>> garrotte_of_size(moments, np.array([1.0, 1.0, 0.9]), 2).round(2).tolist()
    [0.48, 0.48, 0.0]
    """
    unit = float(np.trace(moments)) / max(1, len(gains))
    if unit <= 0.0:
        return np.zeros(len(gains))
    low, high = np.log(_LEAST_RIDGE * unit), np.log(_LARGEST_RIDGE * unit)
    best = non_negative_garrotte(moments, gains, float(np.exp(high)))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = non_negative_garrotte(moments, gains, float(np.exp(middle)))
        positive = np.count_nonzero(found)
        if positive >= count:
            best, high = found, middle
        else:
            low = middle
        if positive == count:
            break
    return best
