"""What a worker does in training: it reads its shard once and goes through it again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from turbotree.arrays import KeyArray
from turbotree.features import FrozenWeights, Weights
from turbotree.features.weights import Arrays
from turbotree.learning import LearnerOptions, Task
from turbotree.learning.learner import supported
from turbotree.learning.parameter_mixing import Leg, ShardLeg, learn_leg
from turbotree.learning.progress import Silent
from turbotree.parsing.training.blueprint import Blueprint
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.trainer import Trainer
from turbotree.scaling.shards import Shard


@dataclass(frozen=True)
class Stage:
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


def supported_of_shard(token: str, blueprint: Blueprint, shard: Shard, stage: Stage) -> KeyArray:
    """Return the features of a shard's right answers; this is what workers run."""
    keys: KeyArray = supported(_desk(token, blueprint, shard).task(stage)).state()["keys"]
    return keys


def leg_of_shard(
    token: str,
    blueprint: Blueprint,
    shard: Shard,
    stage: Stage,
    options: LearnerOptions,
    leg: Leg,
    state: Arrays,
) -> ShardLeg:
    """Go through a leg in a shard; this is what workers run."""
    return learn_leg(_desk(token, blueprint, shard).task(stage), options, leg, state)


class _Desk:
    """What a worker has on its desk: one shard, read and made ready for one stage."""

    def __init__(self, blueprint: Blueprint, shard: Shard) -> None:
        options = replace(blueprint.options, threads=1)
        self._trainer = Trainer(shard.trees(), [], options, None, Silent(), blueprint)
        self._ready: tuple[str, Task] | None = None
        self._parts: PartTask | None = None

    def task(self, stage: Stage) -> Task:
        """Return the shard's task in a stage."""
        if self._ready is None or self._ready[0] != stage.name:
            self._ready = stage.name, self._made(stage)
        return self._ready[1]

    def _made(self, stage: Stage) -> Task:
        """Do what serial training does before the stage, with what was learnt till then."""
        trainer = self._trainer
        if stage.name == "pruner":
            return trainer.pruner_task()
        if stage.pruner is None:
            return trainer.label_task()
        if self._parts is None:
            candidates = trainer.prune(trainer.pruner_with(FrozenWeights(stage.pruner, None)))
            self._parts = trainer.part_task(trainer.blueprint.part_model(), candidates)
        if stage.name == "parts":
            return self._parts
        assert stage.parts is not None
        trainer.complete_with(self._parts, Weights.restore(stage.parts))
        return trainer.label_task()


#: Of this process: by training, and then by shard.
_DESKS: dict[str, dict[int, _Desk]] = {}


def _desk(token: str, blueprint: Blueprint, shard: Shard) -> _Desk:
    if token not in _DESKS:
        _DESKS.clear()  # an earlier training is over
    desks = _DESKS.setdefault(token, {})
    if shard.number not in desks:
        desks[shard.number] = _Desk(blueprint, shard)
    return desks[shard.number]
