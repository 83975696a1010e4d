"""Graphs in files: NumPy arrays in a zip archive, no pickled objects."""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.files.atomic import atomic_path
from turbotree.graphs.blocks import WITH_EXTRAS, WITH_SHAPES, Kind
from turbotree.graphs.refilling import refill

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: What the first array of a file says; another number is another layout.
_FORMAT = "turbotree factor graph 1"

# Graphs with many equal scores are packed well; but beyond so many bytes, no graph that somebody
# needs is packed to less than a hundredth.
_PLENTY = 256_000_000
_MOST_PACKED = 100

_BLOCK_ARRAYS = {
    "offsets": np.int64,
    "variables": np.int32,
    "negated": np.uint8,
    "extra_offsets": np.int64,
    "extras": np.float64,
    "shape_offsets": np.int64,
    "shapes": np.int32,
}


def save(graph: FactorGraph, path: str | os.PathLike[str]) -> None:
    """Write a graph; see :meth:`FactorGraph.save`."""
    arrays: dict[str, Any] = {
        "format": _bytes(_FORMAT),
        "scores": graph.scores,
        "evidence": graph.evidence,
        "names": _bytes(json.dumps(graph._names)),
    }
    for block in graph.blocks:
        if block.kind is Kind.CUSTOM:
            raise InputError(
                f"save: {len(block)} custom factors are Python functions, which a file cannot hold"
            )
        for name in _arrays_of(block.kind):
            arrays[f"{block.kind.name}.{name}"] = getattr(block, name)
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)


def load_into(graph: FactorGraph, path: str | os.PathLike[str]) -> None:
    """Fill an empty graph from a file; see :meth:`FactorGraph.load`."""
    name = os.fspath(path)
    try:
        arrays = _read_arrays(name)
        _fill(graph, arrays)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, MemoryError) as error:
        raise InputError(f"{name}: damaged, or no saved factor graph: {error}") from None
    except (OSError, NotImplementedError, RuntimeError, SyntaxError, TypeError) as error:
        if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError)):
            raise InputError(f"{name}: {error.strerror}") from None
        raise InputError(f"{name}: damaged, or no saved factor graph: {error}") from None


def _read_arrays(name: str) -> dict[str, NDArray[Any]]:
    # Opened here, because NumPy leaves a damaged archive open.
    with open(name, "rb") as opened:
        # NumPy makes room for all that a header claims before it reads on, so headers are looked at
        # first; and what is no archive at all is not even shown to it.
        with zipfile.ZipFile(opened) as archive:
            claimed = sum(_claimed(archive, member) for member in archive.infolist())
        size = os.fstat(opened.fileno()).st_size
        if claimed > _PLENTY and claimed > _MOST_PACKED * size:
            raise InputError(f"asks for {claimed:,} bytes of memory, and is a file of {size:,}")
        opened.seek(0)
        file = np.load(opened, allow_pickle=False)
        if not isinstance(file, np.lib.npyio.NpzFile) or "format" not in file.files:
            raise InputError("no saved factor graph")
        arrays = {key: file[key] for key in file.files}
    said = _text(arrays["format"], "format")
    if said != _FORMAT:
        raise InputError(f"expected format {_FORMAT!r}, got {said[:60]!r}")
    return arrays


def _claimed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Return how many bytes an array says that it has."""
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as opened:
        start = opened.read(np.lib.format.MAGIC_LEN)
        if not start.startswith(np.lib.format.MAGIC_PREFIX):
            raise InputError(f"{name[:60]!r} is no array")
        if start[-2:] != b"\x01\x00":
            raise InputError(f"{name[:60]!r} is no array of a saved factor graph")
        shape, _, dtype = np.lib.format.read_array_header_1_0(opened)
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > member.file_size:
        raise InputError(
            f"{name[:60]!r} is damaged: {claimed} bytes are said to be in {member.file_size}"
        )
    return claimed


def _fill(graph: FactorGraph, arrays: dict[str, NDArray[Any]]) -> None:
    taken = {"format", "scores", "evidence", "names"}
    scores = _typed(arrays, "scores", np.float64)
    graph.variables(scores)
    evidence = _typed(arrays, "evidence", np.int8)
    if evidence.shape != scores.shape or not np.isin(evidence, (-1, 0, 1)).all():
        raise InputError(f"evidence: expected {len(scores)} times -1, 0 or 1")
    fixed = np.flatnonzero(evidence >= 0)
    if fixed.size:
        graph.fix(fixed, evidence[fixed])
    graph._names.update(_read_names(_text(arrays["names"], "names"), len(graph)))
    for kind in Kind:
        if f"{kind.name}.offsets" not in arrays or kind is Kind.CUSTOM:
            continue
        parts = {}
        for part in _arrays_of(kind):
            key = f"{kind.name}.{part}"
            taken.add(key)
            parts[part] = _typed(arrays, key, _BLOCK_ARRAYS[part])
        refill(graph, kind, **parts)
    foreign = set(arrays) - taken
    if foreign:
        raise InputError(f"unexpected array {min(foreign)[:60]!r}")


def _arrays_of(kind: Kind) -> list[str]:
    return [
        name
        for name in _BLOCK_ARRAYS
        if (not name.startswith("extra") or kind in WITH_EXTRAS)
        and (not name.startswith("shape") or kind in WITH_SHAPES)
    ]


def _typed(arrays: dict[str, NDArray[Any]], key: str, dtype: Any) -> NDArray[Any]:
    if key not in arrays:
        raise InputError(f"array {key!r} is missing")
    array = arrays[key]
    if array.ndim != 1 or array.dtype != dtype:
        raise InputError(
            f"{key}: expected one axis of {np.dtype(dtype)}, "
            f"got shape {array.shape} of {array.dtype}"
        )
    return array


def _read_names(text: str, variables: int) -> dict[int, str]:
    names = json.loads(text)
    if not isinstance(names, dict):
        raise InputError("names: expected an object")
    read = {}
    for key, name in names.items():
        if not key.isdecimal() or int(key) >= variables or not isinstance(name, str):
            raise InputError(f"names: {key[:60]!r} is not the number of a variable with a name")
        read[int(key)] = name
    return read


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _text(array: NDArray[Any], name: str) -> str:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise InputError(f"{name}: expected bytes, got {array.dtype}")
    return array.tobytes().decode()
