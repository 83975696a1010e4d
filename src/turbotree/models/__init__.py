"""The bundled models, by name."""

from __future__ import annotations

import os

#: The bundled models: ``en`` is a pipeline for English text.
BUNDLED = ("en",)
#: The model of those who name none.
USUAL = "en"


def located(model: str | os.PathLike[str]) -> str:
    """Return the path of a model that is given by its file, or by the name of a bundled one.

    A file of that name comes first. Nothing is opened, so the file may be missing.

    >>> located("mine.safetensors")
    'mine.safetensors'
    >>> os.path.basename(located("en"))
    'en.safetensors'
    """
    name = os.fspath(model)
    if name not in BUNDLED or os.path.isfile(name):
        return name
    return os.path.join(os.path.dirname(__file__), f"{name}.safetensors")


def missing(model: str | os.PathLike[str]) -> str | None:
    """Say what is wrong if a bundled model is asked for and this installation lacks it."""
    name, path = os.fspath(model), located(model)
    if name == path or os.path.isfile(path):
        return None
    return (
        f"{name}: this installation comes without the model of that name; `make model-{name}` in "
        "the sources builds it, or give the file of another model"
    )
