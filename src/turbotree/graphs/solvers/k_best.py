"""The k best assignments with proofs, by search on top of ADMM."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from turbotree.arrays import BoolArray, FloatArray
from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.solution import Solution, Status
from turbotree.graphs.solvers.native import INFEASIBLE, core_graph, infeasible
from turbotree.quantities import as_count, as_flag, as_positive, read_time_limit

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


def k_best(
    graph: FactorGraph,
    k: int,
    *,
    keys: int | None = None,
    same_size: bool = False,
    floor: float = -np.inf,
    max_nodes: int = 1_000_000,
    max_rounds_per_node: int = 300,
    tolerance: float = 1e-6,
    time_limit_seconds: float | None = None,
) -> list[Solution]:
    """Find the k best assignments, best first, by the search of :func:`branch_and_bound`.

    A node in which an assignment was found is divided as by Lawler: any other assignment differs
    first in the i-th variable, for some i, and so belongs to the i-th child. What the dual scores
    of the node say of that variable bounds the child, so that few children are ever solved.

    Parameters
    ----------
    graph : FactorGraph
    k : int
        How many assignments; there may be fewer.
    keys : int, optional
        Assignments count as different if they differ in the first so many variables; by default,
        in any.
    same_size : bool
        Promise that no assignment's true keys are among those of another, as when all have the
        same number. That saves the search for such.
    floor : float
        Assignments not above this need not be found.
    max_nodes, max_rounds_per_node, tolerance, time_limit_seconds
        As for :func:`branch_and_bound`.

    Returns
    -------
    list of Solution
        OPTIMAL: only those before it in the list are better, and that is proven. LIMIT: others up
        to `upper_bound` may be missing before it.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c = graph.variables([3.0, 2.0, 1.5])
    >>> graph.at_most_one([a, b])
    >>> [solution.value for solution in k_best(graph, 4)]
    [4.5, 3.5, 3.0, 2.0]
    """
    most = len(graph) if keys is None else as_count(keys, "keys", 0)
    if most > len(graph):
        raise InputError(f"keys: expected at most {len(graph)}, got {most}")
    solver = _core.branch_and_bound(
        max_nodes=as_count(max_nodes, "max_nodes", 0),
        max_rounds_per_node=as_count(max_rounds_per_node, "max_rounds_per_node", 1),
        relative_gap=as_positive(tolerance, "tolerance"),
        time_limit_seconds=read_time_limit(time_limit_seconds),
        trace=False,
        count=max(2, as_count(k, "k", 1)),  # one alone would be another search
        keys=most,
        same_size=as_flag(same_size, "same_size"),
        floor=float(floor),
    )
    answer = solver.solve(core_graph(graph))
    if answer.status == INFEASIBLE and floor == -np.inf:
        raise infeasible(graph, answer.impossible_factor)
    scores, values = answer.all_scores, answer.all_values
    assert scores is not None
    assert values is not None
    rows = values.reshape(len(scores), len(graph))[:k]
    # What is neither listed nor ruled out is not above this.
    rest = answer.upper_bound
    solutions = []
    for own, value in zip(rows, scores.tolist(), strict=False):
        proven = answer.status == 0 or value >= rest - answer.tolerance
        status = Status.OPTIMAL if proven else Status.LIMIT
        bound = value if proven else rest
        solutions.append(
            Solution(
                own,
                value,
                bound,
                status,
                answer.iterations,
                answer.seconds,
                tolerance=answer.tolerance,
            )
        )
    return solutions


class Losses(NamedTuple):
    """What a solution's dual scores say of each variable alone.

    Attributes
    ----------
    bound
        No assignment has a higher value.
    if_one, if_zero
        How much lower the bound is for assignments in which a variable is 1, or 0.
    """

    bound: float
    if_one: FloatArray
    if_zero: FloatArray


def losses(graph: FactorGraph, solution: Solution) -> Losses:
    """Bound the assignments in which a variable has one value, for each variable and value.

    Parameters
    ----------
    graph : FactorGraph
    solution : Solution
        One of this graph by :func:`admm` or :func:`branch_and_bound`.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 3.0]))
    >>> found = losses(graph, graph.solve("admm"))
    >>> round(found.bound, 3), found.if_one.round(3), found.if_zero.round(3)
    (3.0, array([2., 0.]), array([0., 2.]))
    """
    if solution.warm_start is None:
        raise InputError("losses: expected a solution of admm or branch_and_bound")
    return Losses(*_core.losses(core_graph(graph), solution.warm_start.link_scores))


def values_of(graph: FactorGraph, assignments: BoolArray) -> FloatArray:
    """Score many assignments as ``graph.value`` does, in the core.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 3.0]))
    >>> values_of(graph, np.eye(2, dtype=bool))
    array([1., 3.])
    """
    rows = np.ascontiguousarray(assignments, dtype=np.uint8)
    return _core.values(core_graph(graph), rows)
