"""Many graphs at once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Literal, overload

from turbotree.graphs.solvers.options import (
    AdmmOptions,
    BranchAndBoundOptions,
    BruteForceOptions,
    LimitOptions,
    LinearProgramOptions,
    MaxProductOptions,
    SubgradientOptions,
)
from turbotree.graphs.solvers.registry import find_preparation, solver_with
from turbotree.interrupts import Threads
from turbotree.quantities import as_count

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

    from turbotree.graphs.graph import FactorGraph
    from turbotree.graphs.solution import Solution


@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["admm"] = "admm",
    *,
    threads: int = 1,
    **options: Unpack[AdmmOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["subgradient", "koo2010"],
    *,
    threads: int = 1,
    **options: Unpack[SubgradientOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["admm2011"],
    *,
    threads: int = 1,
    **options: Unpack[AdmmOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["branch_and_bound"],
    *,
    threads: int = 1,
    **options: Unpack[BranchAndBoundOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["brute_force"],
    *,
    threads: int = 1,
    **options: Unpack[BruteForceOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["linear_program"],
    *,
    threads: int = 1,
    **options: Unpack[LinearProgramOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: Literal["belief_propagation", "max_product"],
    *,
    threads: int = 1,
    **options: Unpack[MaxProductOptions],
) -> list[Solution]: ...
@overload
def solve_many(
    graphs: Iterable[FactorGraph],
    solver: str,
    *,
    threads: int = 1,
    **options: Unpack[LimitOptions],
) -> list[Solution]: ...
def solve_many(
    graphs: Iterable[FactorGraph], solver: str = "admm", *, threads: int = 1, **options: object
) -> list[Solution]:
    """Solve graphs side by side.

    Parameters
    ----------
    graphs : iterable of FactorGraph
    solver : str
        The name of a solver or a preset, as for `FactorGraph.solve`.
    threads : int
        How many graphs to solve at a time. The solvers of the core run without Python's lock, and
        begin while a generator still makes later graphs.
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
    solve, chosen = solver_with(solver, options)
    one_at_a_time = as_count(threads, "threads", 1) == 1
    waiting = iter(graphs)
    prepare = find_preparation(solve)
    if prepare is None:
        solutions: list[Solution] = []
    else:
        prepared = prepare(**{**(solve.__kwdefaults__ or {}), **chosen})
        if one_at_a_time:
            return list(prepared.solve_in_turn(waiting))
        solutions, foreign = prepared.solve_many(waiting, threads)
        if foreign is None:
            return solutions
        waiting = chain([foreign], waiting)
    if one_at_a_time:
        return [solve(graph, **chosen) for graph in waiting]
    # Python functions, or a solver that is one: threads of Python take turns.
    with Threads(threads) as pool:
        futures = [pool.submit(solve, graph, **chosen) for graph in waiting]
        return solutions + [future.result() for future in futures]
