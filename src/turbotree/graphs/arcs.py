"""Checks of the candidate arcs of tree factors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.literals import Links

#: Trees of at most so many words are checked on a matrix of all arcs.
_SMALL = 300


def check_arcs(
    arcs: NDArray[np.int32], links: Links, words: NDArray[np.int32] | None
) -> NDArray[np.int64]:
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
    # One number an arc, so that sorting finds the arcs of each word of each tree.
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


def _fine(arcs: NDArray[np.int32], size: int) -> bool:
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
    wrong: NDArray[np.bool_],
    arcs: NDArray[np.int32],
    factor: NDArray[np.int64],
    sizes: NDArray[np.int64],
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
