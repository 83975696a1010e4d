"""A parser on the web: an HTTP API, a page to look at trees and change them, saved corrections.

What needs FastAPI is loaded when first asked for; without it, that is a `MissingExtraError`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbotree.serving.annotations import Annotations
    from turbotree.serving.app import create_app
    from turbotree.serving.engine import Engine, Question
    from turbotree.serving.limits import Limits
    from turbotree.serving.running import run

__all__ = ["Annotations", "Engine", "Limits", "Question", "create_app", "run"]

# Each when first asked for: to save trees, no parser has to be loaded.
_HOMES = {
    "Annotations": "annotations",
    "Engine": "engine",
    "Limits": "limits",
    "Question": "engine",
    "create_app": "app",
    "run": "running",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
