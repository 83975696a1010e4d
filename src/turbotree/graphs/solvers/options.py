"""Checks of the options that solvers share, and the clock of their limits."""

from __future__ import annotations

import math
import operator
import time
from numbers import Real
from typing import Any

import numpy as np

from turbotree.errors import InputError

_LARGEST_COUNT = 2**63 - 1


class Limits:
    """A clock that starts when it is made, and the limits to hold it against.

    Examples
    --------
    >>> limits = Limits(time_limit_seconds=60, max_iterations=10)
    >>> limits.reached(9), limits.reached(10)
    (False, True)
    """

    def __init__(
        self, time_limit_seconds: float | None = None, max_iterations: int | None = None
    ) -> None:
        self.started = time.perf_counter()
        self.time_limit_seconds = read_time_limit(time_limit_seconds)
        self.max_iterations = (
            None if max_iterations is None else as_count(max_iterations, "max_iterations", 0)
        )

    @property
    def seconds(self) -> float:
        """Wall-clock time since the start."""
        return time.perf_counter() - self.started

    def reached(self, iteration: int = 0) -> bool:
        """Whether a limit is reached after so many rounds."""
        if self.max_iterations is not None and iteration >= self.max_iterations:
            return True
        return self.seconds >= self.time_limit_seconds


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
