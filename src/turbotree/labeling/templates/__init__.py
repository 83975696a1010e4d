"""The template sets, as text files beside this module."""

from __future__ import annotations

from importlib.resources import files

from turbotree.features import read_templates


def load_templates(name: str) -> list[str]:
    """Return a template set that comes with the package.

    >>> len(load_templates("chunk96")), len(load_templates("entities452"))
    (97, 453)
    """
    return read_templates((files(__package__) / f"{name}.txt").read_text("utf-8").splitlines())
