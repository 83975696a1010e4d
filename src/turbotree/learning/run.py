"""A training run: stages that learn, their checkpoints, their progress, and what stops them.

Every model is trained in stages: a parser has its pruner, its parts and its labels, a tagger has
its columns. A :class:`Stage` says what is learnt and what becomes of it; a :class:`Run` does what
is the same for all of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sized
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar, cast

from turbotree.features import Weights
from turbotree.interrupts import Threads
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord, OnInstance
from turbotree.learning.learner import LearnerOptions, learn
from turbotree.learning.problem import Task
from turbotree.learning.progress import Progress, Silent

Learnt = TypeVar("Learnt")
Model = TypeVar("Model")
_First = TypeVar("_First")
_Second = TypeVar("_Second")


class StoppedError(Exception):
    """Raised in one thread of a run when another has failed."""


class RunKeywords(TypedDict, total=False):
    """What every way to train takes beside its options: a folder, whether to resume, a display."""

    checkpoint: str | os.PathLike[str] | None
    resume: bool
    progress: Progress | None


class HasEpochs(Protocol):
    """Options of a learner, of which the run only needs to know how long it takes."""

    @property
    def epochs(self) -> int:
        """Passes over the data."""
        ...


class Learn(Protocol):
    """A way to learn: one process, many workers, sparse weights, a network."""

    def __call__(
        self,
        stage: Stage[Any, Any],
        *,
        checkpoint: Checkpoint | None,
        on_instance: OnInstance,
        on_epoch: Callable[[Any, Any], None],
    ) -> tuple[Any, list[Any]]:
        """Learn; give what was learnt, and one record per epoch.

        Parameters
        ----------
        stage
            What to learn.
        checkpoint
            Where to keep the state; one that holds a state is continued.
        on_instance, on_epoch
            To be called after each instance with the number done in the epoch and its record, and
            after each epoch with what has been learnt so far and its record.
        """
        ...


@dataclass(frozen=True)
class Stage(Generic[Learnt, Model]):
    """Something to be learnt.

    Attributes
    ----------
    name
        Of the stage in progress displays and of its checkpoint.
    task
        The training set: a :class:`~turbotree.learning.Task`, or what `learn` takes instead.
    options
        Those of the learner: :class:`~turbotree.learning.LearnerOptions`, or what `learn` takes.
    freeze
        Makes a model of what has been learnt.
    score
        Scores a model on development data, by title.
    start
        What to begin with.
    learn
        How to learn, if not as the run does: a stage need not have features at all.
    """

    name: str
    task: Sized
    options: HasEpochs
    freeze: Callable[[Learnt], Model]
    score: Callable[[Model], Mapping[str, float]] | None = None
    start: Learnt | None = None
    learn: Learn | None = None


@dataclass(frozen=True)
class StageResult(Generic[Learnt, Model]):
    """What a stage gave: the model, the weights that it was frozen from, one record per epoch."""

    model: Model
    weights: Learnt
    records: list[EpochRecord]

    def to_record(self) -> list[dict[str, Any]]:
        """Return the records as JSON-ready data."""
        return [record.to_dict() for record in self.records]


@dataclass
class Run:
    """One training, from its first stage to its last.

    Attributes
    ----------
    folder
        Where the stages keep their states; None: nowhere.
    settings
        JSON-ready description of data and options; a state that was kept under others is refused.
    resume
        Whether to continue what the folder holds.
    stages
        Names of the stages to come. What an earlier run has left of them is deleted, unless this
        one is to resume it.
    progress
        Told how training goes.
    threads
        Threads for what can be done side by side; the models do not depend on it.
    learn
        How stages learn, if not by the online learner in this process.
    stop
        Ends all stages when it is set.

    Examples
    --------
    >>> from turbotree.learning import LearnerOptions, Loss
    >>> def count(stage, *, checkpoint, on_instance, on_epoch):
    ...     record = EpochRecord(1)
    ...     for done in range(len(stage.task)):
    ...         on_instance(done + 1, record)
    ...     on_epoch(sum(stage.task), record)
    ...     return sum(stage.task), [record]
    >>> once = LearnerOptions(Loss.named("svm"), epochs=1)
    >>> Run().train(Stage("sum", [1, 2, 3], once, str, learn=count)).model
    '6'
    """

    folder: str | os.PathLike[str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    resume: bool = False
    stages: Iterable[str] = ()
    progress: Progress = field(default_factory=Silent)
    threads: int = 1
    learn: Learn | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        if not self.resume:
            for name in self.stages:
                if (checkpoint := self.checkpoint(name)) is not None:
                    checkpoint.remove()

    def checkpoint(self, name: str) -> Checkpoint | None:
        """Return where a stage keeps its state."""
        if self.folder is None:
            return None
        return Checkpoint(Path(self.folder, f"{name}.checkpoint"), dict(self.settings))

    def train(self, stage: Stage[Learnt, Model]) -> StageResult[Learnt, Model]:
        """Train one stage, or what is left of it."""
        self.progress.start(stage.name, len(stage.task), stage.options.epochs)

        def on_instance(done: int, record: EpochRecord) -> None:
            if self.stop.is_set():
                raise StoppedError
            self.progress.instance(stage.name, done, record)

        def on_epoch(learnt: Learnt, record: EpochRecord) -> None:
            if stage.score is not None:
                record.scores |= stage.score(stage.freeze(learnt))
            self.progress.epoch(stage.name, record)

        shared: Any = {
            "checkpoint": self.checkpoint(stage.name),
            "on_instance": on_instance,
            "on_epoch": on_epoch,
        }
        learner = stage.learn or self.learn
        if learner is not None:
            learnt, records = learner(stage, **shared)
        else:
            task, start = cast(Task, stage.task), cast(Weights | None, stage.start)
            assert isinstance(stage.options, LearnerOptions)
            learnt, records = learn(task, stage.options, start=start, **shared)
        return StageResult(stage.freeze(learnt), learnt, records)

    def map(self, function: Callable[[int], _First], count: int) -> list[_First]:
        """Call a function with the numbers from 0 on, on all threads; give its answers in order."""
        with Threads(self.threads) as pool:
            return list(pool.map(function, range(count)))

    def both(
        self, here: Callable[[], _First], beside: Callable[[], _Second]
    ) -> tuple[_First, _Second]:
        """Do two things side by side; what fails on one side stops the other."""
        with Threads(1) as pool:
            second = pool.submit(beside)
            second.add_done_callback(self._stop_on_failure)
            try:
                first = here()
            except StoppedError:
                second.result()
                raise
            except BaseException:
                self.stop.set()
                raise
            return first, second.result()

    def _stop_on_failure(self, finished: Future[Any]) -> None:
        if finished.exception() is not None:
            self.stop.set()
