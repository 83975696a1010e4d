"""Train a parser and tell, as one JSON object, what each stage cost and the peak memory.

Usage: python benchmarks/parsing_training.py TRAIN MODEL [--dev FILE] [--epochs N]
A process of its own, so that the peak is that of training alone; ``parsing.py`` starts it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from statistics import median
from typing import Any

from turbotree.learning import EpochRecord
from turbotree.parsing import Parser


class StageClock:
    """A progress display that shows nothing but keeps CPU time.

    An epoch ends with its last instance: the development scores that follow are not counted.
    """

    def __init__(self) -> None:
        self.epochs: dict[str, list[float]] = {}
        self._instances: dict[str, int] = {}
        self._since = 0.0

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Start the clock of a learner."""
        self.epochs[name] = []
        self._instances[name] = instances
        self._since = time.process_time()

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Stop the clock after the last instance of an epoch."""
        if done == self._instances[name]:
            self.epochs[name].append(time.process_time() - self._since)

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Start the clock of the next epoch."""
        print(
            f"  {name}: epoch {record.epoch} {self.epochs[name][-1]:.1f} CPU s, "
            f"peak so far {peak_megabytes():,.0f} MB",
            file=sys.stderr,
        )
        self._since = time.process_time()

    def note(self, text: str) -> None:
        """Ignore."""


def peak_megabytes() -> float:
    """Return the most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def train(path: str, model: str, dev: str | None, epochs: int) -> dict[str, Any]:
    """Train with one thread, save the model, and return the figures."""
    clock = StageClock()
    start = time.process_time()
    parser = Parser.train(path, dev=dev, model="arc", epochs=epochs, threads=1, progress=clock)
    total = time.process_time() - start
    peak = peak_megabytes()
    parser.save(model)
    per_epoch = {name: median(seconds) for name, seconds in clock.epochs.items()}
    return {
        "epochs": epochs,
        "cpu_seconds": total,
        "pruner_cpu_seconds": sum(clock.epochs["pruner"]),
        "epoch_cpu_seconds": per_epoch,
        "arcs_and_labels_epoch_cpu_seconds": per_epoch["parts"] + per_epoch["labels"],
        "peak_megabytes": peak,
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train")
    parser.add_argument("model")
    parser.add_argument("--dev")
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args(arguments)
    print(json.dumps(train(options.train, options.model, options.dev, options.epochs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
