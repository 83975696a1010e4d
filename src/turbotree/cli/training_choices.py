"""What ``turbotree train`` lets people choose from."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from turbotree.errors import InputError
from turbotree.features import read_templates
from turbotree.labeling import TASKS
from turbotree.labeling.templates import load_templates as label_templates
from turbotree.naming import suggest
from turbotree.parsing.templates import load_templates as arc_templates
from turbotree.parsing.training.options import TEMPLATE_SETS

#: The template sets of taggers.
LABEL_SETS = [name for sets in TASKS.values() for name in sets]
_BUILT_IN = {
    "chunk96": label_templates,
    "entities452": label_templates,
    "arc684": arc_templates,
}


class ModelKind(str, Enum):
    """Kinds of models."""

    ARC = "arc"
    STANDARD = "standard"
    FULL = "full"
    THIRD = "third"


class TrainingDecoder(str, Enum):
    """How training finds answers."""

    ADMM = "admm"
    EXACT = "exact"
    AUTOMATA = "automata"


class Task(str, Enum):
    """What to learn."""

    PARSE = "parse"
    TAG = "tag"
    CHUNK = "chunk"
    ENTITIES = "entities"
    PIPELINE = "pipeline"


class Tags(str, Enum):
    """Which tags and lemmas a parser learns from."""

    GIVEN = "given"
    JACKKNIFE = "jackknife"


class Scheme(str, Enum):
    """How spans are written inside a tagger."""

    BIOES = "bioes"
    BIO = "bio"
    AUTO = "auto"


class FeatureSet(str, Enum):
    """Which features a model has."""

    ALL = "all"
    SUPPORTED = "supported"


def given_templates(given: list[str], task: Task) -> dict[str, list[str]]:
    """Read the template sets that are given as SET=FILE."""
    trees = task in (Task.PARSE, Task.PIPELINE)
    known = TEMPLATE_SETS if trees else TASKS[task.value]
    sets: dict[str, list[str]] = {}
    for item in given:
        name, equals, file = item.partition("=")
        if not equals or name not in known:
            problem = f"no set is called {name!r}{suggest(name, known)}" if equals else "no '='"
            raise InputError(f"--templates {item}: expected SET=FILE; {problem}")
        sets[name] = template_file(file)
    return sets


def template_file(file: str) -> list[str]:
    """Read the templates of a file, or of a set of the package that is not in use by itself."""
    if file in _BUILT_IN and not Path(file).exists():
        return _BUILT_IN[file](file)
    try:
        lines = read_templates(Path(file).read_text("utf-8").splitlines())
    except UnicodeDecodeError:
        raise InputError(f"{file}: not UTF-8 text") from None
    if not lines:
        raise InputError(f"{file}: no templates")
    return lines


def given_trim(text: str) -> float | dict[str, float]:
    """Read a number, or several with names.

    >>> given_trim("2"), given_trim("labels=4,pruner=15")
    (2.0, {'labels': 4.0, 'pruner': 15.0})
    """
    try:
        if "=" not in text:
            return float(text)
        pairs = (item.split("=") for item in text.split(","))
        return {name.strip(): float(value) for name, value in pairs}
    except ValueError:
        raise InputError(f"--trim {text}: expected a number, or NAME=NUMBER,...") from None
