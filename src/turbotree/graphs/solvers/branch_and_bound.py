"""The best assignment with a proof, by search on top of ADMM and on cost function networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turbotree.graphs import _core
from turbotree.graphs.solution import Solution
from turbotree.graphs.solvers.native import Prepared
from turbotree.quantities import as_count, as_flag, as_positive, read_time_limit

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


def branch_and_bound(
    graph: FactorGraph,
    *,
    max_nodes: int = 1_000_000,
    max_rounds_per_node: int = 300,
    tolerance: float = 1e-6,
    time_limit_seconds: float | None = None,
    trace: bool = False,
) -> Solution:
    """Find the best assignment and prove it, by search with bounds.

    A node of the search fixes some variables and solves the relaxation of the rest, going on from
    where its parent's relaxation stopped. It is closed when its bound falls to the best value
    found. Otherwise, variables of which one value could not beat that any more are fixed, and the
    most fractional one of the others is tried both ways.

    Where the first relaxation leaves a gap, a second search takes turns with this one, on the graph
    as a cost function network: its bounds are weaker, but its nodes are faster by far. Graphs with
    ``tri_siblings`` or functions of your own have no such network.

    Parameters
    ----------
    graph : FactorGraph
    max_nodes : int
        How many relaxations to solve; 64 subproblems of the network count as one.
    max_rounds_per_node : int
        How many rounds of ADMM a relaxation may take.
    tolerance : float
        OPTIMAL when value and bound differ by no more than this share of a usual score, or of the
        bound if that is larger; ``solution.tolerance`` says how much that is.
    time_limit_seconds : float, optional
        Wall-clock time.
    trace : bool
        Record each node: best bound and value, and the share of variables that were free.

    Returns
    -------
    Solution
        OPTIMAL, or LIMIT if a limit came first; then `upper_bound` is the best bound of the nodes
        still open. `iterations` is the number of nodes, `relaxed` the first relaxation's solution.

    Raises
    ------
    InfeasibleError
        When the search ends without an assignment.

    Examples
    --------
    Of five friends in a ring, no two neighbours may come. The relaxation invites half of each.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> friends = graph.variables([1.0, 1.0, 1.0, 1.0, 1.0])
    >>> for i in range(5):
    ...     graph.not_all([friends[i], friends[i - 1]])
    >>> round(graph.solve("linear_program").upper_bound, 6)
    2.5
    >>> solution = branch_and_bound(graph)
    >>> solution.value, solution.status.name
    (2.0, 'OPTIMAL')
    """
    return prepare(
        max_nodes=max_nodes,
        max_rounds_per_node=max_rounds_per_node,
        tolerance=tolerance,
        time_limit_seconds=time_limit_seconds,
        trace=trace,
    ).solve(graph)


def prepare(
    *,
    max_nodes: int,
    max_rounds_per_node: int,
    tolerance: float,
    time_limit_seconds: float | None,
    trace: bool,
) -> Prepared:
    """Check the options of :func:`branch_and_bound`."""
    return Prepared(
        _core.branch_and_bound(
            max_nodes=as_count(max_nodes, "max_nodes", 0),
            max_rounds_per_node=as_count(max_rounds_per_node, "max_rounds_per_node", 1),
            relative_gap=as_positive(tolerance, "tolerance"),
            time_limit_seconds=read_time_limit(time_limit_seconds),
            trace=as_flag(trace, "trace"),
        )
    )
