"""Training in shards beside serial training: attachment scores and time.

Usage: python benchmarks/mixing.py TRAIN DEV [--shards 1,2,4] [--epochs 10]
       [--shares features] [--times 2]

Trains the pruner and the arcs (labels do not change UAS) and prints a line for each number of
shards; 1 is serial training. The bar: within 0.3 UAS of it with 2 and with 4.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from functools import partial
from pathlib import Path

from turbotree.display.training_progress import Lines
from turbotree.learning.parameter_mixing import SHARES, Mixing
from turbotree.parsing import TrainingOptions
from turbotree.parsing.training.trainer import ParserTrainer, TrainingData
from turbotree.scaling import deal, open_engine, open_worker_pool
from turbotree.scaling.training import ShardedTasks, learn_at_workers

MOST_POINTS = 0.3


def cpu_seconds() -> float:
    """Return what this process and its finished children have spent."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def train(
    file: Path, dev: Path, shards: int, mixing: Mixing, epochs: int, model: str
) -> list[float]:
    """Train arcs; give the attachment score on the development data after each epoch."""
    options = TrainingOptions(epochs=epochs, model=model)
    data = TrainingData.read(file, dev, options)
    if shards == 1:
        records = ParserTrainer(data, data.run(progress=Lines())).train_arcs()[2]
    else:
        run = data.run(progress=Lines(), learn=partial(learn_at_workers, mixing=mixing))
        with open_engine("processes", shards) as engine, open_worker_pool(engine, shards) as pool:
            tasks = ShardedTasks(pool, data, deal(file, shards))
            records = ParserTrainer(data, run, tasks).train_arcs()[2]
    return [record["scores"]["dev UAS"] for record in records["parts"]]


def main() -> int:
    """Print the lines; fail if the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--shards", default="1,2,4")
    parser.add_argument("--epochs", type=int, default=TrainingOptions().epochs)
    parser.add_argument("--model", default="arc")
    parser.add_argument("--shares", default=Mixing().shares, choices=SHARES)
    parser.add_argument("--times", type=int, help="mixes an epoch")
    options = parser.parse_args()
    counts = [int(count) for count in options.shards.split(",")]
    scores: dict[int, float] = {}
    for shards in counts:
        started, cpu = time.perf_counter(), cpu_seconds()
        mixing = Mixing(options.shares, options.times)
        found = train(options.train, options.dev, shards, mixing, options.epochs, options.model)
        scores[shards] = found[-1]
        print(
            f"{shards} shards  dev UAS {' '.join(f'{score:.2f}' for score in found)}  "
            f"{time.perf_counter() - started:.0f} s, CPU {cpu_seconds() - cpu:.0f} s, "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    if 1 not in scores:
        return 0
    worst = max(scores[1] - score for score in scores.values())
    print(f"at most {worst:.2f} below serial training; the bar is {MOST_POINTS}")
    return int(worst > MOST_POINTS)


if __name__ == "__main__":
    sys.exit(main())
