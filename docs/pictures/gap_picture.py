"""The gap between bound and value against time, of four solvers: the measured figures as a plot."""

from __future__ import annotations

import sys
from itertools import pairwise
from math import log2
from pathlib import Path

from pens import Picture

#: Words of the problems, whose relaxations are loose.
_SET = "hard 20"
#: The solvers with their pens, and where their names stand: at a time, so much above the line.
_SOLVERS = {
    "turbotree": ("mark", 2.0**-5, 10),
    "toulbar2": ("cool", 2.0**-3, 10),
    "HiGHS": ("ink", 2.0**1, -16),
    "CP-SAT": ("pale", 2.0**1, 10),
}


def gap() -> Picture:
    """Draw a line for each solver."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
    from figures import read_figures
    from graphs_gap import TIMES

    figures = read_figures()
    picture = Picture(720, 340)

    def place(seconds: float, percent: float) -> tuple[float, float]:
        return 70 + 48 * (log2(seconds) + 10), 280 - 2.4 * percent

    for percent in range(0, 101, 20):
        y = place(1, percent)[1]
        picture.line(70, y, place(TIMES[-1], 0)[0], y, "pale", width=0.4)
        picture.text(62, y + 4, str(percent), "pale", "end", "small")
    for power in range(-10, 3, 2):
        x, y = place(2.0**power, 0)
        name = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        picture.text(x, y + 18, name, "pale", kind="small")
    picture.text(365, 322, "CPU seconds", kind="small")
    picture.text(40, 18, "gap in per cent of the optimum", at="start", kind="small")
    for name, (pen, at, raised) in _SOLVERS.items():
        figure = figures[f"graphs/gap/{_SET}/{name}"]
        gaps = {seconds: float(figure[f"gap % after {seconds:g} s"]) for seconds in TIMES}
        points = [place(seconds, percent) for seconds, percent in gaps.items()]
        ours = name == "turbotree"
        for (x1, y1), (x2, y2) in pairwise(points):
            picture.line(x1, y1, x2, y2, pen, width=2.4 if ours else 1.4)
        nearest = min(gaps, key=lambda seconds: abs(log2(seconds / at)))
        x, y = place(at, gaps[nearest])
        picture.text(x + 8, y - raised, name, pen, "start", "bold" if ours else "small")
    return picture
