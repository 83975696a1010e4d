"""From whatever holds numbers to the arrays that the core takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.quantities import as_count
from turbotree.trees._constraints import Arcs, constrain

# The largest side that the core takes: a matrix of this size has 7 GB.
_LARGEST_SIDE = 30_000

_FLOAT64 = np.dtype(np.float64)  # NumPy has one object for it, so `is` will do


class ArcScores(NamedTuple):
    """One score matrix or a batch, ready for the core."""

    scores: FloatArray
    lengths: LongArray | None
    single_root: bool
    projective: bool
    threads: int

    @property
    def is_batch(self) -> bool:
        return self.scores.ndim == 3

    @property
    def words(self) -> int:
        return int(self.scores.shape[-1]) - 1

    @property
    def leading_shape(self) -> tuple[int, ...]:
        """``()`` for one matrix, ``(b,)`` for a batch."""
        return self.scores.shape[:-2]


def read_arc_scores(
    scores: Any,
    single_root: bool,
    projective: bool,
    require: Arcs | None,
    forbid: Arcs | None,
    lengths: Any,
    threads: int,
) -> ArcScores:
    """Check and convert the arguments that all functions of this package share."""
    # The common case, one ready matrix without constraints, has to be quick.
    if not (type(scores) is np.ndarray and scores.dtype is _FLOAT64 and scores.flags.c_contiguous):
        scores = _as_float_array(scores)
    shape = scores.shape
    if len(shape) not in (2, 3) or shape[-1] != shape[-2] or shape[-1] < 1:
        raise InputError(
            f"scores: expected shape (n + 1, n + 1), or (b, n + 1, n + 1) for a batch, got {shape}"
        )
    if shape[-1] > _LARGEST_SIDE:
        raise InputError(f"scores: at most {_LARGEST_SIDE - 1} words, got {shape[-1] - 1}")
    if lengths is not None:
        lengths = _as_lengths(lengths, shape)
    if threads != 1:
        threads = min(as_count(threads, "threads", 1), 1024)
    if require is not None or forbid is not None:
        scores = constrain(scores, require, forbid, lengths, single_root, projective)
    return ArcScores(scores, lengths, bool(single_root), bool(projective), threads)


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Read an array from anything with ``__array__`` or ``__dlpack__``, or from nested lists."""
    try:
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            return np.from_dlpack(values)
        return np.asarray(values)
    except Exception as error:  # whatever the foreign array raises
        raise InputError(
            f"{name}: cannot read {type(values).__name__} as an array: {error}"
        ) from error


def _as_float_array(scores: Any) -> FloatArray:
    array = as_array(scores, "scores")
    if array.dtype.kind not in "fiu":
        raise InputError(f"scores: expected real numbers, got dtype {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _as_lengths(lengths: Any, shape: tuple[int, ...]) -> LongArray:
    array = as_array(lengths, "lengths")
    if len(shape) == 2:
        raise InputError("lengths: only a batch, of shape (b, n + 1, n + 1), takes lengths")
    if array.shape != shape[:1]:
        raise InputError(f"lengths: expected shape {shape[:1]}, got {array.shape}")
    if array.dtype.kind not in "iu" and array.size > 0:
        raise InputError(f"lengths: expected whole numbers, got dtype {array.dtype}")
    longest = shape[-1] - 1
    wrong = np.flatnonzero((array < 0) | (array > longest))
    if wrong.size:
        item = int(wrong[0])
        raise InputError(f"lengths[{item}]: expected 0 to {longest} words, got {array[item]}")
    return np.ascontiguousarray(array, dtype=np.int64)
