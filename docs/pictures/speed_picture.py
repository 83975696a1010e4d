"""Accuracy against speed on English EWT: the measured figures as a plot."""

from __future__ import annotations

import sys
from math import log2
from pathlib import Path
from typing import NamedTuple

from pens import Picture


class Point(NamedTuple):
    """Words per CPU second as a multiple of UDPipe 1's, and LAS on the test set."""

    name: str
    speed: float
    las: float
    ours: bool


def points() -> tuple[Point, ...]:
    """Read the points from the measured figures."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
    from figures import read_figures

    found = []
    for name, figure in read_figures().items():
        if name.startswith("parsing/en_ewt/") and "times UDPipe" in figure.values:
            parser = name.removeprefix("parsing/en_ewt/")
            short = parser.removeprefix("turbotree ")
            point = Point(
                short, float(figure["times UDPipe"]), float(figure["LAS"]), short != parser
            )
            found.append(point)
    return tuple(found)


POINTS = points()


def speed() -> Picture:
    picture = Picture(720, 330)

    def place(times: float, las: float) -> tuple[float, float]:
        return 90 + 100 * (log2(times) + 4), 30 + (91.5 - las) * 33

    for las in range(84, 92):
        y = place(1, las)[1]
        picture.line(90, y, 640, y, "pale", width=0.4)
        picture.text(82, y + 4, str(las), "pale", "end", "small")
    for power, name in ((-4, "1/16"), (-3, "1/8"), (-2, "1/4"), (-1, "1/2"), (0, "1"), (1, "2")):
        x = place(2.0**power, 84)[0]
        picture.line(x, 30, x, 282, "pale", width=0.4)
        picture.text(x, 300, name, "pale", kind="small")
    picture.text(365, 322, "words per CPU second, times those of UDPipe 1", kind="small")
    picture.text(60, 20, "LAS, test set", at="start", kind="small")
    for point in POINTS:
        x, y = place(point.speed, point.las)
        pen = "mark" if point.ours else "cool"
        picture.circle(x, y, 6, pen, pen)
        to_left = point.name in ("full", "turbo, --network 128")
        name = f"turbotree {point.name}" if point.ours else point.name
        kind = "bold" if point.ours else ""
        beside, at = (-11, "end") if to_left else (11, "start")
        picture.text(x + beside, y + 5, name, pen, at, kind)
    return picture
