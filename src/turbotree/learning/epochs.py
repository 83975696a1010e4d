"""Epochs: passes over the data in random order, whose state can be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from turbotree.errors import ModelFileError
from turbotree.features.weights import Arrays
from turbotree.learning.checkpoint import AnyStorable, Checkpoint


@dataclass(slots=True)
class EpochRecord:
    """What one pass over the data did; goes into the model's training record."""

    epoch: int
    loss: float = 0.0
    updates: int = 0
    features: int = 0
    scores: dict[str, float] = field(default_factory=dict)

    def figures(self) -> list[str]:
        """Return how large the weights are.

        >>> EpochRecord(1, features=1200).figures()
        ['1,200 features']
        """
        return [f"{self.features:,} features"]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready data."""
        return asdict(self)


AnyRecord = TypeVar("AnyRecord", bound=EpochRecord)

#: Called after each instance with the number done in this epoch and the record so far.
OnInstance = Callable[[int, EpochRecord], None]


def order_of(instances: int, seed: int, epoch: int) -> npt.NDArray[np.int64]:
    """Return the order in which an epoch goes through the instances.

    >>> order_of(4, seed=1, epoch=0).tolist() == order_of(4, seed=1, epoch=0).tolist()
    True
    """
    return np.random.default_rng([seed, epoch]).permutation(instances)


@dataclass
class TrainingState(Generic[AnyStorable, AnyRecord]):
    """Where a learner stands.

    Attributes
    ----------
    weights, records
        What was learnt, and one record for each epoch that has begun.
    epoch, done
        Finished epochs, and instances done in the current one.
    checkpoint
        Where the state is kept, if anywhere.
    """

    weights: AnyStorable
    record_type: type[AnyRecord]
    checkpoint: Checkpoint | None = None
    records: list[AnyRecord] = field(default_factory=list)
    epoch: int = 0
    done: int = 0

    @classmethod
    def begin(
        cls,
        new_weights: Callable[[], AnyStorable],
        restore: Callable[[Arrays], AnyStorable],
        record_type: type[AnyRecord],
        checkpoint: Checkpoint | None,
    ) -> TrainingState[AnyStorable, AnyRecord]:
        """Take up what a checkpoint holds, or start afresh.

        Parameters
        ----------
        new_weights
            Makes the weights to start with; is only called if there is nothing to take up.
        restore
            Makes weights of what their ``state`` gave.
        record_type
            What the records are.
        checkpoint
            Where the state is kept.
        """
        state = checkpoint.load_as(restore) if checkpoint is not None else None
        if checkpoint is None or state is None:
            return cls(new_weights(), record_type, checkpoint)
        try:
            records = [record_type(**record) for record in state.records]
        except TypeError as error:
            raise ModelFileError(f"{checkpoint.path}: records of another kind: {error}") from None
        return cls(state.weights, record_type, checkpoint, records, state.epoch, state.done)

    def rounds(
        self,
        instances: int,
        epochs: int,
        seed: int,
        *,
        on_instance: OnInstance | None,
        end_epoch: Callable[[AnyRecord], None],
    ) -> Iterator[tuple[int, int, AnyRecord]]:
        """Yield the rounds that are left, each a chance to learn from one instance.

        Parameters
        ----------
        instances, epochs, seed
            How many there are, and what decides the order of the instances.
        on_instance, end_epoch
            Called after each instance, and after each epoch before its record is kept.

        Yields
        ------
        The number of the instance, the number of the round, from 1 on, and the epoch's record.
        """
        for epoch in range(self.epoch, epochs):
            if len(self.records) <= epoch:
                self.records.append(self.record_type(epoch + 1))
            record = self.records[epoch]
            order = order_of(instances, seed, epoch)
            for position in range(self.done, instances):
                yield int(order[position]), epoch * instances + position + 1, record
                if on_instance is not None:
                    on_instance(position + 1, record)
                if self.checkpoint is not None and self.checkpoint.due():
                    self.checkpoint.save(self.weights, self.records, epoch, position + 1)
            self.epoch, self.done = epoch + 1, 0
            end_epoch(record)
            if self.checkpoint is not None:
                self.checkpoint.save(self.weights, self.records, epoch + 1, 0)
