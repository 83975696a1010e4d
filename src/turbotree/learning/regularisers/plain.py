"""Regularisers that treat each weight by itself: ridge, lasso, elastic net."""

from __future__ import annotations

import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.learning.regularisers.base import (
    Regulariser,
    checked_amount,
    checked_weights,
    soft_threshold,
)


class ElasticNet(Regulariser):
    """lasso * |w|_1 + ridge / 2 * |w|^2, the sum of the next two.

    (With |w| instead of its square, it is a :class:`~.TreeGroupLasso` of one group for all weights
    and one for each.)

    Examples
    --------
    >>> net = ElasticNet(lasso=1.0, ridge=1.0)
    >>> net.value([3.0, -1.0])
    9.0
    >>> net.prox([3.0, -1.0], 1.0).tolist()
    [1.0, 0.0]
    """

    def __init__(self, *, lasso: float, ridge: float) -> None:
        self.lasso = checked_amount(lasso, "lasso")
        self.ridge = checked_amount(ridge, "ridge")

    def value(self, weights: npt.ArrayLike) -> float:
        """Return the sum of the two terms."""
        vector = checked_weights(weights)
        return float(self.lasso * abs(vector).sum() + 0.5 * self.ridge * (vector @ vector))

    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Threshold, then scale."""
        step = checked_amount(step, "step")
        thresholded = soft_threshold(checked_weights(weights), step * self.lasso)
        scaled: FloatArray = thresholded / (1.0 + step * self.ridge)
        return scaled


class L1(ElasticNet):
    """strength * |w|_1, the lasso.

    Examples
    --------
    >>> L1(2.0).prox([3.0, -1.0], 0.5).tolist()
    [2.0, 0.0]
    """

    def __init__(self, strength: float = 1.0) -> None:
        super().__init__(lasso=checked_amount(strength, "strength"), ridge=0.0)


class L2(ElasticNet):
    """strength / 2 * |w|^2, the ridge.

    Examples
    --------
    >>> L2(2.0).prox([3.0, -1.0], 0.5).tolist()
    [1.5, -0.5]
    """

    def __init__(self, strength: float = 1.0) -> None:
        super().__init__(lasso=0.0, ridge=checked_amount(strength, "strength"))
