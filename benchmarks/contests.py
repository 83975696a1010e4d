"""Two ways to do the same, timed by turns in one process: what counts is the ratio."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

from history import Measured

Run = Callable[[], object]

#: What is shorter than this is run several times in a row: clocks are coarse.
LEAST_SECONDS = 0.05


@dataclass(frozen=True)
class Contest:
    """One thing to measure.

    Attributes
    ----------
    name
        What is done, for the table and the history: a new name begins a new history.
    peer
        Who it is done beside.
    ours, theirs
        Each sets one side up, off the clock, and returns what is timed.
    again
        Whether the same run may be timed several times in a row. Parsers remember words, so theirs
        may not.
    """

    name: str
    peer: str
    ours: Callable[[], Run]
    theirs: Callable[[], Run]
    again: bool = True


def simple(name: str, peer: str, ours: Run, theirs: Run) -> Contest:
    """Make a contest without set-up."""
    return Contest(name, peer, lambda: ours, lambda: theirs)


def measure(contest: Contest, repeats: int) -> Measured:
    """Time both sides by turns; a ratio is the peer's CPU seconds over ours."""
    sides = (contest.ours, contest.theirs)
    loops = [1, 1]
    for side, set_up in enumerate(sides):  # the first run of each is not counted
        seconds = _seconds(set_up(), 1)
        if contest.again:
            loops[side] = max(1, math.ceil(LEAST_SECONDS / max(seconds, 1e-6)))
    ratios = []
    for repeat in range(repeats):
        seconds_of = [0.0, 0.0]
        # Neither side always runs in the other's wake.
        for side in (0, 1) if repeat % 2 == 0 else (1, 0):
            seconds_of[side] = _seconds(sides[side](), loops[side])
        ratios.append(max(seconds_of[1], 1e-9) / max(seconds_of[0], 1e-9))
    return Measured(contest.name, tuple(ratios))


def _seconds(run: Run, loops: int) -> float:
    """Return the CPU seconds of one run."""
    gc.collect()
    started = process_time()
    for _ in range(loops):
        run()
    return (process_time() - started) / loops
