"""Group lasso: whole groups of weights come and go together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.learning.regularisers.base import (
    Regulariser,
    checked_amount,
    checked_weights,
    soft_threshold,
)
from turbotree.learning.regularisers.groups import Groups


def shrink_groups(groups: Groups, weights: FloatArray, step: float) -> FloatArray:
    """Shorten each of some disjoint groups by step times its weight, down to zero.

    >>> shrink_groups(Groups.of([[0, 1], [2]], weights="one"), np.array([3.0, 4.0, 0.5]), 1.0)
    array([2.4, 3.2, 0. ])
    """
    if step == 0.0:
        return weights.copy()
    norms = groups.norms(weights)
    left = np.maximum(0.0, norms - step * groups.weights)
    scales = np.divide(left, norms, out=np.zeros(len(groups)), where=norms > 0)
    shrunk = weights.copy()
    shrunk[groups.members] *= scales[groups.owners]
    return shrunk


class GroupRegulariser(Regulariser):
    """strength * sum over groups of (weight of the group) * |weights in the group|."""

    def __init__(self, groups: Groups, strength: float = 1.0) -> None:
        self.groups = groups
        self.strength = checked_amount(strength, "strength")

    def value(self, weights: npt.ArrayLike) -> float:
        """Return the weighted sum of the groups' norms."""
        vector = checked_weights(weights, self.groups.size)
        return self.strength * float(self.groups.weights @ self.groups.norms(vector))


class GroupLasso(GroupRegulariser):
    """The group lasso of groups without overlap.

    Examples
    --------
    >>> lasso = GroupLasso(Groups.of([[0, 1], [2]], weights="one"))
    >>> lasso.value([3.0, 4.0, 0.5])
    5.5
    >>> lasso.prox([3.0, 4.0, 0.5], 1.0)
    array([2.4, 3.2, 0. ])
    """

    def __init__(self, groups: Groups, strength: float = 1.0) -> None:
        if groups.overlapping:
            raise InputError(
                "groups overlap; expected disjoint ones "
                "(TreeGroupLasso and OverlappingGroupLasso take others)"
            )
        super().__init__(groups, strength)

    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Scale each group."""
        vector = checked_weights(weights, self.groups.size)
        return shrink_groups(self.groups, vector, checked_amount(step, "step") * self.strength)


class SparseGroupLasso(GroupLasso):
    """The group lasso plus ``lasso * |w|_1``: sparse groups, and sparse within them.

    Parameters
    ----------
    groups
        Groups without overlap.
    strength
        Of the groups' norms.
    lasso
        Of the weights' magnitudes.

    Examples
    --------
    >>> both = SparseGroupLasso(Groups.of([[0, 1], [2]], weights="one"), lasso=1.0)
    >>> both.prox([4.0, 5.0, 1.5], 1.0)
    array([2.4, 3.2, 0. ])
    """

    def __init__(self, groups: Groups, strength: float = 1.0, *, lasso: float) -> None:
        super().__init__(groups, strength)
        self.lasso = checked_amount(lasso, "lasso")

    def value(self, weights: npt.ArrayLike) -> float:
        """Return the groups' norms and the magnitudes, summed."""
        return super().value(weights) + self.lasso * float(np.abs(weights).sum())

    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Threshold each weight, then scale each group: the leaves of the tree come first."""
        vector = checked_weights(weights, self.groups.size)
        amount = checked_amount(step, "step") * self.lasso
        return super().prox(soft_threshold(vector, amount), step)
