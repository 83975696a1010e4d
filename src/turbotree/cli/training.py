"""What ``train`` and ``select`` share: templates, labelled sentences, runs with checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol, TypeVar

from turbotree.cli.inputs.reading import Skipped
from turbotree.cli.models.tagger import column_names
from turbotree.cli.options.training import LearningOptions
from turbotree.cli.outputs.files import check_output
from turbotree.cli.outputs.progress import shown_progress
from turbotree.cli.process.failures import interrupted, say
from turbotree.errors import InputError
from turbotree.features import read_templates
from turbotree.files.outputs import clear, work_folder
from turbotree.files.reading import input_errors
from turbotree.labeling.templates import load_templates as label_templates
from turbotree.naming import suggest
from turbotree.parsing.templates import load_templates as arc_templates
from turbotree.pipeline.training import STATE_FOLDERS
from turbotree.presets import preset_for
from turbotree.scaling.training import SHARED_DATA
from turbotree.text import Sentence, read_layout, renamed, sniff

_STATES = "*.checkpoint"
_BUILT_IN = {"chunk96": label_templates, "entities452": label_templates, "arc684": arc_templates}


class Model(Protocol):
    """Anything that can be written to a file."""

    def save(self, path: Path) -> None:
        """Write the model, whole or not at all."""
        ...


_Model = TypeVar("_Model", bound=Model)


def given_templates(given: Iterable[str], known: Sequence[str]) -> dict[str, list[str]]:
    """Read the template sets that are given as SET=FILE."""
    sets: dict[str, list[str]] = {}
    for item in given:
        name, equals, file = item.partition("=")
        if not equals or name not in known:
            problem = f"no set is called {name!r}{suggest(name, known)}" if equals else "no '='"
            raise InputError(f"--templates {item}: expected SET=FILE; {problem}")
        sets[name] = template_file(file)
    return sets


def template_file(file: str) -> list[str]:
    """Read the templates of a file, or a bundled set that is not in use by itself."""
    if file in _BUILT_IN and not Path(file).exists():
        return _BUILT_IN[file](file)
    with input_errors(file):
        lines = read_templates(Path(file).read_text("utf-8").splitlines())
    if not lines:
        raise InputError(f"{file}: no templates")
    return lines


def read_labels(path: Path, options: LearningOptions) -> list[Sentence]:
    """Read labelled sentences; complain if there are none."""
    names = column_names(options.columns)
    layout = sniff(path)
    layout = renamed(layout, names) if names is not None else layout
    skipped = Skipped(options.on_error)
    read = read_layout(path, layout, on_error=skipped.on_error, encoding=options.encoding)
    sentences = list(read)
    skipped.report()
    if not sentences:
        raise InputError(f"{path}: no sentences")
    return sentences


@contextmanager
def training_output(output: Path, inputs: Iterable[Path | str | None]) -> Iterator[None]:
    """Have an output to oneself while a model is trained: no input, and no other run's.

    Nothing is read before it is known that what comes out can be written.
    """
    read = [Path(given) for given in inputs if given is not None]
    check_output(output, read)
    holds = (_STATES, SHARED_DATA, *STATE_FOLDERS)
    with work_folder(_checkpoint(output), output, holds, read):
        yield


def _checkpoint(output: Path) -> Path:
    """Return the folder for the state of training; there is one, by whatever link it is reached."""
    file = Path(os.path.realpath(output)) if output.is_symlink() else output
    return file.with_name(f"{file.name}.checkpoint")


def train_and_save(
    train: Callable[..., _Model], options: LearningOptions, **settings: Any
) -> tuple[_Model, float]:
    """Train a model and write it; give it, and the seconds that it took.

    Parameters
    ----------
    train
        Takes ``checkpoint``, ``resume`` and ``progress`` beside the settings, and gives the model.
    options
        Say where to write it, a :func:`training_output`. Its checkpoint is a folder beside it.
    settings
        For `train`.
    """
    output, resume = options.output, options.resume
    checkpoint = _checkpoint(output)
    begun = any(checkpoint.rglob(_STATES))
    if resume and not begun:
        say(f"nothing to resume: there is no {checkpoint}; starting from the beginning")
    elif not resume and begun:
        say(f"starting afresh and dropping the earlier run's {checkpoint}")
    started = time.perf_counter()
    try:
        with shown_progress(options.quiet) as progress:
            model = train(checkpoint=checkpoint, resume=resume, progress=progress, **settings)
            model.save(output)
    except KeyboardInterrupt as error:
        begun = any(checkpoint.rglob(_STATES))
        on = "; --resume continues from the last checkpoint" if begun else ""
        raise interrupted(error, on) from None
    clear(checkpoint)
    return model, time.perf_counter() - started


def with_preset(what: str, name: str, kind: type, settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings as a preset has them where they are what they are if nothing is said.

    >>> from turbotree.parsing import TrainingOptions
    >>> given = {"loss": None, "epochs": 3}
    >>> found = with_preset("training", "turbo2010-bp", TrainingOptions, given)
    >>> found["loss"], found["epochs"], found["largest_step"]
    ('crf', 3, 0.001)
    """
    usual = {one.name: one.default for one in fields(kind)}
    given = {key: value for key, value in settings.items() if value != usual[key]}
    return {**settings, **preset_for(what, name), **given}
