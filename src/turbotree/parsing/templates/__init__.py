"""The default template sets, as text files beside this module."""

from __future__ import annotations

from importlib.resources import files

from turbotree.features import read_templates
from turbotree.parsing.parts.family import CLASSES


def load_templates(name: str) -> list[str]:
    """Return a template set that comes with the package.

    >>> len(load_templates("pruner")) < len(load_templates("arc"))
    True
    """
    if name in CLASSES and CLASSES[name].templates:
        return list(CLASSES[name].templates)
    return read_templates((files(__package__) / f"{name}.txt").read_text("utf-8").splitlines())
