"""The arc-factored part of a parser: candidate arcs, their scores, the tree over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import PartKind, Parts
from turbotree.parsing import _core
from turbotree.parsing.long_sentences import is_very_long, stretched_candidates
from turbotree.scoring import Batch, PartScorer

#: An arc: its head and its modifier.
ARC = PartKind(("h", "m"))


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
        if self.max_heads < 1:
            raise InputError(f"max heads is {self.max_heads}; expected at least 1")


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
