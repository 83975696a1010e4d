"""Checks of tree factors and their candidate arcs."""

from __future__ import annotations

from typing import Any

import numpy as np

from turbotree.arrays import BoolArray, IntArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT
from turbotree.graphs.factors.literals import (
    Factors,
    Links,
    read_links,
    read_per_factor,
    read_whole,
    side_by_side,
)

#: Trees of at most so many words are checked on a matrix of all arcs.
_SMALL = 300


def read_trees(
    heads: Any,
    modifiers: Any,
    xs: Any,
    *,
    words: Any,
    projective: bool,
    single_root: bool,
    offsets: Any,
) -> Factors:
    """Read one tree, or many by an additional first axis or by offsets."""
    links = read_links(xs, offsets, "tree")
    ends = [
        read_whole(values, f"tree: {name}")
        for values, name in ((heads, "heads"), (modifiers, "modifiers"))
    ]
    for values, name in zip(ends, ("heads", "modifiers"), strict=True):
        if values.shape != np.shape(xs):
            raise InputError(
                f"tree: {name}: expected shape {np.shape(xs)} like xs, got {values.shape}"
            )
    flags = PROJECTIVE * bool(projective) + SINGLE_ROOT * bool(single_root)
    table = np.empty((len(links.literals) + 1, 2), dtype=np.int32)
    arcs = table[1:]
    arcs[:, 0], arcs[:, 1] = ends[0].reshape(-1), ends[1].reshape(-1)
    sizes = None
    if words is not None:
        sizes = read_per_factor(read_whole(words, "tree: words"), links.factors, "tree: words")
    sizes = check_arcs(arcs, links, sizes)
    if links.factors == 1:
        table[0] = sizes[0], flags
        return Factors(links, shape_lengths=table.size, shapes=table.reshape(-1))
    every = np.full(links.factors, flags)
    header = np.stack((sizes, every), axis=1).astype(np.int32).reshape(-1)
    shapes = side_by_side([(header, 2), (arcs.reshape(-1), links.lengths * 2)], links.factors)
    return Factors(links, shape_lengths=links.lengths * 2 + 2, shapes=shapes)


def check_arcs(arcs: IntArray, links: Links, words: IntArray | None) -> LongArray:
    """Check the arcs (one row ``head, modifier`` each) and give each tree's number of words.

    >>> check_arcs(np.array([[0, 1], [1, 2]]), Links(1, 2, np.arange(2)), None)
    array([2])
    """
    if links.factors == 0:
        return np.zeros(0, dtype=np.int64)
    if links.factors == 1:
        size = int(arcs[:, 1].max()) if words is None else int(words[0])
        if size <= _SMALL and _fine(arcs, size):
            return np.array([size], dtype=np.int64)
    heads = arcs[:, 0].astype(np.int64)
    modifiers = arcs[:, 1].astype(np.int64)
    if words is None:
        sizes = np.maximum.reduceat(modifiers, links.starts[:-1])
    else:
        sizes = words.astype(np.int64)
    factor = np.repeat(np.arange(links.factors), links.lengths)
    largest = sizes[factor]
    _refuse((heads > largest) | (modifiers > largest), arcs, factor, sizes, "lies outside")
    _refuse(modifiers == 0, arcs, factor, sizes, "leads into the root of")
    _refuse(heads == modifiers, arcs, factor, sizes, "is a loop in")
    # One number per arc, so that sorting finds the arcs of each word of each tree.
    side = int(sizes.max()) + 1
    keys = (factor * side + modifiers) * side + heads
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    repeated = np.zeros(len(keys), dtype=bool)
    repeated[order[1:]] = ordered[1:] == ordered[:-1]
    _refuse(repeated, arcs, factor, sizes, "is given twice in")
    reached = ordered // side
    distinct = reached[np.concatenate(([True], reached[1:] != reached[:-1]))]
    found = np.bincount(distinct // side, minlength=links.factors)
    short = np.flatnonzero(found != sizes)
    if short.size:
        tree = int(short[0])
        present = set((distinct[distinct // side == tree] % side).tolist())
        word = next(w for w in range(1, int(sizes[tree]) + 1) if w not in present)
        raise InputError(f"tree: word {word} of {int(sizes[tree])} has no candidate head")
    return sizes


def _fine(arcs: IntArray, size: int) -> bool:
    """Look at one tree quickly, without saying what is wrong."""
    if int(arcs.max()) > size:
        return False
    seen = np.zeros((size + 1, size + 1), dtype=bool)
    seen[arcs[:, 1], arcs[:, 0]] = True
    return bool(
        np.count_nonzero(seen) == len(arcs)
        and not seen[0].any()
        and not seen.diagonal().any()
        and np.count_nonzero(seen.any(axis=1)) == size
    )


def _refuse(
    wrong: BoolArray,
    arcs: IntArray,
    factor: LongArray,
    sizes: LongArray,
    what: str,
) -> None:
    if not wrong.any():
        return
    place = int(np.argmax(wrong))
    head, modifier = arcs[place].tolist()
    size = int(sizes[factor[place]])
    raise InputError(
        f"tree: arc {place} ({head} -> {modifier}) {what} the tree of words 1 to {size}"
    )
