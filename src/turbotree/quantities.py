"""Numbers and truth values that a caller gives: each is checked, and one wording refuses it."""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any

import numpy as np

from turbotree.errors import InputError

_LARGEST_COUNT = 2**63 - 1


def check_least(name: str, value: float, least: int) -> None:
    """Refuse a number that is too small.

    >>> check_least("folds", 1, 2)
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: folds is 1; expected at least 2
    """
    if value < least:
        raise InputError(f"{name} is {value}; expected at least {least}")


def read_time_limit(seconds: Any) -> float:
    """Check a time limit; none is infinite.

    >>> read_time_limit(None), read_time_limit(2)
    (inf, 2.0)
    """
    if seconds is None:
        return math.inf
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not float(seconds) >= 0:
        raise InputError(f"time_limit_seconds: expected a number from 0, got {seconds!r}")
    return float(seconds)


def as_count(value: Any, where: str, smallest: int) -> int:
    """Check a whole number that must be at least `smallest`; more than 2^63 - 1 is that many."""
    try:
        count = operator.index(value)
    except TypeError:
        raise InputError(f"{where}: expected a whole number, got {value!r}") from None
    if count < smallest:
        raise InputError(f"{where}: expected at least {smallest}, got {count}")
    return min(count, _LARGEST_COUNT)


def as_flag(value: Any, where: str) -> bool:
    """Check a truth value."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{where}: expected True or False, got {value!r}")
    return bool(value)


def as_positive(value: Any, where: str) -> float:
    """Check a finite number above 0."""
    if type(value) is float and 0 < value < np.inf:
        return value
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise InputError(f"{where}: expected a number above 0, got {value!r}")
    return float(value)


def as_fraction(value: Any, where: str) -> float:
    """Check a number from 0 to below 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < 1:
        raise InputError(f"{where}: expected a number from 0 to below 1, got {value!r}")
    return float(value)


def as_share(value: Any, where: str) -> float:
    """Check a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InputError(f"{where}: expected a number from 0 to 1, got {value!r}")
    return float(value)
