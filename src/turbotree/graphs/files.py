"""Graphs in files: NumPy arrays in a zip archive, no pickled objects."""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.errors import InputError
from turbotree.files.atomic import atomic_path
from turbotree.graphs.factors.blocks import (
    PROJECTIVE,
    SINGLE_ROOT,
    WITH_SCORES,
    WITH_SHAPES,
    Block,
    Kind,
)
from turbotree.graphs.factors.literals import read_offsets

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: What the first array of a file says; another number is another layout.
_FORMAT = "turbotree factor graph 1"

# Graphs with many equal scores are packed well; but beyond so many bytes, no graph that somebody
# needs is packed to less than a hundredth.
_PLENTY = 256_000_000
_MOST_PACKED = 100

#: The arrays of a block: attribute, name in the file, type.
_BLOCK_ARRAYS = (
    ("offsets", "offsets", np.int64),
    ("variables", "variables", np.int32),
    ("negated", "negated", np.uint8),
    ("score_offsets", "extra_offsets", np.int64),
    ("scores", "extras", np.float64),
    ("shape_offsets", "shape_offsets", np.int64),
    ("shapes", "shapes", np.int32),
)


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
        for attribute, name, _ in _arrays_of(block.kind):
            arrays[f"{block.kind.name}.{name}"] = getattr(block, attribute)
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
        for attribute, part, dtype in _arrays_of(kind):
            key = f"{kind.name}.{part}"
            taken.add(key)
            parts[attribute] = _typed(arrays, key, dtype)
        refill(graph, kind, **parts)
    foreign = set(arrays) - taken
    if foreign:
        raise InputError(f"unexpected array {min(foreign)[:60]!r}")


def _arrays_of(kind: Kind) -> list[tuple[str, str, Any]]:
    return [
        array
        for array in _BLOCK_ARRAYS
        if (not array[0].startswith("score") or kind in WITH_SCORES)
        and (not array[0].startswith("shape") or kind in WITH_SHAPES)
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


# From blocks that are not trusted back to factors, through the checks of construction.

_NONE_INT = np.zeros(0, dtype=np.int64)
_WITH_OUTPUT = frozenset({Kind.XOR_OUT, Kind.OR_OUT, Kind.AND_OUT})


def refill(
    graph: FactorGraph,
    kind: Kind,
    offsets: LongArray,
    variables: IntArray,
    negated: NDArray[np.uint8],
    score_offsets: LongArray = _NONE_INT,
    scores: FloatArray = np.zeros(0),
    shape_offsets: LongArray = _NONE_INT,
    shapes: IntArray = np.zeros(0, dtype=np.int32),
) -> None:
    """Add the factors of a block by the graph's own methods, after checking how they lie."""
    where = kind.name
    read_offsets(offsets, variables, where)
    if negated.shape != variables.shape or (negated > 1).any():
        raise InputError(f"{where}: negated: expected {len(variables)} zeros and ones")
    if variables.size and variables.min() < 0:
        raise InputError(f"{where}: expected variables from 0, got {variables.min()}")
    for places, flat, name in (
        (score_offsets, scores, "score_offsets"),
        (shape_offsets, shapes, "shape_offsets"),
    ):
        _check_places(places, len(flat), len(offsets) - 1, f"{where}: {name}")
    block = Block(kind, offsets, variables, negated, score_offsets, scores, shape_offsets, shapes)
    literals = np.where(negated, ~variables.astype(np.int64), variables)
    if kind <= Kind.PAIR:
        _refill_logic(graph, block, literals)
        return
    for begin, end in _runs(block):
        rows = literals[offsets[begin] : offsets[end]].reshape(end - begin, -1)
        own = scores[score_offsets[begin] : score_offsets[end]] if len(score_offsets) else scores
        _refill_structured(graph, kind, rows, own, block.factor(begin).shape)


def _check_places(places: LongArray, size: int, factors: int, where: str) -> None:
    if not len(places):
        if size:
            raise InputError(f"{where}: missing")
        return
    if len(places) != factors + 1 or places[0] != 0 or places[-1] != size:
        raise InputError(f"{where}: expected {factors + 1} numbers from 0 to {size}")
    if (np.diff(places) < 0).any():
        raise InputError(f"{where}: expected numbers that do not decrease")


def _refill_logic(graph: FactorGraph, block: Block, literals: LongArray) -> None:
    method = getattr(graph, block.kind.method)
    offsets = block.offsets
    if block.kind in (Kind.IMPLY, Kind.PAIR):
        if (block.lengths != 2).any():
            raise InputError(f"{block.kind.name}: expected two links per factor")
        if block.kind is Kind.IMPLY:
            method(literals[0::2], literals[1::2])
            return
        if block.scores.shape != (len(block),) or (np.diff(block.score_offsets) != 1).any():
            raise InputError("PAIR: expected one score per factor")
        method(literals[0::2], literals[1::2], block.scores)
    elif block.kind in _WITH_OUTPUT:
        last = offsets[1:] - 1
        inputs = np.delete(literals, last)
        method(literals[last], inputs, offsets=offsets - np.arange(len(offsets)))
    elif block.kind is Kind.BUDGET:
        if (np.diff(block.shape_offsets) != 1).any():
            raise InputError("BUDGET: expected one number per factor")
        method(literals, block.shapes, offsets=offsets)
    elif block.kind is Kind.KNAPSACK:
        if not np.array_equal(np.diff(block.shape_offsets), block.lengths + 1):
            raise InputError("KNAPSACK: expected a limit and one cost per link")
        limits = block.shape_offsets[:-1]
        method(
            literals,
            np.delete(block.shapes, limits),
            block.shapes[limits],
            offsets=offsets,
        )
    else:
        method(literals, offsets=offsets)


def _runs(block: Block) -> Iterator[tuple[int, int]]:
    """Find factors alike that follow one another; they go back in one call."""
    begin = 0
    for index in range(1, len(block) + 1):
        if index < len(block) and block.kind is not Kind.TREE and _alike(block, begin, index):
            continue
        yield begin, index
        begin = index


def _alike(block: Block, first: int, second: int) -> bool:
    one, other = block.factor(first), block.factor(second)
    return (
        len(one.variables) == len(other.variables)
        and len(one.scores) == len(other.scores)
        and np.array_equal(one.shape, other.shape)
    )


def _refill_structured(
    graph: FactorGraph,
    kind: Kind,
    rows: LongArray,
    scores: FloatArray,
    shape: IntArray,
) -> None:
    count, links = rows.shape
    numbers = shape.tolist()
    if kind is Kind.TREE:
        if len(numbers) != 2 + 2 * links or not 0 <= numbers[1] <= PROJECTIVE + SINGLE_ROOT:
            raise InputError("TREE: expected words, flags, and two ends for each arc")
        graph.tree(
            shape[2::2],
            shape[3::2],
            rows[0],
            words=numbers[0],
            projective=bool(numbers[1] & PROJECTIVE),
            single_root=bool(numbers[1] & SINGLE_ROOT),
        )
    elif kind is Kind.HEAD_AUTOMATON:
        graph.siblings(rows, _box(scores, (count, links + 1, links + 1), kind))
    elif kind is Kind.TRIPLE_AUTOMATON:
        graph.tri_siblings(rows, _box(scores, (count, links, links, links), kind))
    elif kind is Kind.GRANDPARENT_AUTOMATON:
        if len(numbers) != 1 or not 1 <= numbers[0] < links:
            raise InputError(f"{kind.name}: expected from 1 to {links - 1} grandparents")
        above, side = numbers[0], links - numbers[0] + 1
        parts = [(side, side), (above, side - 1), (above, side, side)]
        if scores.size == count * (side * side + above * (side - 1)):
            parts.pop()
        table = _box(scores, (count, sum(int(np.prod(part)) for part in parts)), kind)
        cuts = np.cumsum([int(np.prod(part)) for part in parts])[:-1]
        pieces = [
            piece.reshape(count, *part)
            for piece, part in zip(np.split(table, cuts, axis=1), parts, strict=True)
        ]
        graph.grandparent_siblings(rows[:, :above], rows[:, above:], *pieces)
    else:
        if not numbers or min(numbers) < 1 or sum(numbers) != links:
            raise InputError(f"{kind.name}: expected sizes from 1 that sum to {links} links")
        groups = np.split(rows, np.cumsum(numbers)[:-1], axis=1)
        if kind is Kind.DENSE:
            sizes = [2 if size == 1 else size for size in numbers]
            graph.table(groups, _box(scores, (count, *sizes), kind))
        else:
            _refill_chains(graph, groups, scores, numbers)


def _refill_chains(
    graph: FactorGraph, groups: list[LongArray], scores: FloatArray, sizes: Any
) -> None:
    count = len(groups[0])
    steps = [one * two for one, two in pairwise(sizes)]
    table = _box(scores, (count, sum(steps)), Kind.CHAIN)
    if len(set(sizes)) == 1:
        size, length = sizes[0], len(sizes)
        transitions = table.reshape(count, length - 1, size, size)
        graph.chain(np.stack(groups, axis=1), transitions)
        return
    for row in range(count):
        pieces = np.split(table[row], np.cumsum(steps)[:-1])
        graph.chain(
            [group[row] for group in groups],
            [
                piece.reshape(one, two)
                for piece, one, two in zip(pieces, sizes[:-1], sizes[1:], strict=True)
            ],
        )


def _box(scores: FloatArray, shape: tuple[int, ...], kind: Kind) -> FloatArray:
    # In Python's numbers: sizes from a hostile file may not overflow.
    size = 1
    for axis in shape:
        size *= axis
    if scores.size != size:
        raise InputError(f"{kind.name}: expected {size} scores, got {scores.size}")
    return scores.reshape(shape)
