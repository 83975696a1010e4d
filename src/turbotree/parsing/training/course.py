"""The course of a training: its data as integers, its progress, its checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from turbotree.arrays import IntArray
from turbotree.features import FrozenWeights, Weights
from turbotree.interrupts import Threads
from turbotree.learning import (
    Checkpoint,
    EpochRecord,
    LearnerOptions,
    Task,
    learn,
)
from turbotree.learning.progress import Progress
from turbotree.parsing.templates import load_templates
from turbotree.parsing.training.blueprint import Blueprint
from turbotree.parsing.training.options import TrainingOptions
from turbotree.text import Sentence
from turbotree.text.sentence import fingerprint

_T = TypeVar("_T")

# Weights below these are left out of the finished model: most features were met once or twice and
# hardly count. Two thirds of the table go, the scores on development data stay.
_NEGLIGIBLE = {"pruner": 0.01, "parts": 0.005, "labels": 0.003}


class StoppedError(Exception):
    """Raised in a worker thread when the main thread has failed."""


class Course:
    """What the stages of a training share.

    Parameters
    ----------
    train, dev
        The data.
    options
        How to train.
    checkpoints
        Folder of the learners' states.
    progress
        Told how training goes.
    blueprint
        Of the training data that `train` is a part of, if it is.
    """

    def __init__(
        self,
        train: list[Sentence],
        dev: list[Sentence],
        options: TrainingOptions,
        checkpoints: Path | None,
        progress: Progress,
        blueprint: Blueprint | None = None,
    ) -> None:
        self.options = options
        self.checkpoints = checkpoints
        self.progress = progress
        self.stop = threading.Event()
        if blueprint is None:
            blueprint, self.train = Blueprint.of(train, options)
        else:
            self.train = blueprint.treebank(train)
        self.blueprint = blueprint
        self.templates, self.encoder = blueprint.templates, blueprint.encoder
        self.dictionary, self.shape = blueprint.dictionary, blueprint.shape
        self.dev = blueprint.treebank(dev)
        self.share_among(sum(len(self.templates[name]) for name in options.families()))
        self.settings = {
            **options.to_record(),
            "templates": self.templates,
            "data": fingerprint(train),
            "development data": fingerprint(dev),
        }

    def share_among(self, templates: int) -> None:
        """Expect so many templates of parts, which decides what weights of theirs are left out.

        The more templates share what there is to tell, the smaller are their weights.
        """
        usual = sum(len(load_templates(name)) for name in self.options.families())
        parts = _NEGLIGIBLE["parts"] * min(1.0, usual / max(1, templates))
        self._negligible = {**_NEGLIGIBLE, "parts": parts}

    def forget(self) -> None:
        """Drop the state of an earlier run."""
        for name in ("pruner", "parts", "labels"):
            if (checkpoint := self.checkpoint(name)) is not None:
                checkpoint.remove()

    def _learn(
        self,
        name: str,
        task: Task,
        options: LearnerOptions,
        evaluate: Callable[[Weights, EpochRecord], None] | None = None,
        *,
        start: Weights | None = None,
    ) -> tuple[Weights, list[EpochRecord]]:
        self.progress.start(name, len(task), options.epochs)

        def on_instance(done: int, record: EpochRecord) -> None:
            if self.stop.is_set():
                raise StoppedError
            self.progress.instance(name, done, record)

        def on_epoch(weights: Weights, record: EpochRecord) -> None:
            if evaluate is not None:
                evaluate(weights, record)
            self.progress.epoch(name, record)

        return learn(
            task,
            options,
            start=start,
            checkpoint=self.checkpoint(name),
            on_instance=on_instance,
            on_epoch=on_epoch,
        )

    def _freeze(self, name: str, weights: Weights, labels: int | None = None) -> FrozenWeights:
        threshold = self._negligible[name] * self.options.trims()[name]
        return weights.freeze(labels=labels, threshold=threshold, bits=self.options.bits)

    def _complete(self, tree: Callable[[int], IntArray]) -> None:
        """Fill in the heads that were not given, for what needs whole trees."""
        data = self.train
        if not data.complete:
            trees = self._map(
                lambda i: data.heads[i] if data.known[i].all() else tree(i), len(data.heads)
            )
            self.train = data.completed(trees)

    def checkpoint(self, name: str) -> Checkpoint | None:
        """Return where a learner keeps its state."""
        if self.checkpoints is None:
            return None
        return Checkpoint(self.checkpoints / f"{name}.checkpoint", self.settings)

    def _map(self, function: Callable[[int], _T], count: int) -> list[_T]:
        with Threads(self.options.threads) as pool:
            return list(pool.map(function, range(count)))
