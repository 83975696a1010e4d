"""What a worker does in training: it reads its shard once and goes through it again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from turbotree.arrays import KeyArray
from turbotree.features import FrozenWeights, Weights
from turbotree.features.weights import Arrays
from turbotree.learning import LearnerOptions, Task
from turbotree.learning.learner import supported
from turbotree.learning.parameter_mixing import Leg, ShardLeg, learn_leg
from turbotree.parsing.training.blueprint import Blueprint
from turbotree.parsing.training.tasks import LocalTasks
from turbotree.scaling.shards import Shard


@dataclass(frozen=True)
class ShardStage:
    """What workers are to learn, and what was learnt before it.

    Attributes
    ----------
    name
        ``"pruner"``, ``"parts"`` or ``"labels"``.
    pruner
        The pruner's table, for what comes after it.
    parts
        The state of the parts' weights, if they are needed to complete trees.
    """

    name: str
    pruner: npt.NDArray[Any] | None = None
    parts: Arrays | None = None


def supported_of_shard(
    token: str, blueprint: Blueprint, shard: Shard, stage: ShardStage
) -> KeyArray:
    """Return the features of a shard's right answers; this is what workers run."""
    task = _worker(token, blueprint, shard).task(stage)
    keys: KeyArray = supported(task).state()["keys"]
    return keys


def leg_of_shard(
    token: str,
    blueprint: Blueprint,
    shard: Shard,
    stage: ShardStage,
    options: LearnerOptions,
    leg: Leg,
    state: Arrays,
) -> ShardLeg:
    """Go through a leg in a shard; this is what workers run."""
    return learn_leg(_worker(token, blueprint, shard).task(stage), options, leg, state)


class _ShardWorker:
    """What a worker keeps in memory: one shard, read and made ready for one stage."""

    def __init__(self, blueprint: Blueprint, shard: Shard) -> None:
        self._blueprint = blueprint
        self._tasks = LocalTasks(blueprint, blueprint.treebank(shard.trees()))
        self._ready: tuple[str, Task] | None = None
        self._pruned = False

    def task(self, stage: ShardStage) -> Task:
        """Return the shard's task in a stage."""
        if self._ready is None or self._ready[0] != stage.name:
            self._ready = stage.name, self._made(stage)
        return self._ready[1]

    def _made(self, stage: ShardStage) -> Task:
        """Do what serial training does before the stage, with what was learnt till then."""
        tasks, blueprint = self._tasks, self._blueprint
        if stage.name == "pruner":
            return tasks.pruner(blueprint.pruner_model())
        if stage.pruner is not None and not self._pruned:
            weights = FrozenWeights(stage.pruner, None)
            tasks.prune(blueprint.pruner(blueprint.pruner_model().with_weights(weights)))
            self._pruned = True
        if stage.name == "parts":
            return tasks.parts(blueprint.part_model())
        if stage.parts is not None:
            tasks.complete(blueprint.part_model(), Weights.restore(stage.parts))
        return tasks.labels()


#: Of this process: by training, and then by shard.
_WORKERS: dict[str, dict[int, _ShardWorker]] = {}


def _worker(token: str, blueprint: Blueprint, shard: Shard) -> _ShardWorker:
    if token not in _WORKERS:
        _WORKERS.clear()  # an earlier training is over
    workers = _WORKERS.setdefault(token, {})
    if shard.number not in workers:
        workers[shard.number] = _ShardWorker(blueprint, shard)
    return workers[shard.number]
