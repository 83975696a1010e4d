"""The arrays of a safetensors file: what goes into its table, and views of what came out.

A file's table has one entry for each array: type, shape, and its place among the bytes that
follow the table. The entries of a file from outside are not trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError

_TYPE_NAMES = {
    "|b1": "BOOL",
    "|u1": "U8",
    "|i1": "I8",
    "<u2": "U16",
    "<i2": "I16",
    "<f2": "F16",
    "<u4": "U32",
    "<i4": "I32",
    "<f4": "F32",
    "<u8": "U64",
    "<i8": "I64",
    "<f8": "F64",
}
_TYPES = {name: np.dtype(code) for code, name in _TYPE_NAMES.items()}


class BadFileError(Exception):
    """What is wrong with a file; the caller adds its name."""


#: An array of any type.
Array = NDArray[Any]

_CACHE_LINE = 64


def in_file_order(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Check the arrays, make them little-endian and contiguous, and sort them.

    As safetensors knows no gaps, the order decides how arrays are aligned: those that fill whole
    cache lines come first, so that each of them begins with one, then larger items before
    smaller ones, so that every array is aligned to its item size.

    >>> list(in_file_order({"b": np.zeros(3, "u1"), "c": np.zeros(1), "a": np.zeros(2)}))
    ['a', 'c', 'b']
    """
    stored = {name: _storable(name, array) for name, array in arrays.items()}

    def place(item: tuple[str, Array]) -> tuple[bool, int, str]:
        name, array = item
        return array.nbytes % _CACHE_LINE != 0, -array.itemsize, name

    return dict(sorted(stored.items(), key=place))


def _storable(name: str, array: Array) -> Array:
    if not isinstance(name, str) or name == "__metadata__":
        raise InputError(f"{name!r} cannot be the name of an array in a model file")
    array = np.asarray(array)
    little_endian = array.dtype.newbyteorder("<")
    if little_endian.str not in _TYPE_NAMES:
        raise InputError(f"array {name!r} has type {array.dtype}, which a model file cannot hold")
    return np.asarray(array, dtype=little_endian, order="C")


def array_entries(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Return the table's entries for arrays that are written one after another.

    >>> array_entries({"a": np.zeros(2), "b": np.zeros((3, 1), "u1")})["b"]
    {'dtype': 'U8', 'shape': [3, 1], 'data_offsets': [16, 19]}
    """
    entries = {}
    at = 0
    for name, array in arrays.items():
        entries[name] = {
            "dtype": _TYPE_NAMES[array.dtype.str],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    return entries


def array_views(data: memoryview, table: Mapping[str, Any], start: int) -> dict[str, Array]:
    """Make the views, after checking that they fill the file exactly, without overlap."""
    places = [(*_place(name, entry), name) for name, entry in table.items()]
    at = 0
    arrays: dict[str, Array] = {}
    for begin, end, shape, dtype, name in sorted(places, key=lambda place: place[:2]):
        if begin != at:
            raise BadFileError(f"damaged: array {name!r} begins at byte {begin}, expected {at}")
        if start + end > len(data):
            raise BadFileError(
                f"truncated: {len(data)} bytes, array {name!r} ends at {start + end}"
            )
        try:
            arrays[name] = np.ndarray(shape, dtype, buffer=data, offset=start + begin)
        except (ValueError, OverflowError, TypeError):  # too many dimensions, 0 x 2**70
            raise BadFileError(f"damaged: array {name!r} has an impossible shape") from None
        at = end
    if start + at != len(data):
        raise BadFileError(f"damaged: {len(data)} bytes, expected {start + at}")
    return arrays


def _place(name: str, entry: Any) -> tuple[int, int, tuple[int, ...], np.dtype[Any]]:
    """Check one array's line in the table by itself."""
    wrong = BadFileError(f"damaged: the entry of array {name[:60]!r} makes no sense")
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise wrong
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not (_sizes(shape) and _sizes(offsets) and len(offsets) == 2):
        raise wrong
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in _TYPES:
        raise wrong
    dtype = _TYPES[entry["dtype"]]
    size = dtype.itemsize
    for length in shape:
        size *= length
    if offsets[1] - offsets[0] != size:
        raise wrong
    return offsets[0], offsets[1], tuple(shape), dtype


def _sizes(value: Any) -> bool:
    """Whether `value` is a short list of counts (True is not a count)."""
    return (
        isinstance(value, list)
        and len(value) <= 64
        and all(type(item) is int and 0 <= item < 2**63 for item in value)
    )
