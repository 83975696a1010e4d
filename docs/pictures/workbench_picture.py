"""Injected errors that are found, by how many words are reviewed: the measured figures."""

from __future__ import annotations

import sys
from itertools import pairwise
from math import log2
from pathlib import Path

from pens import Picture

_TREEBANK = "tr_imst"
_SHARES = (1, 2, 5, 10)
#: The rankings, and how far their names are moved up so that none hides another.
_RANKINGS = {
    "turbotree check": 4,
    "models, learnt": -12,
    "probability of head and label": 0,
    "probability alone": 0,
    "rules alone": -2,
    "variation alone": -12,
    "random": 0,
}


def workbench() -> Picture:
    """Draw a line for each ranking."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
    from figures import read_figures

    figures = read_figures()
    picture = Picture(720, 340)

    def place(share: float, recall: float) -> tuple[float, float]:
        return 70 + 130 * log2(share), 280 - 2.5 * recall

    for recall in range(0, 101, 20):
        y = place(1, recall)[1]
        picture.line(70, y, place(10, 0)[0], y, "pale", width=0.4)
        picture.text(62, y + 4, str(recall), "pale", "end", "small")
    for share in _SHARES:
        x, y = place(share, 0)
        picture.text(x, y + 18, f"{share} %", "pale", kind="small")
    picture.text(290, 322, "share of the words that are reviewed", kind="small")
    picture.text(40, 18, "wrong words found, per cent", at="start", kind="small")
    for name, raised in _RANKINGS.items():
        figure = figures[f"workbench/{_TREEBANK}/{name}"]
        points = [place(share, float(figure[f"recall {share}%"])) for share in _SHARES]
        ours = name == "turbotree check"
        pen = "mark" if ours else "pale" if name == "random" else "cool"
        for (x1, y1), (x2, y2) in pairwise(points):
            picture.line(x1, y1, x2, y2, pen, width=2.4 if ours else 1.4)
        x, y = points[-1]
        picture.text(x + 8, y + 4 - raised, name, pen, "start", "bold" if ours else "small")
    return picture
