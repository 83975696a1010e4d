"""The relaxed best assignment with a quadratic regulariser (LP-SparseMAP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.factors.blocks import chunk_of
from turbotree.graphs.solvers.native import core_graph
from turbotree.quantities import as_count, as_positive

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


@dataclass(frozen=True, slots=True, eq=False)
class Sparsemap:
    """The answer of :func:`sparsemap`.

    Attributes
    ----------
    point : float64 array of shape (N,)
        Between 0 and 1; few of its variables are neither.
    factor_marginals : float64 array
        How often the factors use each of their scores, one block after another.
    iterations : int
    converged : bool
    multipliers : float64 array
        One per link: where a run on the same factors may begin.
    """

    point: FloatArray
    factor_marginals: FloatArray
    iterations: int
    converged: bool
    multipliers: FloatArray


def sparsemap(
    graph: FactorGraph,
    *,
    max_iterations: int = 10_000,
    threshold: float = 1e-9,
    start: Sparsemap | None = None,
) -> Sparsemap:
    """Maximise the score of a relaxed assignment less half its squared length (LP-SparseMAP).

    The maximiser of ``scores · u + factor scores - 1/2 |u|²`` over the local polytope is unique,
    sparse, and a piecewise linear function of the scores: what a layer of a network needs (Niculae
    and Martins 2020). With one structured factor alone it is SparseMAP: for a tree, the nearest
    point of the polytope of trees to the scores.

    Parameters
    ----------
    graph : FactorGraph
    max_iterations : int
        Rounds of consensus among factors.
    threshold : float
        Converged when factors disagree and the point moves by less, root mean square.
    start : Sparsemap, optional
        An earlier answer for the same factors, whose scores may have been others.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([0.3, 0.5, -2.0]))
    >>> sparsemap(graph).point.round(6)  # sparsemax
    array([0.4, 0.6, 0. ])
    """
    found = _core.sparsemap(
        core_graph(graph),
        as_count(max_iterations, "max_iterations", 1),
        as_positive(threshold, "threshold"),
        None if start is None else start.multipliers,
        None if start is None else start.point,
    )
    return Sparsemap(
        found.point, found.expectations, found.iterations, found.converged, found.multipliers
    )


def factor_scores_of(graph: FactorGraph) -> FloatArray:
    """Give the factor scores, one block after another.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([0.0, 0.0])
    >>> graph.pair(a, b, 1.5)
    >>> factor_scores_of(graph)
    array([1.5])
    """
    return np.concatenate([np.zeros(0), *(block.scores for block in graph.blocks)])


def with_scores(
    graph: FactorGraph,
    scores: FloatArray,
    factor_scores: FloatArray | None = None,
) -> FactorGraph:
    """Give the same graph with other scores, of variables and of factors.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([0.0, 0.0])
    >>> graph.pair(a, b, 1.5)
    >>> with_scores(graph, np.ones(2), np.array([2.0])).value([1, 1])
    4.0
    """
    other = graph.copy()
    other.set_scores(scores)
    if factor_scores is None:
        return other
    expected = sum(len(block.scores) for block in graph.blocks)
    if factor_scores.shape != (expected,):
        raise InputError(f"factor_scores: expected shape ({expected},), got {factor_scores.shape}")
    first = 0
    for block in other.blocks:
        own = np.ascontiguousarray(factor_scores[first : first + len(block.scores)])
        first += len(own)
        if len(own):
            other._chunks[block.kind] = [chunk_of(block)._replace(scores=own)]
    other._blocks = None
    return other
