"""The arc-factored part of a parser: candidate arcs, their scores, the tree over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from turbotree.errors import InfeasibleError, InputError
from turbotree.features import AnyWeights, Encoded, PartKind, Parts, Scorer
from turbotree.features._core import Gradient
from turbotree.learning import Expectation
from turbotree.parsing import _core

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

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
    return Parts(*_core.all_arcs(lengths))


def best_trees(lengths: IntArray, arcs: Parts, scores: FloatArray, shape: TreeShape) -> IntArray:
    """Return the heads of all words, sentence after sentence."""
    try:
        return _core.best_trees(
            lengths, arcs.rows, arcs.offsets, scores, shape.single_root, shape.projective
        )
    except IndexError as error:
        raise InfeasibleError(str(error)) from None


def arc_marginals(
    lengths: IntArray, arcs: Parts, scores: FloatArray, shape: TreeShape
) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each arc and the log-partition of each sentence."""
    try:
        return _core.arc_marginals(
            lengths, arcs.rows, arcs.offsets, scores, shape.single_root, shape.projective
        )
    except IndexError as error:
        raise InfeasibleError(str(error)) from None


@dataclass(frozen=True)
class ArcModel:
    """Templates and weights that score arcs."""

    scorer: Scorer
    weights: AnyWeights

    def score(self, encoded: Encoded, arcs: Parts) -> FloatArray:
        """Score the arcs of a batch."""
        return self.scorer.score(self.scorer.prepare(encoded), arcs, self.weights)


@dataclass(frozen=True)
class PruningOptions:
    """How far to prune.

    Attributes
    ----------
    threshold
        A head is dropped when its probability is below this share of the best head's.
    max_heads
        Candidate heads a word, at most; the pruner's own best tree is always kept. Twenty is
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
    """A light arc-factored CRF that leaves only the likely heads of each word."""

    model: ArcModel
    options: PruningOptions
    shape: TreeShape

    def candidates(
        self, encoded: Encoded, keep: IntArray | None = None, shape: TreeShape | None = None
    ) -> Parts:
        """Return the arcs worth a closer look.

        Parameters
        ----------
        encoded
            A batch of sentences.
        keep
            Heads of all words that have to stay: the gold ones, in training.
        shape
            Which trees will be asked for, if not those that the pruner was trained for: the best
            of these is kept then, so that there is one.
        """
        lengths = encoded.lengths
        arcs = all_arcs(lengths)
        scores = self.model.score(encoded, arcs)
        if keep is None and shape is not None and shape != self.shape:
            keep = best_trees(lengths, arcs, scores, shape)
        rows, offsets = _core.prune(
            lengths,
            arcs.rows,
            arcs.offsets,
            scores,
            self.shape.single_root,
            False,
            self.options.threshold,
            self.options.max_heads,
            keep,
        )
        return Parts(rows, offsets)


class ArcProblem:
    """One training sentence of an arc-factored model."""

    def __init__(
        self, scorer: Scorer, encoded: Encoded, heads: IntArray, arcs: Parts, shape: TreeShape
    ) -> None:
        self._scorer = scorer
        self._prepared = scorer.prepare(encoded)
        self._lengths = encoded.lengths
        self._arcs = arcs
        self._shape = shape
        self.gold = self._indicator(heads)
        self.cost = 1.0 - self.gold

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each candidate arc."""
        return self._scorer.score(self._prepared, self._arcs, weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best tree."""
        return self._indicator(best_trees(self._lengths, self._arcs, scores, self._shape))

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the arcs' probabilities."""
        probabilities, log_partitions = arc_marginals(
            self._lengths, self._arcs, scores, self._shape
        )
        return Expectation(probabilities, float(log_partitions[0]))

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the arcs' features, weighted."""
        return self._scorer.gradient(self._prepared, self._arcs, coefficients)

    def _indicator(self, heads: IntArray) -> FloatArray:
        rows = self._arcs.rows
        indicator: FloatArray = (heads[rows[:, 1] - 1] == rows[:, 0]).astype(np.float64)
        return indicator


class ArcTask:
    """The training set of an arc-factored model.

    Parameters
    ----------
    scorer
        The model's templates.
    encoded, heads
        The sentences, each a batch of one, and their gold heads.
    candidates
        The candidate arcs of each sentence; without them, all arcs.
    shape
        Which trees are allowed.
    """

    def __init__(
        self,
        scorer: Scorer,
        encoded: Sequence[Encoded],
        heads: Sequence[IntArray],
        shape: TreeShape,
        candidates: Sequence[Parts] | None = None,
    ) -> None:
        self._scorer = scorer
        self._encoded = encoded
        self._heads = heads
        # Training trees may be non-projective whatever the parser is asked for later.
        self._shape = replace(shape, projective=False)
        self._candidates = candidates

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> ArcProblem:
        """Return one sentence's problem."""
        encoded = self._encoded[index]
        arcs = self._candidates[index] if self._candidates else all_arcs(encoded.lengths)
        return ArcProblem(self._scorer, encoded, self._heads[index], arcs, self._shape)
