"""Functions of two variables that files give by a formula: soft inequalities and disjunctions."""

from __future__ import annotations

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError

#: The number of parameters of each.
PARAMETERS = {">=": 2, ">": 2, "<=": 2, "<": 2, "=": 2, "disj": 3}


def arithmetic(name: str, sizes: tuple[int, int], parameters: list[float]) -> FloatArray:
    """Compute the costs of a formula for all values of x and y; ``inf`` is forbidden.

    ``>=`` with ``[c, d]`` says that x should be at least y + c: what is missing is the cost, and
    more than d of it is forbidden. ``disj`` with ``[cx, cy, w]`` costs w unless x is at least
    y + cy or y at least x + cx.

    >>> arithmetic(">=", (2, 3), [0.0, 1.0])
    array([[ 0.,  1., inf],
           [ 0.,  0.,  1.]])
    """
    x, y = np.indices(sizes).astype(np.float64)
    if name == "disj":
        x_first, y_first, weight = parameters
        return np.where((x >= y + y_first) | (y >= x + x_first), 0.0, weight)
    constant, most = parameters
    missing = {
        ">=": y + constant - x,
        ">": y + 1 + constant - x,
        "<=": x - constant - y,
        "<": x - constant + 1 - y,
        "=": np.abs(y + constant - x),
    }[name]
    return np.where(missing <= most, np.maximum(missing, 0.0), np.inf)


def refuse(name: str) -> InputError:
    """Build the error of a formula that is not known."""
    known = ", ".join(PARAMETERS)
    return InputError(
        f"global cost function {name[:40]!r} is not supported; tables and {known} are"
    )
