"""Training parsers in shards: one worker each, and their weights mixed after each epoch."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turbotree.arrays import KeyArray
from turbotree.errors import InputError
from turbotree.features import FrozenWeights, Weights
from turbotree.features.weights import Arrays
from turbotree.learning import Checkpoint, EpochRecord, LearnerOptions, Stage
from turbotree.learning.epochs import OnInstance
from turbotree.learning.parameter_mixing import (
    Leg,
    Mixing,
    ShardLeg,
    learn_in_shards,
    merged,
)
from turbotree.learning.progress import Progress
from turbotree.naming import options_from
from turbotree.parsing import Parser, TrainingOptions
from turbotree.parsing.arcs import Pruner
from turbotree.parsing.training.options import TrainingKeywords
from turbotree.parsing.training.trainer import ParserTrainer, TrainingData
from turbotree.parsing.training.treebank import TrainingSource, read_trees
from turbotree.scaling.shard_worker import ShardStage, leg_of_shard, supported_of_shard
from turbotree.scaling.shards import Shard, deal
from turbotree.scaling.worker_pool import WorkerPool
from turbotree.scoring import SparseScorer, sparse
from turbotree.text import Sentence, write_sentences

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

_SHARED = "shards-"
#: Matches what a run that is killed may leave in the folder of its checkpoints.
SHARED_DATA = f"{_SHARED}*"


def train_in_shards(
    train: TrainingSource,
    pool: WorkerPool,
    shards: int,
    *,
    mixing: Mixing | None = None,
    dev: TrainingSource | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Unpack[TrainingKeywords],
) -> Parser:
    """Train a parser in shards, by iterative parameter mixing.

    The outcome depends on the number of shards, and on nothing else that serial training does not
    depend on; one shard gives what :func:`~turbotree.parsing.train_parser` gives.

    Parameters
    ----------
    train
        A treebank: a file, which the workers must see under the same path, or sentences, which are
        written for them to the folder of checkpoints.
    pool
        The workers, one per shard.
    shards
        How many.
    mixing
        How their weights are mixed, and how often.
    dev, checkpoint, resume, progress, options
        As for :func:`~turbotree.parsing.train_parser`. The state is kept after each
        epoch.

    Examples
    --------
    >>> from turbotree.scaling import open_engine, open_worker_pool
    >>> from turbotree.text import treebank
    >>> with open_engine("processes", 2) as engine, open_worker_pool(engine, 2) as pool:
    ...     parser = train_in_shards(treebank(20, seed=1), pool, 2, model="arc", epochs=1)
    >>> parser.record["mixing"]
    {'shards': 2, 'shares': 'features', 'times': 2}
    """
    chosen = options_from(TrainingOptions, "train", options, train_in_shards)
    trees = read_trees(train, "training data", partial=True)
    data = TrainingData.of(
        trees, read_trees(dev, "development data") if dev is not None else [], chosen
    )
    mixing = mixing or Mixing()
    states = Path(checkpoint) if checkpoint is not None else None
    if len(data.train.heads) < len(trees):  # some are held out
        train = list(data.train.sentences)
    with _file_of(train, list(data.train.sentences), states) as file:
        tasks = ShardedTasks(pool, data, deal(file, shards))
        how = mixing.to_record(shards)
        learn = partial(learn_at_workers, mixing=mixing)
        run = data.run(states, resume, progress, learn=learn, mixing=how)
        parser = ParserTrainer(data, run, tasks).train()
    if shards > 1:  # a single shard is trained as if there were none
        parser.record["mixing"] = how
    return parser


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


class ShardedTasks:
    """The training sets of trees that workers have; see :class:`ParserTasks`.

    Parameters
    ----------
    pool
        The workers, one per shard.
    data
        All of the training data.
    shards
        Who has which part of them.
    """

    one_at_a_time = True  # the workers are busy with one thing at a time

    def __init__(self, pool: WorkerPool, data: TrainingData, shards: list[Shard]) -> None:
        self._pool = pool
        self._shards = shards
        self._token = os.urandom(8).hex()
        self._blueprint = pool.share(data.blueprint)
        self._sentences = len(data.train.heads)
        self._complete = data.train.complete
        self._stage = ShardStage("pruner")

    def pruner(self, model: SparseScorer) -> ShardedTask:
        """Return the training set of the pruner."""
        return self._task()

    def prune(self, pruner: Pruner) -> None:
        """Have the workers prune with it from now on."""
        weights = sparse(pruner.scorer).weights
        assert isinstance(weights, FrozenWeights)
        self._stage = ShardStage("parts", weights.slots)

    def parts(self, model: SparseScorer) -> ShardedTask:
        """Return the training set of the parts."""
        return self._task()

    def count_supported(self, model: SparseScorer) -> int:
        """Count the features of right trees of all shards."""
        return len(self._task().supported())

    def complete(self, model: SparseScorer, weights: Weights) -> None:
        """Have the workers complete their trees, if they need to."""
        # Nothing else needs the pruner any more.
        pruner, parts = self._stage.pruner, weights.state()
        complete = self._complete
        self._stage = ShardStage("labels") if complete else ShardStage("labels", pruner, parts)

    def labels(self) -> ShardedTask:
        """Return the training set of the labels."""
        return self._task()

    def _task(self) -> ShardedTask:
        stage = self._pool.share(self._stage)
        calls = [(self._token, self._blueprint, shard, stage) for shard in self._shards]
        return ShardedTask(self._pool, calls, self._sentences)


class ShardedTask:
    """The training set of one stage, a part of it at each worker."""

    def __init__(self, pool: WorkerPool, calls: list[tuple[Any, ...]], sentences: int) -> None:
        self._pool = pool
        self._calls = calls
        self._sentences = sentences

    def __len__(self) -> int:
        return self._sentences

    @property
    def shards(self) -> int:
        """How many workers there are."""
        return len(self._calls)

    def supported(self) -> KeyArray:
        """Return the features of right answers."""
        return merged([keys for _, keys in self._pool.run(supported_of_shard, self._calls)])

    def learn(
        self, options: LearnerOptions, leg: Leg, state: Arrays
    ) -> Iterator[tuple[int, ShardLeg]]:
        """Have each shard go through one leg."""
        shared = [self._pool.share(each) for each in (options, leg, state)]
        seen = 0
        for number, shard in self._pool.run(
            leg_of_shard, [(*call, *shared) for call in self._calls]
        ):
            seen += shard.instances
            yield number, shard
        if seen != self._sentences:
            raise InputError(
                f"the workers read {seen} sentences of {self._sentences}: "
                "the training data have changed, or are not the same everywhere"
            )


def learn_at_workers(
    stage: Stage[Weights, Any],
    *,
    mixing: Mixing,
    checkpoint: Checkpoint | None,
    on_instance: OnInstance,
    on_epoch: Callable[[Weights, EpochRecord], None],
) -> tuple[Weights, list[EpochRecord]]:
    """Learn by iterative parameter mixing; see :class:`~turbotree.learning.run.Learn`."""
    assert isinstance(stage.task, ShardedTask)
    assert isinstance(stage.options, LearnerOptions)
    return learn_in_shards(
        stage.task,
        stage.options,
        mixing=mixing,
        checkpoint=checkpoint,
        on_shard=on_instance,
        on_epoch=on_epoch,
    )
