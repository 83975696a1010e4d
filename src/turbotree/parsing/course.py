"""The course of a training: its data as integers, its progress, its checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from turbotree.errors import InputError
from turbotree.features import (
    Encoder,
    FrozenWeights,
    Weights,
    attributes_of,
)
from turbotree.features import parse_templates as parse
from turbotree.features._core import MAX_LABELS
from turbotree.learning import (
    Checkpoint,
    EpochRecord,
    LearnerOptions,
    Task,
    learn,
)
from turbotree.learning.progress import Progress
from turbotree.parsing.arcs import (
    ARC,
    IntArray,
    TreeShape,
)
from turbotree.parsing.labels import NODE, pair_kind
from turbotree.parsing.options import TEMPLATE_SETS, TrainingOptions
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates
from turbotree.parsing.treebank import (
    Treebank,
    label_dictionary,
    names_of_labels,
    single_root,
)
from turbotree.text import Sentence
from turbotree.text.fingerprints import fingerprint

_T = TypeVar("_T")

# Weights below these are left out of the finished model: most features were met once or twice and
# hardly count. Two thirds of the table go, the scores on development data stay.
_NEGLIGIBLE = {"pruner": 0.01, "parts": 0.005, "labels": 0.003}


class StoppedError(Exception):
    """Raised in a worker thread when the main thread has failed."""


class Course:
    """What the stages of a training share."""

    def __init__(
        self,
        train: list[Sentence],
        dev: list[Sentence],
        options: TrainingOptions,
        checkpoints: Path | None,
        progress: Progress,
    ) -> None:
        self.options = options
        self.checkpoints = checkpoints
        self.progress = progress
        self.stop = threading.Event()
        given = options.templates or {}
        self.templates = {
            name: list(given[name]) if name in given else load_templates(name)
            for name in TEMPLATE_SETS
            if name not in FAMILIES or name in options.families()
        }
        names = names_of_labels(train)
        if len(names) > MAX_LABELS:
            raise InputError(f"{len(names)} labels; a parser takes up to {MAX_LABELS}")
        kinds = {
            **FAMILIES,
            "pruner": ARC,
            "label": NODE,
            "label_pair": pair_kind(len(names)),
        }
        parsed = [t for name, texts in self.templates.items() for t in parse(texts, kinds[name])]
        attributes, sets = attributes_of(parsed)
        # The labeller looks its dictionary up by tag, whatever the templates use.
        self.encoder = Encoder.fit(train, sorted({*attributes, "upos"}), sets)
        self.train = Treebank.of(train, self.encoder, names)
        self.dev = Treebank.of(dev, self.encoder, names)
        if options.decoder == "automata" and not self.train.complete:
            raise InputError("decoder 'automata' needs complete trees; some words have no head")
        self.shape = TreeShape(single_root=single_root(train, options.single_root))
        self.dictionary = label_dictionary(self.train, self.encoder, names)
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
        with ThreadPoolExecutor(self.options.threads) as pool:
            return list(pool.map(function, range(count)))
