"""Many graphs at once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from turbotree.graphs.literals import as_count
from turbotree.graphs.solvers import find_solver

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph
    from turbotree.graphs.solution import Solution


def solve_many(
    graphs: Iterable[FactorGraph], solver: str = "admm", *, threads: int = 1, **options: Any
) -> list[Solution]:
    """Solve graphs side by side.

    Parameters
    ----------
    graphs : iterable of FactorGraph
    solver : str
        The name of a solver, as for `FactorGraph.solve`.
    threads : int
        How many graphs to solve at a time. The solvers of the core run without Python's lock.
    **options
        The solver's options, the same for every graph; a time limit counts for each one.

    Returns
    -------
    list of Solution
        In the order of the graphs, whatever the number of threads.

    Raises
    ------
    InfeasibleError
        The first graph's, in their order, that no assignment satisfies.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graphs = []
    >>> for score in (1.0, 3.0):
    ...     graph = FactorGraph()
    ...     graph.exactly_one(graph.variables([score, 2.0]))
    ...     graphs.append(graph)
    >>> [solution.value for solution in solve_many(graphs, threads=2)]
    [2.0, 3.0]
    """
    solve = find_solver(solver)
    if as_count(threads, "threads", 1) == 1:
        return [solve(graph, **options) for graph in graphs]
    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(solve, graph, **options) for graph in graphs]
        try:
            return [answer.result() for answer in waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
