"""The group lasso with maximum norms: groups of weights come and go together, and level off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.learning.regularisers.base import Regulariser, checked_amount, checked_weights
from turbotree.learning.regularisers.groups import Groups


def clip_level(weights: FloatArray, amount: float) -> float:
    """Return the level at which clipping takes so much from the sum of some magnitudes.

    It is 0 if they sum to no more than the amount. Otherwise it is the largest of
    ``(sum of the k largest - amount) / k``: each of these is at most the level, by the sum of
    what clipping takes, and one of them is the level.

    >>> clip_level(np.array([3.0, -1.0, 2.0]), 3.0)
    1.0
    >>> clip_level(np.array([3.0, -1.0, 2.0]), 7.0)
    0.0
    """
    if len(weights) == 0:
        return 0.0
    sums = np.cumsum(np.sort(np.abs(weights))[::-1])
    levels = (sums - amount) / np.arange(1, len(sums) + 1)
    return max(0.0, float(levels.max()))


def project_onto_l1_ball(weights: npt.ArrayLike, radius: float) -> FloatArray:
    """Return the vector next to the weights whose magnitudes sum to at most the radius.

    >>> project_onto_l1_ball([3.0, -1.0, 2.0], 3.0).tolist()
    [2.0, 0.0, 1.0]
    """
    vector = checked_weights(weights)
    level = clip_level(vector, checked_amount(radius, "radius"))
    projected: FloatArray = vector - np.clip(vector, -level, level)
    if np.abs(vector).sum() <= radius:
        return vector.copy()
    return projected


class MaxNormGroupLasso(Regulariser):
    """strength * sum over groups of (weight of the group) * (largest magnitude in the group).

    The L-infinity,1 norm (Quattoni et al. 2009), for groups without overlap. By Moreau's
    decomposition, its proximal step takes from each group its projection onto the ball of L1 with
    the radius step * weight: it clips the largest weights to one level. A group dies as a whole
    once its magnitudes sum to no more than that radius.

    Examples
    --------
    >>> lasso = MaxNormGroupLasso(Groups.of([[0, 1], [2]], weights="one"))
    >>> lasso.value([3.0, 4.0, 0.5])
    4.5
    >>> lasso.prox([3.0, 4.0, 0.5], 2.0).tolist()
    [2.5, 2.5, 0.0]
    """

    def __init__(self, groups: Groups, strength: float = 1.0) -> None:
        if groups.overlapping:
            raise InputError("groups overlap; expected disjoint ones for maximum norms")
        self.groups = groups
        self.strength = checked_amount(strength, "strength")

    def value(self, weights: npt.ArrayLike) -> float:
        """Return the weighted sum of the groups' largest magnitudes."""
        vector = np.abs(checked_weights(weights, self.groups.size))
        largest = np.zeros(len(self.groups))
        np.maximum.at(largest, self.groups.owners, vector[self.groups.members])
        return self.strength * float(self.groups.weights @ largest)

    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Clip each group."""
        vector = checked_weights(weights, self.groups.size).copy()
        amount = checked_amount(step, "step") * self.strength
        if amount == 0.0:
            return vector
        for number in range(len(self.groups)):
            members = self.groups.of_group(number)
            level = clip_level(vector[members], amount * float(self.groups.weights[number]))
            vector[members] = np.clip(vector[members], -level, level) + 0.0
        return vector
