"""``turbotree train --engine``: several workers, each with a shard of the data."""

from __future__ import annotations

from typing import Any

from turbotree.cli.models.corpus import EngineName
from turbotree.errors import InputError
from turbotree.learning.parameter_mixing import Mixing
from turbotree.parsing import Parser
from turbotree.parsing.training.treebank import TrainingSource
from turbotree.scaling import open_crew, open_engine, train_in_shards


def check_engine(
    engine: EngineName | None,
    workers: int | None,
    address: str | None,
    mixes: int | None,
    task: str,
) -> None:
    """Refuse options that do not go together."""
    if engine is None:
        if any(given is not None for given in (workers, address, mixes)):
            raise InputError("--workers, --mixes and --address are for --engine")
        return
    if task != "parse":
        raise InputError(f"--engine trains parsers, not {task} (--task)")
    if address is not None and engine is not EngineName.RAY:
        raise InputError("--address is for --engine ray")


class ShardedTraining:
    """Trains parsers as ``Parser.train`` does, by workers."""

    def __init__(
        self, engine: EngineName, workers: int | None, address: str | None, mixes: int | None
    ) -> None:
        self._engine = engine
        self._mixing = Mixing(times=mixes)
        self._workers = workers or 2
        self._address = address

    def __call__(self, train: TrainingSource, **options: Any) -> Parser:
        """Train in as many shards as there are workers."""
        workers = self._workers
        with (
            open_engine(self._engine.value, workers, address=self._address) as engine,
            open_crew(engine, workers) as crew,
        ):
            return train_in_shards(train, crew, workers, mixing=self._mixing, **options)
