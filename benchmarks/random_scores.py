"""`tt.decode` with random scores of all siblings, all grandparents, or both, with all arcs.

    python benchmarks/random_scores.py [--words 10,20,30] [--scales 1,100] [--record]

Nothing is pruned and nothing is learnt, so that relaxations are as loose as they get. Arcs have
normally distributed scores, parts of two arcs the same times a scale. Each sentence is decoded by
``decoder="exact"``, until there is a proof or the time is over.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np
from figures import record
from timing import cpu_seconds

import turbotree as tt
from turbotree.interrupts import OutOfTimeError, time_limit

MODELS = {
    "siblings": ("sibling_scores",),
    "grandparents": ("grandparent_scores",),
    "both": ("sibling_scores", "grandparent_scores"),
}
#: Seeds count from here.
FIRST_SEED = 1000


def decoded(seed: int, words: int, scale: float, names: Sequence[str], limit: float) -> bool:
    """Decode one sentence; return whether the tree is proven to be the best."""
    rng = np.random.default_rng(seed)
    arcs = rng.normal(size=(words + 1, words + 1))
    scores: dict[str, Any] = {name: scale * rng.normal(size=(words + 1,) * 3) for name in names}
    try:
        with time_limit(limit):
            found = tt.decode(arcs, decoder="exact", **scores)
    except OutOfTimeError:
        return False
    return found.certificate.status is tt.graphs.Status.OPTIMAL


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--words", default="10,20,30", help="lengths of sentences")
    add("--scales", default="1,100", help="of the scores of parts of two arcs")
    add("--models", default=",".join(MODELS), help="some of " + ", ".join(MODELS))
    add("--sentences", type=int, default=6, help="how many of each")
    add("--limit", type=float, default=10.0, help="wall-clock seconds for each sentence")
    add("--record", action="store_true", help="write to figures.json")
    options = parser.parse_args()
    decoded(0, 3, 1.0, MODELS["both"], 1.0)  # loads everything
    print(f"load {os.getloadavg()[0]:.1f}; CPU seconds of the proven sentences")
    print(f"{'':28} {'proven':>8} {'median':>8} {'longest':>8}")
    for model in options.models.split(","):
        for words in map(int, options.words.split(",")):
            for scale in map(float, options.scales.split(",")):
                runs = [
                    cpu_seconds(decoded, FIRST_SEED + i, words, scale, MODELS[model], options.limit)
                    for i in range(options.sentences)
                ]
                _report(f"{model}/{words} words, scale {scale:g}", runs, options)


def _report(name: str, runs: list[tuple[float, bool]], options: argparse.Namespace) -> None:
    seconds = [spent for spent, proven in runs if proven]
    values: dict[str, int | float] = {"sentences": len(runs), "proven": len(seconds)}
    if seconds:
        values |= {
            "median s": round(median(seconds), 3),
            "longest s": round(max(seconds), 3),
        }
    print(
        f"{name:28} {len(seconds):>3} / {len(runs)}"
        + (f" {median(seconds):8.3f} {max(seconds):8.3f}" if seconds else ""),
        flush=True,
    )
    if options.record:
        setting = (
            "tt.decode, decoder exact, all arcs, standard normal scores of arcs and, times the "
            f"scale, of parts; seeds from {FIRST_SEED}; {options.limit:g} s of wall-clock time "
            "each; CPU seconds of the proven ones"
        )
        record(f"random scores/{name}", values, setting=setting, script=__file__)


if __name__ == "__main__":
    main()
