"""The arc-factored part of a parser: candidate arcs, their scores, the tree over them.

The cost of long sentences grows with their words alone. All bounds count words, parts and rounds:
the same sentence has the same answer everywhere. Time limits are the last resort.

- Up to `SEARCHED` words, nothing differs.
- Beyond, decoder ``"auto"`` solves the relaxation and does not search, in a number of rounds that
  falls with the number of parts (`decoding/decode.py`).
- Beyond `WHOLE` words, the pruner looks at stretches of the sentence instead of all pairs of words,
  with what lies around them; heads have a limited number of candidate modifiers; parts that need
  all pairs of words are not scored; and all decoders but ``"exact"`` are as ``"auto"``.
  Probabilities are those of each word's heads by themselves (`decoding/beliefs.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.features import PartKind, Parts
from turbotree.parsing import _core
from turbotree.quantities import check_least
from turbotree.scoring import Batch, PartScorer

#: An arc: its head and its modifier.
ARC = PartKind(("h", "m"))

#: Words up to which decoders search where the relaxation leaves a gap.
SEARCHED = 256
#: Words up to which all pairs of words are looked at.
WHOLE = 1000

_STRETCH, _MARGIN = 256, 128
_MOST_MODIFIERS = 64
_PAIRS_AT_ONCE = 4_000_000

#: Tells which of some arcs are allowed.
Allowed = Callable[[IntArray], BoolArray]


@dataclass(frozen=True, slots=True)
class TreeShape:
    """Which trees are allowed.

    Attributes
    ----------
    single_root
        Exactly one word hangs from the root.
    projective
        No arc crosses another.
    """

    single_root: bool = True
    projective: bool = False


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


def all_arcs(lengths: IntArray) -> Parts:
    """Return every arc of sentences of these lengths.

    >>> all_arcs(np.array([2], dtype=np.int32)).rows.tolist()
    [[0, 1], [0, 2], [1, 2], [2, 1]]
    """
    found = _core.all_arcs(lengths)
    return Parts(found.arcs, found.offsets)


def best_trees(lengths: IntArray, arcs: Parts, scores: FloatArray, shape: TreeShape) -> IntArray:
    """Return the heads of all words, sentence after sentence."""
    if len(lengths) == 1 and len(arcs.rows) == lengths[0] and is_very_long(int(lengths[0])):
        # One head per word leaves no choice; algorithms on matrices are not for so many words.
        heads = np.empty(len(arcs.rows), dtype=np.int32)
        heads[arcs.rows[:, 1] - 1] = arcs.rows[:, 0]
        return heads
    return _core.best_trees(
        lengths, arcs.rows, arcs.offsets, scores, shape.single_root, shape.projective
    )


def arc_marginals(
    lengths: IntArray, arcs: Parts, scores: FloatArray, shape: TreeShape
) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each arc and the log-partition of each sentence."""
    return _core.arc_marginals(
        lengths, arcs.rows, arcs.offsets, scores, shape.single_root, shape.projective
    )


def smoothed(modifiers: IntArray, probabilities: FloatArray, smoothing: float) -> FloatArray:
    """Give a share of each word's probability to all heads that are possible, in equal parts.

    >>> smoothed(np.array([1, 1, 2]), np.array([0.75, 0.25, 0.0]), 0.5).tolist()
    [0.625, 0.375, 0.0]
    """
    if smoothing == 0.0 or not len(modifiers):
        return probabilities
    possible = probabilities > 0
    counts = np.maximum(1, np.bincount(modifiers[possible], minlength=int(modifiers.max()) + 1))
    kept: FloatArray = (1.0 - smoothing) * probabilities + smoothing * possible / counts[modifiers]
    return kept


def single_heads(arcs: IntArray, words: int) -> IntArray:
    """Return the rows of arcs whose words have no other candidate head.

    >>> single_heads(np.array([[0, 1], [2, 1], [1, 2]]), 2).tolist()
    [[1, 2]]
    """
    counts = np.bincount(arcs[:, 1], minlength=words + 1)
    single: IntArray = arcs[counts[arcs[:, 1]] == 1]
    return single


def only_allowed(beliefs: FloatArray, scores: FloatArray) -> FloatArray:
    """Forbid in beliefs what the scores forbid: belief in an allowed arc may be 0, too.

    >>> only_allowed(np.array([0.0, 0.0, 1.0]), np.array([-np.inf, 2.0, 3.0]))
    array([-inf,   0.,   1.])
    """
    return np.where(np.isneginf(scores), -np.inf, beliefs)


@dataclass(frozen=True)
class PruningOptions:
    """How far to prune.

    Attributes
    ----------
    threshold
        A head is dropped when its probability is below this share of the best head's.
    max_heads
        Candidate heads per word, at most; the pruner's own best tree is always kept. Twenty is
        generous, since arcs are cheap: ten would lose 1.7 % of the gold arcs of a treebank with
        free word order, twenty lose 0.3 %.
    """

    threshold: float = 1e-4
    max_heads: int = 20

    def __post_init__(self) -> None:
        if not 0 <= self.threshold < 1:
            raise InputError(f"pruning threshold is {self.threshold}; expected 0 to below 1")
        check_least("max heads", self.max_heads, 1)


@dataclass(frozen=True)
class Pruner:
    """Leaves only the likely heads of each word.

    Attributes
    ----------
    scorer
        Scores arcs: a light arc-factored CRF, or a network.
    options
        How far to prune.
    shape
        Which trees there are.
    local
        Scores are logarithms of probabilities of each word's heads by themselves, as a network
        gives them. Otherwise a head's probability is that of the trees which have the arc.
    """

    scorer: PartScorer
    options: PruningOptions
    shape: TreeShape
    local: bool = False

    def score(self, batch: Batch, arcs: Parts) -> FloatArray:
        """Score some arcs of a batch."""
        return self.scorer.score(batch, {"arc": arcs})["arc"]

    def complete(self, batch: Batch, heads: IntArray) -> IntArray:
        """Return the best tree of one sentence that has the known heads; others are negative."""
        arcs = all_arcs(batch.lengths)
        known = heads[arcs.rows[:, 1] - 1]
        contradicts = (known >= 0) & (known != arcs.rows[:, 0])
        scores = np.where(contradicts, -np.inf, self.score(batch, arcs))
        return best_trees(batch.lengths, arcs, scores, self.shape)

    def candidates(
        self, batch: Batch, keep: IntArray | None = None, shape: TreeShape | None = None
    ) -> Parts:
        """Return the arcs worth a closer look.

        Parameters
        ----------
        batch
            The sentences.
        keep
            Heads of all words that have to stay: the gold ones, in training.
        shape
            Which trees will be asked for, if not those that the pruner was trained for: the best
            of these is kept then, so that there is one.
        """
        lengths = batch.lengths
        if is_very_long(int(lengths.max(initial=0))):
            return self._candidates_one_by_one(batch, keep, shape or self.shape)
        arcs = all_arcs(lengths)
        scores = self.score(batch, arcs)
        if keep is None and shape is not None and shape != self.shape:
            keep = best_trees(lengths, arcs, scores, shape)
        return self.prune(lengths, arcs, scores, keep, self.shape.single_root)

    def _candidates_one_by_one(
        self, batch: Batch, keep: IntArray | None, shape: TreeShape
    ) -> Parts:
        found, ends, first = [], [0], 0
        for sentence, length in enumerate(batch.lengths.tolist()):
            alone = batch.repeated([sentence])
            own = None if keep is None else keep[first : first + length]
            if is_very_long(length):
                found.append(stretched_candidates(self, alone, shape, keep=own).rows)
            else:
                found.append(self.candidates(alone, own, shape).rows)
            ends.append(ends[-1] + len(found[-1]))
            first += length
        return Parts(np.concatenate(found), np.array(ends, dtype=np.int32))

    def prune(
        self,
        lengths: IntArray,
        arcs: Parts,
        scores: FloatArray,
        keep: IntArray | None,
        single_root: bool,
    ) -> Parts:
        """Return the likely ones of some arcs, and those of the trees to keep."""
        kept = _core.prune(
            lengths,
            arcs.rows,
            arcs.offsets,
            scores,
            single_root,
            False,
            self.options.threshold,
            self.options.max_heads,
            keep,
            self.local,
        )
        return Parts(kept.arcs, kept.offsets)


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
    """Return the likely arcs of one very long sentence, and those of a tree.

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
    length = np.array([high - low + 1], dtype=np.int32)
    local = all_arcs(length)
    return np.where(local.rows > 0, local.rows + (low - 1), 0).astype(np.int32), length, local


def _likely_of_stretches(
    pruner: Pruner, words: int, score: Callable[[IntArray], FloatArray], allowed: Allowed | None
) -> Iterator[IntArray]:
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


def _among_the_best(rows: IntArray, scores: FloatArray) -> BoolArray:
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
