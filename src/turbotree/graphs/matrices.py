"""The score matrices of automata, of one size or ragged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.blocks import Lengths
from turbotree.graphs.literals import Links, read_numbers, read_scores


def read_sibling_scores(
    scores: Any, links: Links, where: str, *, ragged: bool, copies: Lengths | None = None
) -> NDArray[np.float64]:
    """Read matrices over start, modifiers and stop, flat; None gives zeros.

    Entries below the diagonal are never read, so they become 0 whatever they are.
    `copies` is the number of matrices a factor, on an axis of its own (grandparents).
    """
    sides = links.lengths + 1
    axes = (sides, sides) if copies is None else (copies, sides, sides)
    if scores is None:
        return np.zeros(_total(links.factors, axes))
    flat = _read_flat(read_numbers(scores, where), links.factors, axes, where, ragged=ragged)
    if isinstance(sides, int):
        cube = flat.reshape(-1, sides, sides)
        cube[:, np.tri(sides, k=-1, dtype=bool)] = 0.0
    else:
        count = 1 if copies is None else copies
        side = np.repeat(sides, sides**2 * count)
        place = np.arange(len(flat)) - np.repeat(_first(sides**2 * count), sides**2 * count)
        place %= side**2
        flat[place // side > place % side] = 0.0
    return read_scores(flat, where)


def read_tri_sibling_scores(
    scores: Any, links: Links, where: str, *, ragged: bool
) -> NDArray[np.float64]:
    """Read cubes over three modifiers in a row, flat.

    Entries that no three modifiers in their order belong to become 0 whatever they are.
    """
    sides = links.lengths
    axes = (sides, sides, sides)
    flat = _read_flat(read_numbers(scores, where), links.factors, axes, where, ragged=ragged)
    if isinstance(sides, int):
        later = np.tri(sides, k=-1, dtype=bool)
        flat.reshape(-1, sides, sides, sides)[:, later[:, :, np.newaxis] | later] = 0.0
    else:
        side = np.repeat(sides, sides**3)
        place = np.arange(len(flat)) - np.repeat(_first(sides**3), sides**3)
        rows, third = np.divmod(place, side)
        first, second = np.divmod(rows, side)
        flat[(first > second) | (second > third)] = 0.0
    return read_scores(flat, where)


def read_boxes(
    scores: Any, count: int, axes: tuple[Lengths, ...], where: str, *, ragged: bool
) -> NDArray[np.float64]:
    """Read one array of shape `axes` a factor, flat; None gives zeros."""
    if scores is None:
        return np.zeros(_total(count, axes))
    return _read_flat(read_scores(scores, where), count, axes, where, ragged=ragged)


def _first(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    first = np.zeros_like(lengths)
    np.cumsum(lengths[:-1], out=first[1:])
    return first


def _total(count: int, axes: tuple[Lengths, ...]) -> int:
    size: Any = np.ones(count, dtype=np.int64)
    for axis in axes:
        size = size * axis
    return int(size.sum())


def _read_flat(
    values: NDArray[np.float64], count: int, axes: tuple[Lengths, ...], where: str, *, ragged: bool
) -> NDArray[np.float64]:
    if ragged:
        expected: tuple[Any, ...] = (_total(count, axes),)
        fits = values.shape == expected
    else:
        expected = axes
        fits = values.shape == (count, *axes) or (count == 1 and values.shape == axes)
        if count != 1:
            expected = (count, *axes)
    if not fits:
        raise InputError(f"{where}: expected shape {expected}, got {values.shape}")
    return values.reshape(-1)
