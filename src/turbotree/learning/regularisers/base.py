"""What every regulariser offers: its value, and its proximity operator."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError


class Regulariser(ABC):
    """A convex function of the weights that is zero at zero and never below.

    Its proximity operator, asked for with a step t, is the one minimiser of

        1/2 |x - w|^2 + t value(x).
    """

    @abstractmethod
    def value(self, weights: npt.ArrayLike) -> float:
        """Return what the regulariser asks for these weights."""

    @abstractmethod
    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Return the weights after a proximal step, as a new array."""


def checked_weights(weights: npt.ArrayLike, size: int | None = None) -> FloatArray:
    """Return the weights as a vector of finite numbers, or say what is wrong.

    >>> checked_weights([1, 2]).tolist()
    [1.0, 2.0]
    """
    vector = np.asarray(weights, dtype=np.float64)
    if vector.ndim != 1:
        raise InputError(f"weights have {vector.ndim} dimensions; expected a vector")
    if size is not None and len(vector) != size:
        raise InputError(f"{len(vector)} weights; the groups are over {size}")
    if not np.isfinite(vector).all():
        raise InputError("weights hold NaN or infinity; expected finite numbers")
    return vector


def checked_amount(amount: float, what: str) -> float:
    """Return a number that is finite and not negative, or say what is wrong.

    >>> checked_amount(1, "step")
    1.0
    """
    if not 0 <= amount < math.inf:
        raise InputError(f"{what} is {amount}; expected a finite number, 0 or more")
    return float(amount)


def soft_threshold(weights: FloatArray, amount: FloatArray | float) -> FloatArray:
    """Move each weight towards zero by an amount, and not past it.

    >>> soft_threshold(np.array([3.0, -1.0, 0.5]), 1.0).tolist()
    [2.0, 0.0, 0.0]
    """
    # The difference, not sign times magnitude: a zero stays 0.0 and never becomes -0.0.
    clipped: FloatArray = weights - np.clip(weights, -np.asarray(amount), amount)
    return clipped
