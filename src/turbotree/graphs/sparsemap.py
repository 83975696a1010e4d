"""The relaxed best assignment with a quadratic regulariser (LP-SparseMAP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.blocks import chunk_of
from turbotree.graphs.literals import as_count, as_positive
from turbotree.graphs.native import core_graph

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


@dataclass(frozen=True, slots=True, eq=False)
class Sparsemap:
    """The answer of :func:`sparsemap`.

    Attributes
    ----------
    point : float64 array of shape (N,)
        Between 0 and 1; few of its variables are neither.
    extras : float64 array
        How often the factors have each part that they score themselves, one block after another.
    iterations : int
    converged : bool
    multipliers : float64 array
        One a link: where a run on the same factors may begin.
    """

    point: NDArray[np.float64]
    extras: NDArray[np.float64]
    iterations: int
    converged: bool
    multipliers: NDArray[np.float64]


def sparsemap(
    graph: FactorGraph,
    *,
    max_iterations: int = 10_000,
    threshold: float = 1e-9,
    start: Sparsemap | None = None,
) -> Sparsemap:
    """Maximise the score of a relaxed assignment less half its squared length (LP-SparseMAP).

    The maximiser of ``scores · u + own scores - 1/2 |u|²`` over the local polytope is unique,
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
    point, extras, multipliers, iterations, converged = _core.sparsemap(
        core_graph(graph),
        as_count(max_iterations, "max_iterations", 1),
        as_positive(threshold, "threshold"),
        None if start is None else start.multipliers,
        None if start is None else start.point,
    )
    return Sparsemap(point, extras, iterations, converged, multipliers)


def extras_of(graph: FactorGraph) -> NDArray[np.float64]:
    """Give what factors score themselves, one block after another.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([0.0, 0.0])
    >>> graph.pair(a, b, 1.5)
    >>> extras_of(graph)
    array([1.5])
    """
    return np.concatenate([np.zeros(0), *(block.extras for block in graph.blocks)])


def with_scores(
    graph: FactorGraph, scores: NDArray[np.float64], extras: NDArray[np.float64] | None = None
) -> FactorGraph:
    """Give the same graph with other scores, of variables and of what factors score themselves.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([0.0, 0.0])
    >>> graph.pair(a, b, 1.5)
    >>> with_scores(graph, np.ones(2), np.array([2.0])).value([1, 1])
    4.0
    """
    other = graph.copy()
    other.set_scores(scores)
    if extras is None:
        return other
    expected = sum(len(block.extras) for block in graph.blocks)
    if extras.shape != (expected,):
        raise InputError(f"extras: expected shape ({expected},), got {extras.shape}")
    first = 0
    for block in other.blocks:
        own = np.ascontiguousarray(extras[first : first + len(block.extras)])
        first += len(own)
        if len(own):
            other._chunks[block.kind] = [chunk_of(block)._replace(extras=own)]
    other._blocks = None
    return other
