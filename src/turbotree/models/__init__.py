"""Models by name: those that are bundled, and those that installed packages bring."""

from __future__ import annotations

import os

from turbotree.errors import ModelFileError
from turbotree.models.installed import InstalledModel, installed_models
from turbotree.naming import nearest

#: The bundled models: ``en`` is a pipeline for English text.
BUNDLED = ("en",)
#: The model of those who name none.
USUAL = "en"

_HOW_TO_GET_MORE = "turbotree train makes more, pip install adds model packages"


def located(model: str | os.PathLike[str]) -> str:
    """Return the path of a model that is given by its file or by its name.

    A file of that name comes first, then a bundled model, then one of an installed package. What
    nothing has is returned as it is: the path of a file that is missing.

    Raises
    ------
    ModelFileError
        If there is a model of that name, but its file is missing, or if two packages have one.

    Examples
    --------
    >>> located("mine.safetensors")
    'mine.safetensors'
    >>> os.path.basename(located("en"))
    'en.safetensors'
    """
    name = os.fspath(model)
    if not _may_be_name(name) or os.path.isfile(name):
        return name
    if name in BUNDLED and os.path.isfile(bundled_path(name)):
        return bundled_path(name)
    found = installed_models(name)
    if found:
        return _only(found)
    if name in BUNDLED:
        raise ModelFileError(
            f"{name}: this installation comes without the model of that name; `make model-{name}` "
            "in the sources builds it, or give the file of another model"
        )
    return name


def bundled_path(name: str) -> str:
    """Return where the file of a bundled model is."""
    return os.path.join(os.path.dirname(__file__), f"{name}.safetensors")


def names() -> list[str]:
    """Return the names of all models there are: the bundled ones, then those of packages.

    >>> names()[0]
    'en'
    """
    return list(dict.fromkeys([*BUNDLED, *sorted(one.name for one in installed_models())]))


def absent(path: str) -> str:
    """Say that a file is missing; if it may be meant as the name of a model, which ones there are.

    >>> absent("some/english.safetensors")
    'some/english.safetensors: no such file'
    >>> absent("enn")
    "enn: no such file, and no model of that name; did you mean 'en'? (there ..."
    """
    if not _may_be_name(path):
        return f"{path}: no such file"
    known = names()
    near = nearest(path, known)
    guess = f"; did you mean {near!r}?" if near is not None else ""
    there = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
    return f"{path}: no such file, and no model of that name{guess} ({there}; {_HOW_TO_GET_MORE})"


def _may_be_name(text: str) -> bool:
    return bool(text) and os.path.basename(text) == text and not os.path.splitext(text)[1]


def _only(found: list[InstalledModel]) -> str:
    if len(found) > 1:
        whose = " and ".join(one.source for one in found)
        raise ModelFileError(
            f"{found[0].name}: installed by {whose}; uninstall one, or give the path of a file"
        )
    if (problem := found[0].problem) is not None:
        raise ModelFileError(problem)
    return found[0].path
