"""Training a parser: pruner, parts, labels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from turbotree.features import (
    FrozenWeights,
    Parts,
    Weights,
)
from turbotree.interrupts import Threads
from turbotree.learning import (
    EpochRecord,
    Loss,
    count_supported,
)
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.temperature import typical_temperature
from turbotree.naming import options_from
from turbotree.parsing.arcs import (
    Pruner,
)
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.parser import Parser
from turbotree.parsing.training.course import Course, StoppedError
from turbotree.parsing.training.development import (
    attachment,
    label_accuracy,
    label_temperature,
    part_temperature,
)
from turbotree.parsing.training.label_task import LabelTask
from turbotree.parsing.training.options import TrainingOptions
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.treebank import (
    TrainingSource,
    pruning_record,
    read_trees,
)
from turbotree.scoring import SparseScorer


def train_parser(
    train: TrainingSource,
    *,
    dev: TrainingSource | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Parser:
    """Train a parser.

    Parameters
    ----------
    train
        A treebank: a file, or sentences. Words without a head (``_``) are free: training takes
        what the model makes of them under the heads that are known.
    dev
        Another, to show scores along the way and to fit the temperature of the probabilities.
    checkpoint
        Folder to keep the state of training in, so that it can be resumed.
    resume
        Go on from what the folder holds, if anything.
    progress
        Told how training goes.
    options
        Those of :class:`TrainingOptions`.
    """
    settings = options_of(options)  # complains before the data are read
    trainer = Trainer(
        read_trees(train, "training data", partial=True),
        read_trees(dev, "development data") if dev is not None else [],
        settings,
        Path(checkpoint) if checkpoint is not None else None,
        progress or Silent(),
    )
    if not resume:
        trainer.forget()
    return trainer.run()


def options_of(given: dict[str, Any]) -> TrainingOptions:
    """Check the options of a training; an unknown one gives an InputError."""
    return options_from(TrainingOptions, "train", given, train_parser)


class Trainer(Course):
    """Trains everything that a parser has."""

    def run(self) -> Parser:
        """Train everything; arcs and labels side by side if there are threads for it.

        Labels belong to trees: where these are known in part, the parser completes them first.
        """
        if not self.train.complete:
            free = self.train.words - self.train.known_heads
            self.progress.note(
                f"{free:,} of {self.train.words:,} words have no head: they are free"
            )
        if not self.side_by_side:
            pruner, arcs, arc_record = self.train_parts()
            labels, label_record = self.train_labels()
        else:
            with Threads(1) as pool:
                labelling = pool.submit(self.train_labels)
                # What fails on one side stops the other.
                labelling.add_done_callback(self._stop_on_failure)
                try:
                    pruner, arcs, arc_record = self.train_parts()
                except StoppedError:
                    labelling.result()
                    raise
                except BaseException:
                    self.stop.set()
                    raise
                labels, label_record = labelling.result()
        return self.finish(pruner, arcs, labels, {**arc_record, **label_record})

    @property
    def side_by_side(self) -> bool:
        """Whether labels are trained beside the arcs."""
        return self.options.threads > 1 and self.train.complete

    def finish(
        self, pruner: Pruner, arcs: SparseScorer, labels: LabelModel, records: dict[str, Any]
    ) -> Parser:
        """Put a parser together and fit its temperatures."""
        record = {
            "options": {
                **self.options.to_record(),
                "bits": self.options.bits,
                "trim": self.options.trims(),
            },
            "sentences": len(self.train.heads),
            "words": self.train.words,
            "words without a head": self.train.words - self.train.known_heads,
            **records,
        }
        return Parser(
            self.encoder,
            pruner,
            arcs,
            labels,
            self.shape,
            part_temperature(
                pruner, arcs, self.dev, self.shape, typical_temperature(self.options.arc_loss())
            ),
            label_temperature(
                labels, self.dev, typical_temperature(Loss.named(self.options.label_loss))
            ),
            record,
        )

    def _stop_on_failure(self, finished: Future[Any]) -> None:
        if finished.exception() is not None:
            self.stop.set()

    def train_parts(self) -> tuple[Pruner, SparseScorer, dict[str, Any]]:
        """Train the pruner, and the parts on what it leaves."""
        pruner, candidates, dev_candidates, record = self.train_pruner()
        model = self.blueprint.part_model()
        arcs, part_record = self.learn_parts("parts", model, candidates, dev_candidates)
        return pruner, arcs, {**record, **part_record}

    def train_pruner(self) -> tuple[Pruner, list[Parts], list[Parts], dict[str, Any]]:
        """Train the pruner; give what it leaves of the training and the development data."""
        weights, pruner_records = self._learn(
            "pruner", self.pruner_task(), self.options.pruner_learner()
        )
        pruner = self.pruner_with(self._freeze("pruner", weights))
        candidates = self.prune(pruner)
        dev_candidates = self._map(
            lambda i: pruner.candidates(self.dev.batch(i)), len(self.dev.encoded)
        )
        pruning = pruning_record(self.dev, dev_candidates)
        if pruning:
            self.progress.note(
                f"pruner   {pruning['heads_a_word']:.2f} heads a word on dev, "
                f"{pruning['gold_arcs_lost_percent']:.2f} % of the gold arcs lost"
            )
        record = {"pruner": [r.to_dict() for r in pruner_records], "pruning": pruning}
        return pruner, candidates, dev_candidates, record

    def pruner_task(self) -> PartTask:
        """Return the training set of the pruner."""
        data = self.train
        model = self.blueprint.pruner_model()
        return PartTask(model, data.encoded, data.heads, self.shape, known=data.known)

    def pruner_with(self, weights: FrozenWeights) -> Pruner:
        """Return a pruner that has learnt."""
        scorer = self.blueprint.pruner_model().with_weights(weights)
        return Pruner(scorer, self.options.pruning(), self.shape)

    def prune(self, pruner: Pruner) -> list[Parts]:
        """Complete the trees of the training data; give the arcs that are left of each."""
        self._complete(lambda i: pruner.complete(self.train.batch(i), self.train.heads[i]))
        return self._map(
            lambda i: pruner.candidates(self.train.batch(i), self.train.heads[i]),
            len(self.train.encoded),
        )

    def part_task(self, model: SparseScorer, candidates: Sequence[Parts]) -> PartTask:
        """Return the training set of a model."""
        return PartTask(
            model,
            self.train.encoded,
            self.train.heads,
            self.shape,
            candidates,
            self.options.decoder,
            self.train.known,
        )

    def learn_parts(
        self,
        name: str,
        model: SparseScorer,
        candidates: Sequence[Parts],
        dev_candidates: Sequence[Parts],
        *,
        start: Weights | None = None,
    ) -> tuple[SparseScorer, dict[str, Any]]:
        """Train the parts; from given weights, if there are any."""

        def freeze(current: Weights) -> SparseScorer:
            return model.with_weights(self._freeze("parts", current))

        def evaluate(current: Weights, record: EpochRecord) -> None:
            if self.dev.heads:
                record.scores["dev UAS"] = attachment(
                    freeze(current), self.dev, dev_candidates, self.shape, self._map
                )

        task = self.part_task(model, candidates)
        learner = self.options.arc_learner()
        weights, records = self._learn(name, task, learner, evaluate, start=start)
        record = {
            "parts": [r.to_dict() for r in records],
            "supported features": self.supported_features(name, task),
        }
        frozen = freeze(weights)
        self.complete_with(task, weights)
        return frozen, record

    def supported_features(self, name: str, task: PartTask) -> int:
        """Count the features of right trees, for the record of a learner."""
        return count_supported(task)

    def complete_with(self, task: PartTask, weights: Weights) -> None:
        """Complete the trees of the training data by what the parts have learnt."""
        self._complete(lambda i: task.problem(i).best_tree(weights))

    def label_task(self) -> LabelTask:
        """Return the training set of the labels."""
        model, data = self.blueprint.label_model(), self.train
        return LabelTask(model, data.encoded, data.heads, data.labels)

    def train_labels(self) -> tuple[LabelModel, dict[str, Any]]:
        """Train the labels of arcs."""
        model = self.blueprint.label_model()
        labels = len(self.dictionary.names)

        def freeze(current: Weights) -> LabelModel:
            return model.with_weights(self._freeze("labels", current, labels))

        def evaluate(current: Weights, record: EpochRecord) -> None:
            if self.dev.heads:
                accuracy = label_accuracy(freeze(current), self.dev, self._map)
                record.scores["dev label accuracy"] = accuracy

        weights, records = self._learn(
            "labels",
            self.label_task(),
            self.options.label_learner(),
            evaluate,
        )
        return freeze(weights), {"labels": [r.to_dict() for r in records]}
