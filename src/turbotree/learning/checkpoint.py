"""Training that survives a kill: the learner's state in a file, written whole or not at all."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from turbotree.errors import InputError, ModelFileError
from turbotree.features import Weights
from turbotree.features.weights import Arrays
from turbotree.modelfile import read_model, write_model

_KIND = "checkpoint"


class Storable(Protocol):
    """Weights of any kind that can be written as arrays."""

    def state(self) -> Arrays:
        """Return everything that is needed to go on."""
        ...


AnyStorable = TypeVar("AnyStorable", bound=Storable)


@dataclass(frozen=True)
class LearnerState(Generic[AnyStorable]):
    """Where a run stood: weights, records, finished epochs, instances done in the current one."""

    weights: AnyStorable
    records: list[dict[str, Any]]
    epoch: int
    done: int


class Checkpoint:
    """The saved state of one learner.

    Parameters
    ----------
    path
        The checkpoint's file.
    settings
        JSON-ready description of the data and options; a state saved under others is refused.
    seconds_between
        How often to save in the middle of an epoch.
    """

    def __init__(
        self, path: Path, settings: dict[str, Any], *, seconds_between: float = 60.0
    ) -> None:
        self.path = path
        # As the file gives them back: tuples become lists.
        self.settings: dict[str, Any] = json.loads(json.dumps(settings))
        self.seconds_between = seconds_between
        self._last = time.monotonic()

    def due(self) -> bool:
        """Return whether it is time to save again."""
        return time.monotonic() - self._last >= self.seconds_between

    def save(self, weights: Storable, records: list[Any], epoch: int, done: int) -> None:
        """Write the state."""
        header = {
            "settings": self.settings,
            "records": [record.to_dict() for record in records],
            "epoch": epoch,
            "done": done,
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelFileError(f"{self.path}: cannot be written: {error.strerror}") from None
        write_model(self.path, weights.state(), header, kind=_KIND)
        self._last = time.monotonic()

    def load(self) -> LearnerState[Weights] | None:
        """Read the state of a learner with ordinary weights; None if there is none."""
        return self.load_as(Weights.restore)

    def load_as(self, restore: Callable[[Arrays], AnyStorable]) -> LearnerState[AnyStorable] | None:
        """Read the state of a learner with weights of any kind; None if there is none.

        Parameters
        ----------
        restore
            Makes weights of what their ``state`` gave.
        """
        if not self.path.exists():
            return None
        file = read_model(self.path, kind=_KIND)
        try:
            self._check_settings(file.header["settings"])
            return LearnerState(
                restore(file.arrays),
                list(file.header["records"]),
                int(file.header["epoch"]),
                int(file.header["done"]),
            )
        except InputError:
            raise
        except (KeyError, IndexError, TypeError, ValueError) as error:
            # The checksum holds, so this is a file that another program wrote in our name.
            raise ModelFileError(f"{self.path}: not a usable checkpoint: {error!r}") from error

    def _check_settings(self, theirs: dict[str, Any]) -> None:
        ours = self.settings
        changed = sorted(
            name
            for name in {*ours, *theirs}
            if name not in ours or name not in theirs or ours[name] != theirs[name]
        )
        if changed:
            raise InputError(
                f"{self.path}: the checkpoint was made with other settings "
                f"({', '.join(changed)}); train without --resume to start afresh"
            )

    def remove(self) -> None:
        """Delete the state, once the model is safely written."""
        self.path.unlink(missing_ok=True)
