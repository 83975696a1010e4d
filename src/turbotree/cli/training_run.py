"""One run of ``turbotree train``, whatever it trains: progress, checkpoints, what Ctrl-C leaves."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from turbotree.cli.failures import interrupted, say
from turbotree.cli.showing import shown_progress


class Model(Protocol):
    """Anything that can be written to a file."""

    def save(self, path: Path) -> None:
        """Write the model, whole or not at all."""
        ...


_Model = TypeVar("_Model", bound=Model)


def train_and_save(
    train: Callable[..., _Model], output: Path, *, resume: bool, quiet: bool, **options: Any
) -> tuple[_Model, float]:
    """Train a model and write it; give it, and the seconds that it took.

    Parameters
    ----------
    train
        Takes ``checkpoint``, ``resume`` and ``progress`` beside the options, and gives the model.
    output
        Where to write it. Its checkpoint is a folder beside it.
    resume, quiet
        As on the command line.
    options
        For `train`.
    """
    checkpoint = output.with_name(f"{output.name}.checkpoint")
    if resume and not checkpoint.exists():
        say(f"nothing to resume: there is no {checkpoint}; starting from the beginning")
    elif not resume and checkpoint.exists():
        say(f"starting afresh; the earlier run's {checkpoint} is dropped")
    started = time.perf_counter()
    try:
        with shown_progress(quiet) as progress:
            model = train(checkpoint=checkpoint, resume=resume, progress=progress, **options)
            model.save(output)
    except KeyboardInterrupt as error:
        on = "; --resume goes on from the last checkpoint" if checkpoint.exists() else ""
        raise interrupted(error, on) from None
    shutil.rmtree(checkpoint, ignore_errors=True)
    return model, time.perf_counter() - started
