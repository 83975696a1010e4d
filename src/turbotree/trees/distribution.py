"""All trees over arc scores: the best ones, and the distribution proportional to e^score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.quantities import as_count
from turbotree.trees import _core
from turbotree.trees._constraints import Arcs
from turbotree.trees._failures import raise_failure
from turbotree.trees._inputs import as_array, read_arc_scores


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTree:
    """A tree and its score.

    Attributes
    ----------
    heads : array of shape (n,)
        The head of each word.
    score : float
        The sum of the scores of its arcs.
    """

    heads: LongArray
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class TreeMarginals:
    """What can be summed over all trees, found in one pass.

    Attributes
    ----------
    probabilities : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``probabilities[h, m]`` that word ``m`` has head ``h``; 0 in column 0, on the diagonal and
        after the last word.
    log_partition : float, or array of shape (b,)
        The log of the sum over all trees of e^score.
    entropy : float, or array of shape (b,)
        The entropy of the distribution, in nats.
    """

    probabilities: FloatArray
    log_partition: Any
    entropy: Any


class Trees:
    """The trees over one matrix of arc scores, or over each matrix of a padded batch.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    lengths : array of shape (b,), optional
        The number of words of each matrix of a batch.
    single_root : bool
        Exactly one word hangs from the root; otherwise at least one does.
    projective : bool
        Only trees whose arcs, drawn above the sentence, do not cross.
    require, forbid : optional
        Arcs that every tree has, or that none has: ``(head, modifier)`` pairs or a boolean matrix
        of the scores' shape; for a batch, one list of pairs for each matrix or a boolean array of
        the batch's shape.
    threads : int
        How many threads share the matrices of a batch.

    Raises
    ------
    InputError
        For arguments of a wrong type or shape. NaN and +inf scores are refused by the methods.
    InfeasibleError
        When the required arcs contradict each other. The methods raise it when no tree is left.

    Examples
    --------
    >>> trees = Trees([[0, 9, 8], [0, 0, 7], [0, 1, 0]])
    >>> trees.best()
    array([0, 1])
    >>> trees.marginals().round(3)
    array([[0.   , 0.999, 0.001],
           [0.   , 0.   , 0.999],
           [0.   , 0.001, 0.   ]])
    >>> [tree.heads.tolist() for tree in trees.k_best(5)]
    [[0, 1], [2, 0]]
    >>> Trees([[0, 9, 8], [0, 0, 7], [0, 1, 0]], require=[(2, 1)]).best()
    array([2, 0])
    """

    __slots__ = ("_arcs",)

    def __init__(
        self,
        scores: Any,
        *,
        lengths: Any = None,
        single_root: bool = True,
        projective: bool = False,
        require: Arcs | None = None,
        forbid: Arcs | None = None,
        threads: int = 1,
    ) -> None:
        self._arcs = read_arc_scores(
            scores, single_root, projective, require, forbid, lengths, threads
        )

    def best(self) -> LongArray:
        """Find the tree with the largest sum of arc scores.

        Non-projective trees by Chu-Liu/Edmonds in O(n²), projective ones by Eisner's algorithm in
        O(n³); a single root is exact and costs nothing extra. Ties are broken the same way each
        time.

        Returns
        -------
        array of shape (n,) or (b, n)
            The head of each word; -1 after the last word of a shorter sentence.
        """
        arcs = self._arcs
        heads = np.empty((*arcs.leading_shape, arcs.words), dtype=np.int64)
        heads.fill(-1)  # quicker than np.full, which counts for short sentences
        self._run(_core.maximum_trees, heads)
        return heads

    def k_best(self, k: int) -> Any:
        """Find the ``k`` trees with the largest scores, best first; fewer if there are fewer.

        Exact, by Lawler's partition of the trees left: at most n decoder calls for each tree.

        Returns
        -------
        list of ScoredTree, or a list of such lists for a batch
        """
        count = min(as_count(k, "k", 1), np.iinfo(np.int64).max)
        arcs = self._arcs
        failure, results = _core.k_best(
            arcs.scores, arcs.lengths, count, arcs.single_root, arcs.projective, arcs.threads
        )
        if failure is not None:
            raise_failure(arcs, failure)
        trees = []
        for item, (heads, values) in enumerate(results):
            words = arcs.words if arcs.lengths is None else int(arcs.lengths[item])
            trees.append(
                [
                    ScoredTree(row[:words], value)
                    for row, value in zip(heads, values.tolist(), strict=True)
                ]
            )
        return trees if arcs.is_batch else trees[0]

    def sample(self, count: int = 1, *, seed: int = 0) -> LongArray:
        """Draw trees, each with probability proportional to e^score.

        The draws are exact and independent. Non-projective trees by Wilson's loop-erased walks, or
        word by word where those would wander for too long; projective ones from the inside charts.

        Parameters
        ----------
        count : int
            How many trees to draw, for each matrix.
        seed : int
            The same seed gives the same trees. Matrix ``i`` of a batch has a sequence of its own.

        Returns
        -------
        array of shape (count, n) or (b, count, n)
            One tree per row; -1 after the last word of a shorter sentence.
        """
        count = as_count(count, "count", 0)
        seed = as_count(seed, "seed", 0) % 2**64
        arcs = self._arcs
        heads = np.full((*arcs.leading_shape, count, arcs.words), -1, dtype=np.int64)
        self._run(_core.sample, heads, count, seed)
        return heads

    def tree_marginals(self) -> TreeMarginals:
        """Compute arc probabilities, log partition and entropy in one pass.

        Non-projective trees by the matrix-tree theorem, projective ones by inside-outside, both in
        O(n³). No step subtracts, so the results are accurate for scores of any magnitude, also
        when the best heads form a cycle.
        """
        arcs = self._arcs
        probabilities = np.empty_like(arcs.scores)
        size = arcs.leading_shape or (1,)
        log_partitions, entropies = np.empty(size), np.empty(size)
        self._run(_core.tree_marginals, probabilities, log_partitions, entropies)
        if arcs.is_batch:
            return TreeMarginals(probabilities, log_partitions, entropies)
        return TreeMarginals(probabilities, log_partitions.item(), entropies.item())

    def marginals(self) -> FloatArray:
        """Compute the probability of every arc; see :class:`TreeMarginals`."""
        return self.tree_marginals().probabilities

    def entropy(self) -> Any:
        """Compute the entropy of the distribution over trees, in nats."""
        return self.tree_marginals().entropy

    def log_partition(self) -> Any:
        """Compute the log of the sum over all trees of e^score."""
        results = np.empty(self._arcs.leading_shape or (1,))
        self._run(_core.log_partitions, results)
        return results if self._arcs.is_batch else results.item()

    def marginal_derivative(self, direction: Any) -> FloatArray:
        """Compute the derivative of :meth:`marginals` when scores move in a direction.

        The matrix of these derivatives holds the covariances of arcs, so it is symmetric, and its
        product with a vector is the same from both sides: a backward pass calls this too. In
        closed form by the inverse of the Laplacian, O(n³); for non-projective trees.

        Parameters
        ----------
        direction : array of the scores' shape
            How far each score moves; what is said of arcs that do not exist is ignored.
        """
        arcs = self._arcs
        if arcs.projective:
            raise InputError("marginal_derivative: expected projective=False")
        moves = np.ascontiguousarray(as_array(direction, "direction"), dtype=np.float64)
        if moves.shape != arcs.scores.shape:
            raise InputError(f"direction: expected shape {arcs.scores.shape}, got {moves.shape}")
        derivative = np.empty_like(arcs.scores)
        failure = _core.marginal_derivatives(
            arcs.scores, arcs.lengths, moves, derivative, arcs.single_root, arcs.threads
        )
        if failure is not None:
            raise_failure(arcs, failure)
        return derivative

    def score(self, heads: Any) -> Any:
        """Sum the scores of a tree's arcs.

        Parameters
        ----------
        heads : array of shape (n,) or (b, n)
            ``heads[m - 1]`` is the head of word ``m``. Not checked to be a tree.

        Returns
        -------
        float, or array of shape (b,) for a batch
        """
        arcs = self._arcs
        head_array = as_array(heads, "heads")
        expected = (*arcs.leading_shape, arcs.words)
        if head_array.shape != expected:
            raise InputError(f"heads: expected shape {expected}, got {head_array.shape}")
        if head_array.dtype.kind not in "iu" and head_array.size:
            raise InputError(f"heads: expected whole numbers, got dtype {head_array.dtype}")
        modifiers = np.arange(1, arcs.words + 1)
        if arcs.lengths is None:
            inside = np.ones(expected, dtype=bool)
        else:
            inside = modifiers <= arcs.lengths[:, np.newaxis]
        wrong = np.argwhere(inside & ((head_array < 0) | (head_array > arcs.words)))
        if wrong.size:
            place = tuple(wrong[0].tolist())
            raise InputError(
                f"heads{list(place)}: expected 0 to {arcs.words}, got {head_array[place]}"
            )
        chosen = np.where(inside, head_array, 0).astype(np.intp)
        if not arcs.is_batch:
            return float(arcs.scores[chosen, modifiers].sum())
        items = np.arange(len(chosen))[:, np.newaxis]
        return np.where(inside, arcs.scores[items, chosen, modifiers], 0.0).sum(axis=1)

    def _run(self, function: Callable[..., tuple[int, int, int, int] | None], *own: Any) -> None:
        """Let the core fill the arrays among its `own` arguments, or raise what went wrong."""
        arcs = self._arcs
        failure = function(
            arcs.scores, arcs.lengths, *own, arcs.single_root, arcs.projective, arcs.threads
        )
        if failure is not None:
            raise_failure(arcs, failure)
