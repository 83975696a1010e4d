"""Trees drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.trees import _core
from turbotree.trees._constraints import Arcs
from turbotree.trees._failures import raise_failure
from turbotree.trees._inputs import as_count, read_problem


def sample(
    scores: Any,
    count: int = 1,
    *,
    seed: int = 0,
    single_root: bool = False,
    projective: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    lengths: Any = None,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Draw trees, each with probability proportional to e^score.

    The draws are exact and independent. Non-projective trees by Wilson's loop-erased walks, or
    word by word where those would wander for too long; projective ones from the inside charts.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.
    count : int
        How many trees to draw, for each matrix.
    seed : int
        The same seed gives the same trees. Matrix ``i`` of a batch has a sequence of its own.
    single_root, projective, required, forbidden, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    array of shape (count, n) or (b, count, n)
        One tree a row; -1 after the last word of a shorter sentence.

    Examples
    --------
    >>> import numpy as np
    >>> trees = sample(np.zeros((3, 3)), 3000, seed=1)
    >>> bool(abs((trees[:, 0] == 0).mean() - 2 / 3) < 0.03)
    True
    """
    count = as_count(count, "count", 0)
    seed = as_count(seed, "seed", 0) % 2**64
    problem = read_problem(scores, single_root, projective, required, forbidden, lengths, threads)
    heads = np.full((*problem.leading_shape, count, problem.words), -1, dtype=np.int64)
    failure = _core.sample(
        problem.scores,
        problem.lengths,
        heads,
        count,
        seed,
        problem.single_root,
        problem.projective,
        problem.threads,
    )
    if failure is not None:
        raise_failure(problem, failure)
    return heads
