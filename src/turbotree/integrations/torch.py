"""Layers for PyTorch: probabilities of arcs, and sparse relaxed trees and assignments.

Each is a function of tensors with a gradient. The work is done in double precision on the CPU,
by the core; tensors of any floating type and device go in, and the answer comes back like them.

Needs torch: ``pip install 'turbotree[torch]'``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from turbotree.arrays import LongArray
from turbotree.errors import MissingExtraError
from turbotree.graphs import FactorGraph
from turbotree.graphs.solvers.sparsemap import factor_scores_of

try:
    import torch
except ImportError as error:
    raise MissingExtraError(
        "turbotree.integrations.torch needs torch: pip install 'turbotree[torch]'"
    ) from error

from turbotree.integrations._torch_functions import (
    BpMarginals,
    LogPartition,
    LpSparsemap,
    Marginals,
    SparsemapTrees,
)

__all__ = ["bp_marginals", "log_partition", "lp_sparsemap", "marginals", "sparsemap_trees"]

Tensor: TypeAlias = torch.Tensor


def log_partition(
    arc_scores: Tensor,
    lengths: Any = None,
    *,
    single_root: bool = True,
    threads: int | None = None,
) -> Tensor:
    """Log of the sum over all trees of e^score; its gradient is the probabilities of arcs.

    The loss of a CRF is this less the score of the right tree. It can be differentiated twice.

    Parameters
    ----------
    arc_scores : Tensor of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``[h, m]`` of word ``h`` as the head of word ``m``; 0 is the root, -inf forbids an arc.
    lengths : tensor or array of shape (b,), optional
        Words of each sentence of a padded batch.
    single_root : bool
        Exactly one word hangs from the root; otherwise at least one does.
    threads : int, optional
        By default as many as torch uses.

    Returns
    -------
    Tensor of shape () or (b,)

    Examples
    --------
    >>> round(log_partition(torch.zeros(3, 3)).exp().item(), 3)  # two words have two trees
    2.0
    """
    return LogPartition.apply(arc_scores, _lengths(lengths), single_root, _threads(threads))


def marginals(
    arc_scores: Tensor,
    lengths: Any = None,
    *,
    single_root: bool = True,
    threads: int | None = None,
) -> Tensor:
    """Probability of every arc, exact, by the matrix-tree theorem.

    Parameters and layout are those of :func:`log_partition`. The backward pass has a closed form:
    :func:`turbotree.trees.marginal_derivative`.

    Examples
    --------
    >>> scores = torch.zeros(3, 3, requires_grad=True)
    >>> chances = marginals(scores)
    >>> chances[0, 1].backward()
    >>> round(scores.grad[0, 1].item(), 4)  # 1/2 times 1/2
    0.25
    """
    return Marginals.apply(arc_scores, _lengths(lengths), single_root, _threads(threads))


def bp_marginals(
    arc_scores: Tensor,
    sibling_scores: Tensor | None = None,
    grandparent_scores: Tensor | None = None,
    lengths: Any = None,
    *,
    single_root: bool = True,
) -> Tensor:
    """Probability of every arc with parts of second order, by belief propagation.

    Layouts are those of :func:`turbotree.decode`. The gradient is that of the fixed point: since
    probabilities are the derivative of the Bethe log partition, two more runs with scores moved
    along the incoming gradient, forth and back, give what a backward pass needs (Domke 2010).
    """
    return BpMarginals.apply(
        arc_scores, sibling_scores, grandparent_scores, _lengths(lengths), single_root
    )


def sparsemap_trees(
    arc_scores: Tensor,
    lengths: Any = None,
    *,
    single_root: bool = True,
    projective: bool = False,
) -> Tensor:
    """Give the point of the polytope of trees that is nearest to the scores (SparseMAP).

    An average of few trees: most arcs get exactly 0 or 1. It is linear in pieces, and the backward
    pass is exact inside a piece. Layouts are those of :func:`log_partition`.

    Examples
    --------
    >>> sparsemap_trees(torch.tensor([[0.0, 9, 1], [0, 0, 3], [0, 1, 0]])).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    return SparsemapTrees.apply(arc_scores, _lengths(lengths), single_root, projective)


def lp_sparsemap(
    graph: FactorGraph,
    scores: Tensor,
    factor_scores: Tensor | None = None,
    *,
    max_iterations: int = 10_000,
    threshold: float = 1e-10,
) -> Tensor:
    """Give the relaxed best assignment of a factor graph less half its squared length.

    See :func:`turbotree.graphs.sparsemap`; the graph's scores of variables are not looked at.

    Parameters
    ----------
    graph : FactorGraph
        Its factors.
    scores : Tensor of shape (N,)
        One per variable.
    factor_scores : Tensor, optional
        As :func:`turbotree.graphs.solvers.sparsemap.factor_scores_of` lists them; by default, the
        graph's.
    max_iterations, threshold
        Those of the solver.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([0.0, 0.0]))
    >>> lp_sparsemap(graph, torch.tensor([0.3, 0.5])).tolist()  # sparsemax
    [0.4..., 0.6...]
    """
    own = torch.as_tensor(factor_scores_of(graph)) if factor_scores is None else factor_scores
    return LpSparsemap.apply(scores, own, graph, max_iterations, threshold)


def _lengths(lengths: Any) -> LongArray | None:
    if lengths is None:
        return None
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.detach().cpu().numpy()
    return np.asarray(lengths, dtype=np.int64)


def _threads(threads: int | None) -> int:
    return torch.get_num_threads() if threads is None else threads
