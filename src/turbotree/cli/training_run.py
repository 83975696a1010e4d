"""One run of ``turbotree train``, whatever it trains: progress, checkpoints, what Ctrl-C leaves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from turbotree.cli.outputs.files import check_output
from turbotree.cli.outputs.progress import shown_progress
from turbotree.cli.process.failures import interrupted, say
from turbotree.files.outputs import clear, work_folder
from turbotree.scaling.training import SHARED_DATA


class Model(Protocol):
    """Anything that can be written to a file."""

    def save(self, path: Path) -> None:
        """Write the model, whole or not at all."""
        ...


_Model = TypeVar("_Model", bound=Model)

_STATES = "*.checkpoint"


@contextmanager
def training_output(output: Path, inputs: Iterable[Path | str | None]) -> Iterator[None]:
    """Have an output to oneself while a model is trained: no input, and no other run's.

    Nothing is read before it is known that what comes out can be written.
    """
    read = [Path(given) for given in inputs if given is not None]
    check_output(output, read)
    with work_folder(_checkpoint(output), output, (_STATES, SHARED_DATA), read):
        yield


def _checkpoint(output: Path) -> Path:
    """Return the folder for the state of training; there is one, by whatever link it is reached."""
    file = Path(os.path.realpath(output)) if output.is_symlink() else output
    return file.with_name(f"{file.name}.checkpoint")


def train_and_save(
    train: Callable[..., _Model], output: Path, *, resume: bool, quiet: bool, **options: Any
) -> tuple[_Model, float]:
    """Train a model and write it; give it, and the seconds that it took.

    Parameters
    ----------
    train
        Takes ``checkpoint``, ``resume`` and ``progress`` beside the options, and gives the model.
    output
        Where to write it, a :func:`training_output`. Its checkpoint is a folder beside it.
    resume, quiet
        As on the command line.
    options
        For `train`.
    """
    checkpoint = _checkpoint(output)
    begun = any(checkpoint.glob(_STATES))
    if resume and not begun:
        say(f"nothing to resume: there is no {checkpoint}; starting from the beginning")
    elif not resume and begun:
        say(f"starting afresh; the earlier run's {checkpoint} is dropped")
    started = time.perf_counter()
    try:
        with shown_progress(quiet) as progress:
            model = train(checkpoint=checkpoint, resume=resume, progress=progress, **options)
            model.save(output)
    except KeyboardInterrupt as error:
        begun = any(checkpoint.glob(_STATES))
        on = "; --resume goes on from the last checkpoint" if begun else ""
        raise interrupted(error, on) from None
    clear(checkpoint)
    return model, time.perf_counter() - started
