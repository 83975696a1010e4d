"""Learning in shards: iterative parameter mixing (McDonald, Hall and Mann 2010).

In each epoch every shard of the data starts from the same weights and goes once through its own
instances, with the learner that would go through all of them. Then the weights that came out are
mixed: their average, with a share for each shard, is what all start from next.

The step is bounded by 1 / (lambda m), m being the number of instances. A shard of n has m / n, so
that its bound is n times as large; the mixture divides by n again.

What a table remembers for the average over all rounds is mixed as well. The average that training
ends with is then that of the shards' averages, and with a single shard it is that of :func:`learn`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.features.weights import Arrays
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import Course, EpochRecord
from turbotree.learning.learner import LARGEST_STEP, LearnerOptions, OnEpoch, go_on
from turbotree.learning.problem import Task

#: Shares of the shards: all alike, or as each changed the weights more or less often.
MIXINGS = ("uniform", "updates")

Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class ShardEpoch:
    """What a shard made of an epoch: its weights' state, its record, how many instances it has."""

    state: Arrays
    record: EpochRecord
    instances: int


class Shards(Protocol):
    """A training set in several parts, wherever they are."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def supported(self) -> Keys:
        """Return the features that occur in a right answer of any shard, in ascending order."""
        ...

    def learn(
        self, options: LearnerOptions, epoch: int, state: Arrays
    ) -> Iterator[tuple[int, ShardEpoch]]:
        """Have each shard go through one epoch; give what came out as soon as it is there."""
        ...


def learn_epoch(task: Task, options: LearnerOptions, epoch: int, state: Arrays) -> ShardEpoch:
    """Go once through a shard.

    Parameters
    ----------
    task
        The instances of the shard.
    options
        Those of the shard.
    epoch
        How many epochs were before this one.
    state
        The weights to start from.
    """
    before = [EpochRecord(number + 1) for number in range(epoch)]
    course = Course(Weights.restore(state), EpochRecord, records=before, epoch=epoch)
    go_on(course, task, replace(options, epochs=epoch + 1))
    return ShardEpoch(course.weights.state(), course.records[-1], len(task))


def learn_in_shards(
    shards: Shards,
    options: LearnerOptions,
    *,
    mixing: str = MIXINGS[0],
    checkpoint: Checkpoint | None = None,
    on_shard: Callable[[int, EpochRecord], None] | None = None,
    on_epoch: OnEpoch | None = None,
) -> tuple[Weights, list[EpochRecord]]:
    """Train weights on all shards.

    Parameters
    ----------
    shards
        The training set.
    options
        As for :func:`learn`; the step is that of the whole set.
    mixing
        One of `MIXINGS`.
    checkpoint
        Where to keep the state after each epoch, so that a killed run can be taken up.
    on_shard
        Told how many instances are done in this epoch, and its record so far.
    on_epoch
        As for :func:`learn`.
    """
    check_mixing(mixing)

    def new_weights() -> Weights:
        if options.features != "supported":
            return Weights()
        keys = shards.supported()
        weights = Weights.of(keys, np.zeros(len(keys), dtype=np.float32))
        weights.close()
        return weights

    course = Course.begin(new_weights, Weights.restore, EpochRecord, checkpoint)
    step = min(LARGEST_STEP, options.largest_step * len(shards))
    of_shard = replace(options, largest_step=step)
    for epoch in range(course.epoch, options.epochs):
        record, done = EpochRecord(epoch + 1), 0
        found: dict[int, ShardEpoch] = {}
        for number, shard in shards.learn(of_shard, epoch, course.weights.state()):
            found[number] = shard
            done += shard.instances
            record.loss += shard.record.loss
            record.updates += shard.record.updates
            if on_shard is not None:
                on_shard(done, record)
        # Sums are made in the order of the shards: it decides the last digits.
        in_order = [found[number] for number in range(len(shards))]
        record.loss = sum(shard.record.loss for shard in in_order)
        shares = shares_of([shard.record.updates for shard in in_order], mixing)
        course.weights = Weights.restore(mixed([shard.state for shard in in_order], shares))
        record.features = len(course.weights)
        course.records.append(record)
        course.epoch = epoch + 1
        if on_epoch is not None:
            on_epoch(course.weights, record)
        if checkpoint is not None:
            checkpoint.save(course.weights, course.records, course.epoch, 0)
    return course.weights, course.records


def check_mixing(mixing: str) -> None:
    """Refuse a mixing that there is not.

    >>> check_mixing("uniform")
    """
    if mixing not in MIXINGS:
        raise InputError(f"unknown mixing {mixing!r}; expected one of {', '.join(MIXINGS)}")


def shares_of(updates: Sequence[int], mixing: str) -> list[float]:
    """Return the share of each shard, by how often it changed the weights.

    >>> shares_of([3, 1], "uniform"), shares_of([3, 1], "updates")
    ([0.5, 0.5], [0.75, 0.25])
    """
    total = sum(updates)
    if mixing == "uniform" or total == 0:
        return [1.0 / len(updates)] * len(updates)
    return [count / total for count in updates]


def mixed(states: Sequence[Arrays], shares: Sequence[float]) -> Arrays:
    """Mix the states of weights; a feature that one of them lacks has weight zero there.

    A state with round R and weighted updates u has the average w - u / R. That of the mixture is
    to be the mixture of the averages, at the latest of the rounds: so u is scaled to that round.
    """
    keys = merged([state["keys"] for state in states])
    weights, updates = np.zeros(len(keys)), np.zeros(len(keys))
    rounds = [int(state["round"][0]) for state in states]
    last = max(rounds)
    for state, share, ended in zip(states, shares, rounds, strict=True):
        at = np.searchsorted(keys, state["keys"])
        weights[at] += share * state["weights"].astype(np.float64)
        scale = last / ended if ended else 1.0
        updates[at] += share * scale * state["weighted_updates"].astype(np.float64)
    closed = max(int(state["round"][1]) for state in states)
    return {
        "keys": keys,
        "weights": weights.astype(np.float32),
        "weighted_updates": updates.astype(np.float32),
        "round": np.array([last, closed], dtype=np.int64),
    }


def merged(keys: Sequence[Keys]) -> Keys:
    """Merge rows of keys, each in ascending order, into one.

    >>> merged([np.array([1, 5], np.uint64), np.array([2, 5], np.uint64)]).tolist()
    [1, 2, 5]
    """
    # Stable sorting sees that there are sorted runs, and merges them.
    every: Keys = np.sort(np.concatenate(keys), kind="stable")
    is_new = np.ones(len(every), dtype=np.bool_)
    is_new[1:] = every[1:] != every[:-1]
    return every[is_new]
