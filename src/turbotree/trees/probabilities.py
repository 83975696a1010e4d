"""The distribution over trees in which a tree's probability is proportional to e^score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.trees import _core
from turbotree.trees._constraints import Arcs
from turbotree.trees._failures import raise_failure
from turbotree.trees._inputs import read_problem


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

    probabilities: NDArray[np.float64]
    log_partition: Any
    entropy: Any


def tree_marginals(
    scores: Any,
    *,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> TreeMarginals:
    """Compute arc probabilities, log partition and entropy together.

    Non-projective trees by the matrix-tree theorem, projective ones by inside-outside, both in
    O(n³). No step subtracts, so the results are accurate for scores of any magnitude, also when
    the best heads form a cycle.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    TreeMarginals

    Examples
    --------
    >>> import numpy as np
    >>> result = tree_marginals(np.zeros((3, 3)))  # three trees, equally likely
    >>> result.probabilities.round(3)
    array([[0.   , 0.667, 0.667],
           [0.   , 0.   , 0.333],
           [0.   , 0.333, 0.   ]])
    >>> round(result.log_partition, 6), round(result.entropy, 6)  # log 3
    (1.098612, 1.098612)
    """
    problem = read_problem(scores, single_root, projective, required, forbidden, lengths, threads)
    probabilities = np.empty_like(problem.scores)
    size = problem.leading_shape or (1,)
    log_partitions = np.empty(size)
    entropies = np.empty(size)
    failure = _core.tree_marginals(
        problem.scores,
        problem.lengths,
        probabilities,
        log_partitions,
        entropies,
        problem.single_root,
        problem.projective,
        problem.threads,
    )
    if failure is not None:
        raise_failure(problem, failure)
    if problem.is_batch:
        return TreeMarginals(probabilities, log_partitions, entropies)
    return TreeMarginals(probabilities, log_partitions.item(), entropies.item())


def marginals(
    scores: Any,
    *,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> NDArray[np.float64]:
    """Compute the probability of every arc.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    array of the scores' shape
        See :class:`TreeMarginals`.

    Examples
    --------
    >>> import numpy as np
    >>> marginals(np.zeros((3, 3)), single_root=True)
    array([[0. , 0.5, 0.5],
           [0. , 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    return tree_marginals(
        scores,
        single_root=single_root,
        projective=projective,
        required=required,
        forbidden=forbidden,
        lengths=lengths,
        threads=threads,
    ).probabilities


def entropy(
    scores: Any,
    *,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> Any:
    """Compute the entropy of the distribution over trees, in nats.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    float, or array of shape (b,) for a batch

    Examples
    --------
    >>> import numpy as np
    >>> round(entropy(np.zeros((3, 3))), 6)  # three trees, equally likely: log 3
    1.098612
    """
    return tree_marginals(
        scores,
        single_root=single_root,
        projective=projective,
        required=required,
        forbidden=forbidden,
        lengths=lengths,
        threads=threads,
    ).entropy


def log_partition(
    scores: Any,
    *,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> Any:
    """Compute the log of the sum over all trees of e^score.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    float, or array of shape (b,) for a batch

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> round(math.exp(log_partition(np.zeros((4, 4)))))  # (n + 1)^(n - 1) trees
    16
    >>> round(math.exp(log_partition(np.zeros((4, 4)), projective=True)))
    12
    """
    problem = read_problem(scores, single_root, projective, required, forbidden, lengths, threads)
    results = np.empty(problem.leading_shape or (1,))
    failure = _core.log_partitions(
        problem.scores,
        problem.lengths,
        results,
        problem.single_root,
        problem.projective,
        problem.threads,
    )
    if failure is not None:
        raise_failure(problem, failure)
    return results if problem.is_batch else results.item()
