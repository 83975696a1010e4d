"""What a solver knew at which time: its best value and its bound, by CPU seconds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Course:
    """The best value and the bound of a maximisation as they changed, and how it ended.

    Attributes
    ----------
    seconds, values, bounds
        After so much CPU time the solver knew this value and this bound; infinite if none.
    proven
        Whether it ended with a proof.
    """

    seconds: tuple[float, ...]
    values: tuple[float, ...]
    bounds: tuple[float, ...]
    proven: bool

    @property
    def total_seconds(self) -> float:
        """How long it took."""
        return self.seconds[-1]

    def gap(self, seconds: float, optimum: float) -> float:
        """Return bound less value as a fraction of the optimum, at most 1, after so many seconds.

        >>> course = Course((1.0, 2.0, 4.0), (-math.inf, 8.0, 10.0), (15.0, 12.0, 10.0), True)
        >>> [course.gap(seconds, 10.0) for seconds in (0.5, 1.0, 3.0, 5.0)]
        [1.0, 1.0, 0.4, 0.0]
        """
        gap = 1.0
        for then, value, bound in zip(self.seconds, self.values, self.bounds, strict=True):
            if then <= seconds:
                gap = min(1.0, max(0.0, bound - value) / abs(optimum))
        if self.proven and seconds >= self.total_seconds:
            return 0.0
        return gap


class Watch:
    """Collects a course while a solver runs, and knows when its time is over."""

    def __init__(self, limit_seconds: float) -> None:
        self._started = time.process_time()
        self._limit = limit_seconds
        self._rows = [(0.0, -math.inf, math.inf)]

    @property
    def spent(self) -> float:
        """CPU seconds since the beginning."""
        return time.process_time() - self._started

    @property
    def left(self) -> float:
        """CPU seconds that are left."""
        return self._limit - self.spent

    def is_over(self) -> bool:
        """Return whether the time is over."""
        return self.left <= 0.0

    def note(
        self, value: float = -math.inf, bound: float = math.inf, seconds: float | None = None
    ) -> None:
        """Take down a value and a bound, unless better ones are known already."""
        then = self.spent if seconds is None else seconds
        _, best, lowest = self._rows[-1]
        if value > best or bound < lowest:
            self._rows.append((then, max(value, best), min(bound, lowest)))

    def course(self, proven: bool) -> Course:
        """Give what was taken down."""
        _, value, bound = self._rows[-1]
        seconds, values, bounds = zip(*self._rows, (self.spent, value, bound), strict=True)
        return Course(seconds, values, bounds, proven)
