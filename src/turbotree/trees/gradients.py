"""How the probabilities of arcs change with their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.trees import _core
from turbotree.trees._failures import raise_failure
from turbotree.trees._inputs import as_array, read_problem


def marginal_derivative(
    scores: Any,
    direction: Any,
    *,
    single_root: bool = False,
    lengths: Any = None,
    threads: int = 1,
) -> NDArray[np.float64]:
    """Compute the derivative of :func:`marginals` when scores move in a direction.

    The matrix of these derivatives holds the covariances of arcs, so it is symmetric, and its
    product with a vector is the same from both sides: a backward pass calls this too. In closed
    form by the inverse of the Laplacian, O(n³); for non-projective trees.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        As in :mod:`turbotree.trees`.
    direction : array of the scores' shape
        How far each score moves; what is said of arcs that do not exist is ignored.
    single_root, lengths, threads
        As in :mod:`turbotree.trees`.

    Returns
    -------
    array of the scores' shape

    Examples
    --------
    Two words and three trees, equally likely: the head of word 1 is the root in two of them.

    >>> import numpy as np
    >>> more_root = np.zeros((3, 3))
    >>> more_root[0, 1] = 1.0
    >>> round(float(marginal_derivative(np.zeros((3, 3)), more_root)[0, 1]), 6)  # 2/3 times 1/3
    0.222222
    """
    problem = read_problem(scores, single_root, False, None, None, lengths, threads)
    moves = np.ascontiguousarray(as_array(direction, "direction"), dtype=np.float64)
    if moves.shape != problem.scores.shape:
        raise InputError(f"direction: expected shape {problem.scores.shape}, got {moves.shape}")
    derivative = np.empty_like(problem.scores)
    failure = _core.marginal_derivatives(
        problem.scores, problem.lengths, moves, derivative, problem.single_root, problem.threads
    )
    if failure is not None:
        raise_failure(problem, failure)
    return derivative
