"""What is done for less where a sentence is very long, so that its cost grows with its words alone.

All bounds count words, parts and rounds: the same sentence has the same answer everywhere. Time
limits are the last resort.

- Up to `SEARCHED` words, nothing differs.
- Beyond, decoder ``"auto"`` solves the relaxation and does not search, in a number of rounds that
  falls with the number of parts.
- Beyond `WHOLE` words, the pruner looks at stretches of the sentence instead of all pairs of words,
  with what lies around them; heads have a limited number of candidate modifiers; parts that need
  all pairs of words are not scored; and all decoders but ``"exact"`` are as ``"auto"``.
  Probabilities are those of each word's heads by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from turbotree.features import Parts
from turbotree.graphs.solvers.options import read_time_limit

if TYPE_CHECKING:
    from turbotree.arrays import FloatArray, IntArray
    from turbotree.parsing.arcs import Pruner, TreeShape
    from turbotree.scoring import Batch

#: Words up to which decoders search where the relaxation leaves a gap.
SEARCHED = 256
#: Words up to which all pairs of words are looked at.
WHOLE = 1000

#: Seconds that decoding one sentence may take if nothing is said.
USUAL_TIME_LIMIT = 60.0
#: Decoders that search until there is a proof; their time is limited only if that is said.
PATIENT = ("exact", "ilp")

_STRETCH, _MARGIN = 256, 128
_MOST_MODIFIERS = 64
_MOST_ROUNDS, _FEWEST_ROUNDS = 150, 20
_PARTS_TIMES_ROUNDS = 30_000_000
_PAIRS_AT_ONCE = 4_000_000
_CUBES = 4_000_000_000

#: Tells which of some arcs are allowed.
Allowed = Callable[["IntArray"], npt.NDArray[np.bool_]]


def is_long(words: int) -> bool:
    """Tell whether a sentence is too long to be searched."""
    return words > SEARCHED


def is_very_long(words: int) -> bool:
    """Tell whether a sentence is too long to look at all pairs of its words."""
    return words > WHOLE


def groups(sentences: Sequence[Sized]) -> list[slice]:
    """Cut a batch so that the pairs of words of each piece are not too many for the memory.

    >>> groups([range(30)] * 4)
    [slice(0, 4, None)]
    >>> groups([range(30), range(990), range(30), range(5000)])
    [slice(0, 3, None), slice(3, 4, None)]
    """
    found = []
    first = pairs = 0
    for index, sentence in enumerate(sentences):
        words = len(sentence)
        own = _PAIRS_AT_ONCE if words > WHOLE else (words + 1) ** 2  # very long ones are alone
        if index > first and pairs + own > _PAIRS_AT_ONCE:
            found.append(slice(first, index))
            first, pairs = index, 0
        pairs += own
    found.append(slice(first, len(sentences)))
    return found


def usual_time_limit(seconds: float | None, decoder: str) -> float | None:
    """Return the time limit of a decoder: what is given, or else the usual one; None is none.

    >>> usual_time_limit(None, "auto"), usual_time_limit(None, "exact"), usual_time_limit(2, "ilp")
    (60.0, None, 2.0)
    """
    if seconds is None:
        return None if decoder in PATIENT else USUAL_TIME_LIMIT
    limit = read_time_limit(seconds)
    return None if limit == math.inf else limit


def rounds_of(parts: int) -> int:
    """Return how many rounds a relaxation with so many parts gets.

    >>> rounds_of(10_000), rounds_of(600_000), rounds_of(10**8)
    (150, 50, 20)
    """
    return max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, _PARTS_TIMES_ROUNDS // max(1, parts)))


def rounds_of_beliefs(words: int) -> int:
    """Return how many rounds belief propagation gets, each of which eliminates a matrix.

    >>> rounds_of_beliefs(300), rounds_of_beliefs(1000)
    (148, 4)
    """
    return max(1, _CUBES // words**3)


def note_on(words: int, decoder: str, *, projective: bool) -> str:
    """Say what was done for less; nothing for sentences of usual lengths.

    >>> note_on(300, "auto", projective=False)
    ''
    """
    if not is_very_long(words):
        return ""
    if projective:
        return (
            f"{words} words: the tree is put together from the pruner's best projective trees of "
            f"{_STRETCH} words each"
        )
    search = "" if decoder == "exact" else ", decoded without a search"
    seen = _STRETCH + 2 * _MARGIN
    return f"{words} words: heads were looked for in stretches of {seen} words{search}"


def stretched_candidates(
    pruner: Pruner,
    batch: Batch,
    shape: TreeShape,
    *,
    keep: IntArray | None = None,
    allowed: Allowed | None = None,
    required: IntArray | None = None,
) -> Parts:
    """Return the likely arcs of one long sentence, and those of a tree.

    Parameters
    ----------
    pruner, batch, shape
        What prunes; the sentence, alone; which trees will be asked for.
    keep
        Heads that have to stay.
    allowed, required
        Which arcs there may be, and rows of arcs that there have to be.

    Raises
    ------
    InfeasibleError
        The likely arcs that are allowed have no tree.
    """
    from turbotree.parsing.arcs import best_trees

    words = int(batch.lengths[0])

    def score(rows: IntArray) -> FloatArray:
        return pruner.score(batch, Parts.of_one(rows))

    if shape.projective and keep is None and allowed is None:
        heads = _joined_trees(words, score, shape)
        return Parts.of_one(np.stack([heads, np.arange(1, words + 1)], axis=1).astype(np.int32))
    modifiers = np.arange(1, words + 1, dtype=np.int32)
    chain = np.stack([modifiers - 1, modifiers], axis=1)  # a tree by itself
    found = [chain, *_likely_of_stretches(pruner, words, score, allowed)]
    if keep is not None:
        found.append(np.stack([keep, modifiers], axis=1).astype(np.int32))
    if required is not None:
        found.append(required)
    rows = np.unique(np.concatenate(found), axis=0)
    if allowed is not None:
        rows = rows[allowed(rows)]
    scores = score(rows)
    tree = best_trees(batch.lengths, Parts.of_one(rows), scores, shape)
    certain = tree[rows[:, 1] - 1] == rows[:, 0]
    if keep is not None:
        certain |= keep[rows[:, 1] - 1] == rows[:, 0]
    rows = rows[certain | _among_the_best(rows, scores)]
    return Parts.of_one(np.ascontiguousarray(rows[np.lexsort((rows[:, 0], rows[:, 1]))]))


def _windows(words: int, margin: int) -> Iterator[tuple[int, int, int, int]]:
    """Give the first and last word of each stretch, and those that are seen with it."""
    for first in range(1, words + 1, _STRETCH):
        last = min(words, first + _STRETCH - 1)
        yield first, last, max(1, first - margin), min(words, last + margin)


def _arcs_of_window(low: int, high: int) -> tuple[IntArray, IntArray, Parts]:
    """Return all arcs of some words: in the sentence, and as a sentence of their own."""
    from turbotree.parsing.arcs import all_arcs

    length = np.array([high - low + 1], dtype=np.int32)
    local = all_arcs(length)
    return np.where(local.rows > 0, local.rows + (low - 1), 0).astype(np.int32), length, local


def _likely_of_stretches(
    pruner: Pruner, words: int, score: Callable[[IntArray], FloatArray], allowed: Allowed | None
) -> Iterator[IntArray]:
    from turbotree.errors import InfeasibleError

    for first, last, low, high in _windows(words, _MARGIN):
        rows, length, local = _arcs_of_window(low, high)
        scores = score(rows)
        if allowed is not None:
            scores = np.where(allowed(rows), scores, -np.inf)
        try:
            kept = pruner.prune(length, local, scores, None, pruner.shape.single_root).rows
        except InfeasibleError:  # what is allowed here hangs from words elsewhere
            kept = local.rows[scores > -np.inf]
        kept = np.where(kept > 0, kept + (low - 1), 0).astype(np.int32)
        yield kept[(kept[:, 1] >= first) & (kept[:, 1] <= last)]


def _joined_trees(
    words: int, score: Callable[[IntArray], FloatArray], shape: TreeShape
) -> IntArray:
    """Return a projective tree: the root of the first stretch heads those of the others."""
    from turbotree.parsing.arcs import best_trees

    heads = np.zeros(words, dtype=np.int32)
    top = 0
    for first, last, _, _ in _windows(words, 0):
        rows, length, local = _arcs_of_window(first, last)
        own = best_trees(length, local, score(rows), shape)
        roots = np.flatnonzero(own == 0)
        heads[first - 1 : last] = np.where(own > 0, own + (first - 1), 0)
        if shape.single_root:
            heads[first - 1 + roots] = top
            top = top or int(first + roots[0])
    return heads


def _among_the_best(rows: IntArray, scores: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell which arcs are among the likeliest of their heads: pairs of modifiers are many."""
    best = np.full(int(rows.max()) + 1, -np.inf)
    np.maximum.at(best, rows[:, 1], scores)
    worse = best[rows[:, 1]] - scores
    order = np.lexsort((rows[:, 1], worse, rows[:, 0]))
    heads = rows[order, 0]
    starts = np.flatnonzero(np.concatenate([[True], heads[1:] != heads[:-1]]))
    rank = np.arange(len(rows)) - np.repeat(starts, np.diff([*starts.tolist(), len(rows)]))
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[order] = rank < _MOST_MODIFIERS
    return chosen
