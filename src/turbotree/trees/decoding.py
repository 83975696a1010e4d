"""The best tree, and the k best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.trees import _core
from turbotree.trees._constraints import Arcs
from turbotree.trees._failures import raise_failure
from turbotree.trees._inputs import as_array, as_count, read_problem


def maximum_spanning_tree(
    scores: Any,
    *,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Find the tree with the largest sum of arc scores.

    Non-projective trees by Chu-Liu/Edmonds in O(n²), projective ones by Eisner's algorithm in
    O(n³); a single root is exact and costs nothing extra. Ties are broken the same way each time.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    array of shape (n,) or (b, n)
        The head of each word; -1 after the last word of a shorter sentence.

    Raises
    ------
    InputError
        For NaN or +inf scores and arrays of a wrong shape.
    InfeasibleError
        When no tree keeps to the constraints.

    Examples
    --------
    >>> scores = [[0, 9, 8], [0, 0, 7], [0, 1, 0]]
    >>> maximum_spanning_tree(scores)
    array([0, 0])
    >>> maximum_spanning_tree(scores, single_root=True)
    array([0, 1])
    >>> maximum_spanning_tree(scores, required=[(2, 1)])
    array([2, 0])
    """
    problem = read_problem(scores, single_root, projective, required, forbidden, lengths, threads)
    heads = np.full((*problem.leading_shape, problem.words), -1, dtype=np.int64)
    failure = _core.maximum_trees(
        problem.scores,
        problem.lengths,
        heads,
        problem.single_root,
        problem.projective,
        problem.threads,
    )
    if failure is not None:
        raise_failure(problem, failure)
    return heads


def tree_score(scores: Any, heads: Any, *, lengths: Any = None) -> Any:
    """Sum the scores of a tree's arcs.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
    heads : array of shape (n,) or (b, n)
        ``heads[m - 1]`` is the head of word ``m``. Not checked to be a tree.
    lengths : array of shape (b,), optional

    Returns
    -------
    float, or array of shape (b,) for a batch

    Examples
    --------
    >>> tree_score([[0, 9, 8], [0, 0, 7], [0, 1, 0]], [0, 1])
    16.0
    """
    problem = read_problem(scores, False, False, None, None, lengths, 1)
    head_array = as_array(heads, "heads")
    expected = (*problem.leading_shape, problem.words)
    if head_array.shape != expected:
        raise InputError(f"heads: expected shape {expected}, got {head_array.shape}")
    if head_array.dtype.kind not in "iu" and head_array.size:
        raise InputError(f"heads: expected whole numbers, got dtype {head_array.dtype}")
    modifiers = np.arange(1, problem.words + 1)
    if problem.lengths is None:
        inside = np.ones(expected, dtype=bool)
    else:
        inside = modifiers <= problem.lengths[:, np.newaxis]
    wrong = np.argwhere(inside & ((head_array < 0) | (head_array > problem.words)))
    if wrong.size:
        place = tuple(wrong[0].tolist())
        raise InputError(
            f"heads{list(place)}: expected 0 to {problem.words}, got {head_array[place]}"
        )
    chosen = np.where(inside, head_array, 0).astype(np.intp)
    if not problem.is_batch:
        return float(problem.scores[chosen, modifiers].sum())
    items = np.arange(len(chosen))[:, np.newaxis]
    return np.where(inside, problem.scores[items, chosen, modifiers], 0.0).sum(axis=1)


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

    heads: NDArray[np.int64]
    score: float


def k_best(
    scores: Any,
    k: int,
    *,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> Any:
    """Find the ``k`` trees with the largest scores, best first.

    Exact, by Lawler's partition of the trees left: at most n decoder calls for each tree.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    k : int
        How many trees to find; fewer come back if there are fewer.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    list of ScoredTree, or a list of such lists for a batch

    Examples
    --------
    >>> for tree in k_best([[0, 9, 8], [0, 0, 7], [0, 1, 0]], 5):
    ...     print(tree.heads, tree.score)
    [0 0] 17.0
    [0 1] 16.0
    [2 0] 9.0
    """
    k = as_count(k, "k", 1)
    problem = read_problem(scores, single_root, projective, required, forbidden, lengths, threads)
    failure, results = _core.k_best(
        problem.scores,
        problem.lengths,
        min(k, np.iinfo(np.int64).max),
        problem.single_root,
        problem.projective,
        problem.threads,
    )
    if failure is not None:
        raise_failure(problem, failure)
    trees = []
    for item, (heads, values) in enumerate(results):
        words = problem.words if problem.lengths is None else int(problem.lengths[item])
        trees.append(
            [
                ScoredTree(row[:words], value)
                for row, value in zip(heads, values.tolist(), strict=True)
            ]
        )
    return trees if problem.is_batch else trees[0]
