"""Values of a model's header and arrays, looked at before they are used.

Whoever writes a file can give it a checksum that fits, so that nothing in it is what it should be
until that was asked. What is wrong is a ValueError; the loader makes a ModelFileError of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from turbotree.files.safetensors import Array

_LONGEST_SHOWN = 60


def texts(value: Any, what: str) -> list[str]:
    """Return a list of texts.

    >>> texts(["nsubj", 5], "labels")
    Traceback (most recent call last):
    ...
    ValueError: labels: expected a list of texts, got ['nsubj', 5]
    """
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{what}: expected a list of texts, got {shown(value)}")
    return value


def table(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, dict):
        raise ValueError(f"{what}: expected an object, got {shown(value)}")
    return value


def whole(value: Any, what: str, *, most: int = 2**31 - 1) -> int:
    """Return a whole number from 0 to `most`.

    >>> whole(2.5, "max_heads")
    Traceback (most recent call last):
    ...
    ValueError: max_heads: expected a whole number from 0 to 2147483647, got 2.5
    """
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{what}: expected a whole number from 0 to {most}, got {shown(value)}")
    return value


def share(value: Any, what: str) -> float:
    """Return a number from 0 to below 1."""
    if type(value) not in (int, float) or not 0 <= value < 1:
        raise ValueError(f"{what}: expected a number from 0 to below 1, got {shown(value)}")
    return float(value)


def temperature(value: Any, what: str) -> float:
    """Return what scores can be divided by: neither so small nor so large that none is left."""
    if type(value) not in (int, float) or not 1e-6 <= value <= 1e6:
        raise ValueError(f"{what}: expected a number from 1e-6 to 1e6, got {shown(value)}")
    return float(value)


def flag(value: Any, what: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{what}: expected true or false, got {shown(value)}")
    return value


def indices(array: Array, what: str) -> Array:
    """Return an array of indices; what they may be is for the caller to say."""
    if array.dtype != np.int32:
        raise ValueError(f"{what}: expected an array of int32, got {array.dtype}")
    return array


def shown(value: Any, longest: int = _LONGEST_SHOWN) -> str:
    """Show a value of any size in a message of one line."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**50 else "a huge number"
    return text if len(text) <= longest else text[:longest] + "..."
