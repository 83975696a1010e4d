"""How training is shown: bars in a terminal, lines elsewhere, or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from turbotree.display.training_progress import Bars, Lines
from turbotree.learning.progress import Progress, Silent


@contextmanager
def shown_progress(quiet: bool = False) -> Iterator[Progress]:
    """Yield what suits the place that standard error goes to."""
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        with Bars() as bars:
            yield bars
    else:
        yield Lines()


def seconds_text(seconds: float) -> str:
    """Say how long something took.

    >>> seconds_text(7.25), seconds_text(75), seconds_text(119.7), seconds_text(7500)
    ('7.2 s', '1 min 15 s', '2 min 0 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
