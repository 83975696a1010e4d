"""Learning in shards: iterative parameter mixing (McDonald, Hall and Mann 2010).

Every shard of the data starts from the same weights and goes through its own instances, with the
learner that would go through all of them. Then the weights that came out are mixed, and the
mixture is what all start from next. The paper mixes once per epoch; here that may be done several
times.

In the paper a mixture is the plain average of the shards' weights. For a perceptron that is as
good as their sum, because only proportions count. A learner with a margin needs the right size as
well: what one shard has learnt of a rare feature would be divided by the number of shards that know
nothing of it. So a feature is averaged over the shards that have changed it (``"features"``).

The step is bounded by 1 / (lambda m), m being the number of instances. A shard of n has m / n, so
that its bound is n times as large.

What a table remembers for the average over all rounds is mixed as well: the average that training
ends with is that of the shards' averages. Because shards lag behind in the beginning, with several
of them it is taken over the second half of the epochs. A single shard learns what :func:`learn`
does, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from turbotree.arrays import KeyArray
from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.features.weights import Arrays
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord, TrainingState, order_of
from turbotree.learning.learner import LARGEST_STEP, LearnerOptions, OnEpoch, learn_from
from turbotree.learning.problem import Task
from turbotree.naming import unknown

#: What shards count: for each feature, those that changed it, alike; all alike; all, as each
#: changed the weights more or less often.
SHARES = ("features", "uniform", "updates")
_USUALLY_AT_MOST = 4


@dataclass(frozen=True)
class Mixing:
    """How shards are mixed.

    Attributes
    ----------
    shares
        One of `SHARES`.
    times
        How often in an epoch. More often comes nearer to learning without shards, and costs more.
        None: as often as there are shards, at most four times.
    """

    shares: str = SHARES[0]
    times: int | None = None

    def __post_init__(self) -> None:
        if self.shares not in SHARES:
            raise unknown("shares", self.shares, SHARES)
        if self.times is not None and self.times < 1:
            raise InputError(f"mixing {self.times} times per epoch; expected at least 1")

    def legs(self, shards: int) -> int:
        """Return how often so many shards are mixed in an epoch; one alone has nothing to mix.

        >>> [Mixing().legs(shards) for shards in (1, 2, 10)]
        [1, 2, 4]
        """
        return 1 if shards == 1 else self.times or min(shards, _USUALLY_AT_MOST)

    def to_record(self, shards: int) -> dict[str, Any]:
        """Return what the outcome depends on, as JSON-ready data."""
        return {"shards": shards, "shares": self.shares, "times": self.legs(shards)}


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of an epoch: the `number`-th of so many, from 0; `epoch` epochs were before."""

    epoch: int
    number: int
    legs: int

    def bounds(self, instances: int) -> tuple[int, int]:
        """Return where it begins and ends in the order of the epoch.

        >>> [Leg(0, number, 3).bounds(10) for number in range(3)]
        [(0, 3), (3, 6), (6, 10)]
        """
        at = (number * instances // self.legs for number in (self.number, self.number + 1))
        return next(at), next(at)


@dataclass(frozen=True)
class ShardLeg:
    """What a shard made of a leg: its weights' state, its record, how many instances it has."""

    state: Arrays
    record: EpochRecord
    instances: int


class ShardedData(Protocol):
    """A training set in several parts, wherever they are."""

    @property
    def shards(self) -> int:
        """How many there are."""
        ...

    def supported(self) -> KeyArray:
        """Return the features that occur in a right answer of any shard, in ascending order."""
        ...

    def learn(
        self, options: LearnerOptions, leg: Leg, state: Arrays
    ) -> Iterator[tuple[int, ShardLeg]]:
        """Have each shard go through one leg; give what came out as soon as it is there."""
        ...


def learn_leg(task: Task, options: LearnerOptions, leg: Leg, state: Arrays) -> ShardLeg:
    """Go through one leg in a shard.

    Parameters
    ----------
    task
        The instances of the shard.
    options
        Those of the shard.
    leg
        Which part of which epoch.
    state
        The weights to start from.
    """
    weights, record = Weights.restore(state), EpochRecord(leg.epoch + 1)
    order = order_of(len(task), options.seed, leg.epoch)
    before = leg.epoch * len(task)
    for position in range(*leg.bounds(len(task))):
        number = before + position + 1
        learn_from(task, int(order[position]), number, options, weights, record)
    return ShardLeg(weights.state(), record, len(task))


def learn_in_shards(
    data: ShardedData,
    options: LearnerOptions,
    *,
    mixing: Mixing | None = None,
    checkpoint: Checkpoint | None = None,
    on_shard: Callable[[int, EpochRecord], None] | None = None,
    on_epoch: OnEpoch | None = None,
) -> tuple[Weights, list[EpochRecord]]:
    """Train weights on all shards.

    Parameters
    ----------
    data
        The training set.
    options
        As for :func:`learn`; the step is that of the whole set.
    mixing
        How to mix.
    checkpoint
        Where to keep the state, so that a killed run can be taken up.
    on_shard
        Told how many instances are done in this epoch, and its record so far.
    on_epoch
        As for :func:`learn`.
    """
    mixing = mixing or Mixing()
    legs = mixing.legs(data.shards)

    def new_weights() -> Weights:
        return Weights.closed_to(data.supported()) if options.features == "supported" else Weights()

    state = TrainingState.begin(new_weights, Weights.restore, EpochRecord, checkpoint)
    step = min(LARGEST_STEP, options.largest_step * data.shards)
    of_shard = replace(options, largest_step=step)
    if data.shards > 1:  # then the average begins again for all at once, below
        of_shard = replace(of_shard, average_from=0.0)
    for epoch in range(state.epoch, options.epochs):
        if len(state.records) <= epoch:
            state.records.append(EpochRecord(epoch + 1))
        record = state.records[epoch]
        for number in range(state.done, legs):
            if number > state.done and checkpoint is not None and checkpoint.due():
                checkpoint.save(state.weights, state.records, epoch, number)
            leg = Leg(epoch, number, legs)
            state.weights = _go_together(
                data, of_shard, mixing, leg, state.weights, record, on_shard
            )
        state.epoch, state.done = epoch + 1, 0
        record.features = len(state.weights)
        if on_epoch is not None:
            on_epoch(state.weights, record)
        if data.shards > 1 and state.epoch == options.epochs // 2:
            state.weights.restart_average()
        if checkpoint is not None:
            checkpoint.save(state.weights, state.records, state.epoch, 0)
    return state.weights, state.records


def _go_together(
    data: ShardedData,
    options: LearnerOptions,
    mixing: Mixing,
    leg: Leg,
    weights: Weights,
    record: EpochRecord,
    on_shard: Callable[[int, EpochRecord], None] | None,
) -> Weights:
    """Have all shards go through a leg, and mix what comes out."""
    start = weights.state()
    found: dict[int, ShardLeg] = {}
    done = 0
    for number, shard in data.learn(options, leg, start):
        found[number] = shard
        done += leg.bounds(shard.instances)[1]
        if on_shard is not None:
            so_far = sum(one.record.loss for one in found.values())
            on_shard(done, replace(record, loss=record.loss + so_far))
    # Sums are made in the order of the shards: it decides the last digits.
    in_order = [found[number] for number in range(data.shards)]
    record.loss += sum(shard.record.loss for shard in in_order)
    updates = [shard.record.updates for shard in in_order]
    record.updates += sum(updates)
    states = [shard.state for shard in in_order]
    if mixing.shares == "features":
        return Weights.restore(mixed_by_feature(states, start))
    return Weights.restore(mixed(states, shard_weights(updates, mixing.shares)))


def shard_weights(updates: Sequence[int], shares: str) -> list[float]:
    """Return what each shard counts, by how often it changed the weights.

    >>> shard_weights([3, 1], "uniform"), shard_weights([3, 1], "updates")
    ([0.5, 0.5], [0.75, 0.25])
    """
    total = sum(updates)
    if shares == "uniform" or total == 0:
        return [1.0 / len(updates)] * len(updates)
    return [count / total for count in updates]


def mixed(states: Sequence[Arrays], shares: Sequence[float]) -> Arrays:
    """Mix the states of weights; a feature that one of them lacks has weight zero there.

    A state with round R and weighted updates u has the average w - u / R. That of the mixture is
    to be the mixture of the averages, at the latest of the rounds: so u is scaled to that round.
    """
    keys = merged([state["keys"] for state in states])
    weights, updates = np.zeros(len(keys)), np.zeros(len(keys))
    last = _last_round(states)
    for state, share in zip(states, shares, strict=True):
        at = np.searchsorted(keys, state["keys"])
        weights[at] += share * state["weights"].astype(np.float64)
        updates[at] += share * _updates_at(state, last)
    return _state(keys, weights, updates, last, states)


def mixed_by_feature(states: Sequence[Arrays], start: Arrays) -> Arrays:
    """Mix the states of weights, each feature over the states that differ from the start in it."""
    keys = merged([start["keys"], *(state["keys"] for state in states)])
    weights, updates, counts = (np.zeros(len(keys)) for _ in range(3))
    before = np.zeros((2, len(keys)), dtype=np.float32)
    at = np.searchsorted(keys, start["keys"])
    before[:, at] = start["weights"], start["weighted_updates"]
    last = _last_round(states)
    for state in states:
        at = np.searchsorted(keys, state["keys"])
        changed = state["weights"] != before[0, at]
        changed |= state["weighted_updates"] != before[1, at]
        at = at[changed]
        weights[at] += state["weights"][changed]
        updates[at] += _updates_at(state, last)[changed]
        counts[at] += 1.0
    known = counts > 0
    weights[known] /= counts[known]
    updates[known] /= counts[known]
    weights[~known], updates[~known] = before[:, ~known]
    return _state(keys, weights, updates, last, states)


def _last_round(states: Sequence[Arrays]) -> int:
    return max(int(state["round"][0]) for state in states)


def _updates_at(state: Arrays, last: int) -> npt.NDArray[np.float64]:
    ended = int(state["round"][0])
    scale = last / ended if ended else 1.0
    updates: npt.NDArray[np.float64] = scale * state["weighted_updates"].astype(np.float64)
    return updates


def _state(
    keys: KeyArray,
    weights: npt.NDArray[np.float64],
    updates: npt.NDArray[np.float64],
    last: int,
    states: Sequence[Arrays],
) -> Arrays:
    closed = max(int(state["round"][1]) for state in states)
    return {
        "keys": keys,
        "weights": weights.astype(np.float32),
        "weighted_updates": updates.astype(np.float32),
        "round": np.array([last, closed], dtype=np.int64),
    }


def merged(keys: Sequence[KeyArray]) -> KeyArray:
    """Merge rows of keys, each in ascending order, into one.

    >>> merged([np.array([1, 5], np.uint64), np.array([2, 5], np.uint64)]).tolist()
    [1, 2, 5]
    """
    # Stable sorting sees that there are sorted runs, and merges them.
    every: KeyArray = np.sort(np.concatenate(keys), kind="stable")
    is_new = np.ones(len(every), dtype=np.bool_)
    is_new[1:] = every[1:] != every[:-1]
    return every[is_new]
