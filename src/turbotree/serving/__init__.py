"""A parser on the web: an HTTP API, a page to look at trees and change them, saved corrections.

What needs FastAPI is loaded when first asked for; without it, that is a `MissingExtraError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turbotree.serving.annotations import Annotations
from turbotree.serving.engine import Engine
from turbotree.serving.limits import Limits

if TYPE_CHECKING:
    from turbotree.serving.app import create_app
    from turbotree.serving.running import run

__all__ = ["Annotations", "Engine", "Limits", "create_app", "run"]


def __getattr__(name: str) -> object:
    if name == "create_app":
        from turbotree.serving.app import create_app

        return create_app
    if name == "run":
        from turbotree.serving.running import run

        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
