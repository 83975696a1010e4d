"""From what users write to checked arrays: literals, scores, whole numbers.

A literal is an int: ``i`` is variable i, ``~i`` (which is ``-i - 1``) is "not i".
These functions run at every insertion, so none of them loops over factors in Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.blocks import NO_SCORES, NO_SHAPES, Lengths

_INT64 = np.dtype(np.int64)
_LARGEST = 2**31 - 1


class Links(NamedTuple):
    """The literals of one or more factors of one kind, one after another."""

    factors: int
    lengths: Lengths
    literals: LongArray

    @property
    def starts(self) -> LongArray:
        """The first link of each factor, and the number of links."""
        return starts_of(self.factors, self.lengths)


class Factors(NamedTuple):
    """New factors of one kind: their literals, scores and shapes, checked one by one.

    All that is left to check is whether the graph has the variables.
    """

    links: Links
    score_lengths: Lengths = 0
    scores: FloatArray = NO_SCORES
    shape_lengths: Lengths = 0
    shapes: IntArray = NO_SHAPES
    oracles: tuple[Any, ...] = ()


def starts_of(count: int, lengths: Lengths) -> LongArray:
    """Give offsets from lengths.

    >>> starts_of(2, 3)
    array([0, 3, 6])
    >>> starts_of(2, np.array([1, 4]))
    array([0, 1, 5])
    """
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.broadcast_to(lengths, (count,)), out=starts[1:])
    return starts


def read_literals(xs: Any, where: str) -> LongArray:
    """Read literals of any shape as int64; whether the variables exist is not checked here."""
    if type(xs) is np.ndarray and xs.dtype is _INT64:
        return xs
    try:
        array = np.asarray(xs)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{where}: expected literals (whole numbers) in an array or in lists of equal "
            "length; factors of different sizes are given flat, with offsets="
        ) from error
    if array.dtype.kind not in "iu" and array.size:
        raise InputError(f"{where}: expected literals (whole numbers), got dtype {array.dtype}")
    if array.dtype.kind == "u" and array.size and array.max() > _LARGEST:
        raise InputError(f"{where}: {array.max()} is no literal: too large")
    return array.astype(np.int64)


def read_links(xs: Any, offsets: Any, where: str) -> Links:
    """Read one factor (1-D), F of one size (2-D) or any (flat, with offsets)."""
    literals = read_literals(xs, where)
    if offsets is not None:
        lengths = read_offsets(offsets, literals, where)
        return Links(len(lengths), lengths, literals)
    if literals.ndim == 1:
        count, size = 1, len(literals)
    elif literals.ndim == 2:
        count, size = literals.shape
    else:
        raise InputError(
            f"{where}: expected shape (K,) for one factor or (F, K) for F factors, "
            f"got {literals.shape}"
        )
    if size == 0:
        raise InputError(f"{where}: a factor needs at least one variable, got none")
    return Links(count, size, literals.reshape(-1))


def read_offsets(offsets: Any, flat: NDArray[Any], where: str) -> LongArray:
    """Check the offsets of ragged factors and give their lengths."""
    try:
        places = np.asarray(offsets)
    except (ValueError, TypeError) as error:
        raise InputError(f"{where}: offsets: expected F + 1 whole numbers") from error
    if flat.ndim != 1:
        raise InputError(f"{where}: with offsets=, expected flat literals, got shape {flat.shape}")
    if places.ndim != 1 or places.size == 0 or places.dtype.kind not in "iu":
        raise InputError(
            f"{where}: offsets: expected F + 1 whole numbers, got shape {places.shape}, "
            f"dtype {places.dtype}"
        )
    places = places.astype(np.int64)
    if places[0] != 0 or places[-1] != len(flat):
        raise InputError(
            f"{where}: offsets: expected 0 to {len(flat)} (the number of literals), "
            f"got {places[0]} to {places[-1]}"
        )
    lengths = np.diff(places)
    if lengths.size and lengths.min() <= 0:
        factor = int(np.flatnonzero(lengths <= 0)[0])
        raise InputError(
            f"{where}: factor {factor}: a factor needs at least one variable, its offsets are "
            f"{places[factor]} and {places[factor + 1]}"
        )
    return lengths


def with_output(links: Links, y: Any, where: str) -> Links:
    """Put each factor's output after its inputs."""
    outputs = read_literals(y, where)
    if outputs.ndim == 0:
        outputs = outputs.reshape(1)
    if outputs.shape != (links.factors,):
        raise InputError(
            f"{where}: y: expected one literal for each of {links.factors} factors, "
            f"got shape {outputs.shape}"
        )
    if isinstance(links.lengths, int):
        rows = links.literals.reshape(links.factors, links.lengths)
        joined = np.concatenate((rows, outputs[:, np.newaxis]), axis=1)
        return Links(links.factors, links.lengths + 1, joined.reshape(-1))
    joined = np.insert(links.literals, links.starts[1:], outputs)
    return Links(links.factors, links.lengths + 1, joined)


def resolve(links: Links, variables: int, where: str) -> tuple[IntArray, NDArray[np.uint8]]:
    """Split literals into variables and signs; refuse unknown and repeated variables."""
    literals = links.literals
    indices = literals ^ (literals >> 63)  # ~i for a negative literal
    if indices.size and indices.max() >= variables:
        bad = int(literals[np.argmax(indices)])
        raise InputError(
            f"{where}: expected variables 0 to {variables - 1} (or ~0 to ~{variables - 1}), "
            f"got {bad if bad >= 0 else f'~{~bad}'}"
        )
    _refuse_repeats(indices, links, variables, where)
    return indices.astype(np.int32), (literals < 0).view(np.uint8)


def _refuse_repeats(indices: LongArray, links: Links, variables: int, where: str) -> None:
    lengths = links.lengths
    if isinstance(lengths, int):
        if lengths == 1:
            return
        rows = indices.reshape(links.factors, lengths)
        if lengths > 2:
            rows = np.sort(rows, axis=1)
        same = rows[:, 1:] == rows[:, :-1]
        if not same.any():
            return
        factor, place = (int(at[0]) for at in np.nonzero(same))
        variable = int(rows[factor, place])
    else:
        keys = np.repeat(np.arange(links.factors) * variables, lengths)
        keys += indices
        keys.sort()
        repeats = np.flatnonzero(keys[1:] == keys[:-1])
        if not repeats.size:
            return
        factor, variable = divmod(int(keys[repeats[0]]), variables)
    which = "" if links.factors == 1 else f"factor {factor}: "
    raise InputError(
        f"{where}: {which}variable {variable} stands more than once in the factor "
        "(a variable and its negation count as one)"
    )


def read_scores(values: Any, where: str) -> FloatArray:
    """Read scores of any shape into a new array: finite, or -inf for what is forbidden."""
    scores = read_numbers(values, where)
    if scores.size and not scores.max() < np.inf:  # NaN fails too
        bad = scores[~(scores < np.inf)].flat[0]
        raise InputError(f"{where}: scores are finite, or -inf to forbid; got {bad}")
    return scores


def read_numbers(values: Any, where: str) -> FloatArray:
    """Read real numbers of any shape into a new array."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{where}: expected numbers in lists of equal length") from error
    if array.dtype.kind not in "fiub" and array.size:
        raise InputError(f"{where}: expected real numbers, got dtype {array.dtype}")
    return np.array(array, dtype=np.float64, order="C")


def read_whole(values: Any, where: str) -> IntArray:
    """Read whole numbers that are not negative, of any shape, also when written as floats."""
    if type(values) is int and 0 <= values <= _LARGEST:
        return np.array(values, dtype=np.int32)
    ready = type(values) is np.ndarray and values.dtype.kind == "i" and values.size > 0
    if ready and values.min() >= 0 and values.max() <= _LARGEST:
        whole: IntArray = values.astype(np.int32)
        return whole
    numbers = read_numbers(values, where)
    wrong = ~((numbers >= 0) & (numbers <= _LARGEST) & (numbers == np.floor(numbers)))
    if wrong.any():
        raise InputError(
            f"{where}: expected whole numbers from 0 to {_LARGEST}, got {numbers[wrong].flat[0]:g}"
        )
    return numbers.astype(np.int32)


def read_per_factor(values: NDArray[Any], count: int, where: str) -> NDArray[Any]:
    """Give one number to each factor: a scalar goes to all."""
    if values.ndim == 0:
        return np.broadcast_to(values, (count,))
    if values.shape != (count,):
        raise InputError(
            f"{where}: expected one number, or one for each of {count} factors, "
            f"got shape {values.shape}"
        )
    return values


def side_by_side(parts: list[tuple[NDArray[Any], Lengths]], count: int) -> NDArray[Any]:
    """Interleave flat arrays factor by factor: all parts of factor 0, then of factor 1, ...

    >>> side_by_side([(np.array([1, 2, 3]), np.array([1, 2])), (np.array([8, 9]), 1)], 2)
    array([1, 8, 2, 3, 9])
    """
    if all(isinstance(length, int) for _, length in parts):
        return np.concatenate([flat.reshape(count, -1) for flat, _ in parts], axis=1).reshape(-1)
    every = [np.broadcast_to(length, (count,)) for _, length in parts]
    starts = starts_of(count, np.sum(every, axis=0))
    joined = np.empty(starts[-1], dtype=parts[0][0].dtype)
    at = starts[:-1].copy()
    for (flat, _), lengths in zip(parts, every, strict=True):
        own = starts_of(count, lengths)
        joined[np.repeat(at - own[:-1], lengths) + np.arange(len(flat))] = flat
        at += lengths
    return joined
