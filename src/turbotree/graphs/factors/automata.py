"""Checks of automata over the modifiers of a head, and of their score matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.blocks import Lengths
from turbotree.graphs.factors.literals import (
    Factors,
    Links,
    read_links,
    read_numbers,
    read_scores,
    side_by_side,
)


def read_siblings(xs: Any, scores: Any, offsets: Any) -> Factors:
    """Read head automata."""
    links = read_links(xs, offsets, "siblings")
    flat = read_sibling_scores(scores, links, "siblings: scores", ragged=offsets is not None)
    return Factors(links, (links.lengths + 1) ** 2, flat)


def read_tri_siblings(xs: Any, scores: Any, offsets: Any) -> Factors:
    """Read triple automata."""
    links = read_links(xs, offsets, "tri_siblings")
    flat = read_tri_sibling_scores(
        scores, links, "tri_siblings: scores", ragged=offsets is not None
    )
    return Factors(links, links.lengths**3, flat)


def read_grandparent_siblings(
    grandparents: Any,
    modifiers: Any,
    sibling_scores: Any,
    grandparent_scores: Any,
    grandsibling_scores: Any,
    offsets: tuple[Any, Any] | None,
) -> Factors:
    """Read grandparent-sibling automata."""
    where = "grandparent_siblings"
    ragged = offsets is not None
    above_offsets, below_offsets = (None, None) if offsets is None else offsets
    above = read_links(grandparents, above_offsets, f"{where}: grandparents")
    below = read_links(modifiers, below_offsets, f"{where}: modifiers")
    if above.factors != below.factors:
        raise InputError(
            f"{where}: {above.factors} factors by the grandparents, "
            f"{below.factors} by the modifiers"
        )
    count = above.factors
    parts: list[tuple[NDArray[Any], Any]] = [
        (
            read_sibling_scores(sibling_scores, below, f"{where}: sibling_scores", ragged=ragged),
            (below.lengths + 1) ** 2,
        ),
        (
            read_boxes(
                grandparent_scores,
                count,
                (above.lengths, below.lengths),
                f"{where}: grandparent_scores",
                ragged=ragged,
            ),
            above.lengths * below.lengths,
        ),
    ]
    if grandsibling_scores is not None:
        flat = read_sibling_scores(
            grandsibling_scores,
            below,
            f"{where}: grandsibling_scores",
            ragged=ragged,
            copies=above.lengths,
        )
        parts.append((flat, above.lengths * (below.lengths + 1) ** 2))
    literals = [(part.literals, part.lengths) for part in (above, below)]
    links = Links(count, above.lengths + below.lengths, side_by_side(literals, count))
    shapes = np.array(np.broadcast_to(above.lengths, (count,)), dtype=np.int32)
    score_lengths = sum(length for _, length in parts)
    return Factors(links, score_lengths, side_by_side(parts, count), 1, shapes)


def read_sibling_scores(
    scores: Any, links: Links, where: str, *, ragged: bool, copies: Lengths | None = None
) -> FloatArray:
    """Read matrices over start, modifiers and stop, flat; None gives zeros.

    Entries below the diagonal are never read, so they become 0 whatever they are.
    `copies` is the number of matrices per factor, on an axis of its own (grandparents).
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


def read_tri_sibling_scores(scores: Any, links: Links, where: str, *, ragged: bool) -> FloatArray:
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
) -> FloatArray:
    """Read one array of shape `axes` per factor, flat; None gives zeros."""
    if scores is None:
        return np.zeros(_total(count, axes))
    return _read_flat(read_scores(scores, where), count, axes, where, ragged=ragged)


def _first(lengths: LongArray) -> LongArray:
    first = np.zeros_like(lengths)
    np.cumsum(lengths[:-1], out=first[1:])
    return first


def _total(count: int, axes: tuple[Lengths, ...]) -> int:
    size: Any = np.ones(count, dtype=np.int64)
    for axis in axes:
        size = size * axis
    return int(size.sum())


def _read_flat(
    values: FloatArray, count: int, axes: tuple[Lengths, ...], where: str, *, ragged: bool
) -> FloatArray:
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
