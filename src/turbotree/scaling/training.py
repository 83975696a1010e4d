"""Training parsers in shards: one worker each, and their weights mixed after each epoch."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from turbotree.arrays import KeyArray
from turbotree.errors import InputError
from turbotree.features import FrozenWeights, Parts, Weights
from turbotree.features.weights import Arrays
from turbotree.learning import EpochRecord, LearnerOptions, Task
from turbotree.learning.parameter_mixing import (
    Leg,
    Mixing,
    ShardLeg,
    learn_in_shards,
    merged,
)
from turbotree.learning.progress import Progress, Silent
from turbotree.parsing import Parser
from turbotree.parsing.arcs import Pruner
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.trainer import Trainer, options_of
from turbotree.parsing.training.treebank import TrainingSource, read_trees
from turbotree.scaling.crews import Crew
from turbotree.scaling.desks import Stage, leg_of_shard, supported_of_shard
from turbotree.scaling.shards import Shard, deal
from turbotree.scoring import sparse
from turbotree.text import Sentence, write_sentences

_SHARED = "shards-"
#: Matches what a run that is killed may leave in the folder of its checkpoints.
SHARED_DATA = f"{_SHARED}*"


def train_in_shards(
    train: TrainingSource,
    crew: Crew,
    shards: int,
    *,
    mixing: Mixing | None = None,
    dev: TrainingSource | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Parser:
    """Train a parser in shards, by iterative parameter mixing.

    The outcome depends on the number of shards, and on nothing else that serial training does not
    depend on; one shard gives what :func:`~turbotree.parsing.train_parser` gives.

    Parameters
    ----------
    train
        A treebank: a file, which the workers must see under the same path, or sentences, which are
        written for them to the folder of checkpoints.
    crew
        The workers, one a shard.
    shards
        How many.
    mixing
        How their weights are mixed, and how often.
    dev, checkpoint, resume, progress, options
        As for :func:`~turbotree.parsing.train_parser`. The state is kept after each
        epoch.

    Examples
    --------
    >>> from turbotree.scaling import open_crew, open_engine
    >>> from turbotree.text import treebank
    >>> with open_engine("processes", 2) as engine, open_crew(engine, 2) as crew:
    ...     parser = train_in_shards(treebank(20, seed=1), crew, 2, epochs=1, pruner_epochs=1)
    >>> parser.record["mixing"]
    {'shards': 2, 'shares': 'features', 'times': 2}
    """
    chosen = options_of(options)
    trees = read_trees(train, "training data", partial=True)
    states = Path(checkpoint) if checkpoint is not None else None
    with _file_of(train, trees, states) as file:
        trainer = MixingTrainer(
            trees,
            read_trees(dev, "development data") if dev is not None else [],
            chosen,
            states,
            progress or Silent(),
        )
        trainer.deal_to(crew, deal(file, shards), mixing or Mixing())
        if not resume:
            trainer.forget()
        return trainer.run()


@contextmanager
def _file_of(train: TrainingSource, trees: list[Sentence], folder: Path | None) -> Iterator[Path]:
    """Give a file that can be cut: the training data itself, or a copy."""
    path = Path(train) if isinstance(train, str | os.PathLike) else None
    if path is not None and path.is_file() and path.suffix != ".gz":
        yield path
        return
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=_SHARED) as place:
        file = Path(place, "train.conllu")
        with open(file, "wb") as out:
            write_sentences(trees, out)
        yield file


class MixingTrainer(Trainer):
    """Trains like any other, but has workers go through the data."""

    def deal_to(self, crew: Crew, shards: list[Shard], mixing: Mixing) -> None:
        """Say who has the data."""
        self._crew = crew
        self._shards = shards
        self._mixing = mixing
        self._stage = Stage("pruner")
        self._token = os.urandom(8).hex()
        self._shared_blueprint = crew.share(self.blueprint)
        self.settings["mixing"] = self._mixing_record()

    @property
    def side_by_side(self) -> bool:
        """Never: the workers are busy with one thing at a time."""
        return False

    def train_labels(self) -> tuple[Any, dict[str, Any]]:
        """Train the labels of arcs; say how all was trained."""
        # Nothing needs the pruner any more, unless trees have to be completed.
        self._stage = replace(self._stage, name="labels")
        if self._stage.parts is None:
            self._stage = replace(self._stage, pruner=None)
        model, record = super().train_labels()
        if len(self._shards) > 1:  # a single shard is trained as if there were none
            record["mixing"] = self._mixing_record()
        return model, record

    def _mixing_record(self) -> dict[str, Any]:
        return self._mixing.to_record(len(self._shards))

    def prune(self, pruner: Pruner) -> list[Parts]:
        """Leave it to the workers."""
        weights = sparse(pruner.scorer).weights
        assert isinstance(weights, FrozenWeights)
        self._stage = Stage("parts", weights.slots)
        return []

    def complete_with(self, task: PartTask, weights: Weights) -> None:
        """Leave it to the workers."""
        if not self.train.complete:
            self._stage = replace(self._stage, parts=weights.state())

    def supported_features(self, name: str, task: PartTask) -> int:
        """Count the features of right trees of all shards."""
        return len(_Remote(self).supported())

    def _learn(
        self,
        name: str,
        task: Task,
        options: LearnerOptions,
        evaluate: Callable[[Weights, EpochRecord], None] | None = None,
        *,
        start: Weights | None = None,
    ) -> tuple[Weights, list[EpochRecord]]:
        assert start is None
        self.progress.start(name, len(self.train.heads), options.epochs)

        def on_epoch(weights: Weights, record: EpochRecord) -> None:
            if evaluate is not None:
                evaluate(weights, record)
            self.progress.epoch(name, record)

        return learn_in_shards(
            _Remote(self),
            options,
            mixing=self._mixing,
            checkpoint=self.checkpoint(name),
            on_shard=lambda done, record: self.progress.instance(name, done, record),
            on_epoch=on_epoch,
        )

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Iterator[tuple[int, Any]]:
        """Have each worker do something with its shard."""
        crew = self._crew
        stage, shared = crew.share(self._stage), [crew.share(a) for a in arguments]
        calls = [
            (self._token, self._shared_blueprint, shard, stage, *shared) for shard in self._shards
        ]
        return crew.run(function, calls)

    def __len__(self) -> int:
        return len(self._shards)


class _Remote:
    """The data of one stage, as the learner sees them."""

    def __init__(self, trainer: MixingTrainer) -> None:
        self._trainer = trainer

    def __len__(self) -> int:
        return len(self._trainer)

    def supported(self) -> KeyArray:
        """Return the features of right answers."""
        return merged([keys for _, keys in self._trainer.ask(supported_of_shard)])

    def learn(
        self, options: LearnerOptions, leg: Leg, state: Arrays
    ) -> Iterator[tuple[int, ShardLeg]]:
        """Have each shard go through one leg."""
        seen = 0
        for number, shard in self._trainer.ask(leg_of_shard, options, leg, state):
            seen += shard.instances
            yield number, shard
        expected = len(self._trainer.train.heads)
        if seen != expected:
            raise InputError(
                f"the workers read {seen} sentences of {expected}: "
                "the training data have changed, or are not the same everywhere"
            )
