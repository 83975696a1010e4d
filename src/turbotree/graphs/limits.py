"""Limits on a solver's time and rounds."""

from __future__ import annotations

import math
import time
from numbers import Real
from typing import Any

from turbotree.errors import InputError
from turbotree.graphs.literals import as_count


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
