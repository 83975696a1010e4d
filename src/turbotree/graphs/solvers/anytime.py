"""Solvers one after another, with the best of all of them known at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from turbotree.errors import InputError
from turbotree.graphs.solution import Solution, Status
from turbotree.graphs.solvers.admm import admm
from turbotree.graphs.solvers.branch_and_bound import branch_and_bound, prepare
from turbotree.graphs.solvers.options import BranchAndBoundOptions, Limits
from turbotree.graphs.solvers.registry import check_options, solver_with
from turbotree.interrupts import enough

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: Told the best solution so far, whenever there is a better one or a better bound.
Report = Callable[[Solution], None]

#: What value and bound may differ by in a proof, unless a larger gap is asked for.
PROOF = 1e-6

# ADMM goes on for so many rounds at a time, and gives way to search after so many times.
_SLICE_ROUNDS = 100
_MOST_SLICES = 10
#: And after this fraction of the time.
_RELAXING = 0.25


def solve_anytime(
    graph: FactorGraph,
    *,
    solver: str = "auto",
    time_limit_seconds: float | None = None,
    gap: float | None = None,
    max_nodes: int | None = None,
    report: Report | None = None,
) -> Solution:
    """Find the best assignment; keep the best value and the best bound if that is broken off.

    Parameters
    ----------
    graph : FactorGraph
    solver : str
        The name of a solver, or ``auto``: first the relaxation, by ADMM, then, unless that has
        proven an assignment best, search.
    time_limit_seconds : float, optional
        Wall-clock time.
    gap : float, optional
        Stop when value and bound differ by no more than this fraction of the bound. The status is
        then LIMIT, unless the assignment happens to be proven best.
    max_nodes : int, optional
        How many nodes search may visit, counted as in `branch_and_bound`; for solvers that search.
    report : function, optional
        Told the best solution so far, now and then.

    Returns
    -------
    Solution
        Of the solver; for ``auto``, the best assignment and the best bound of both.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> friends = graph.variables([1.0, 1.0, 1.0, 1.0, 1.0])
    >>> for i in range(5):
    ...     graph.not_all([friends[i], friends[i - 1]])
    >>> solution = solve_anytime(graph, time_limit_seconds=60)
    >>> solution.value, solution.status.name
    (2.0, 'OPTIMAL')
    """
    if gap is not None and not 0 <= gap < 1:
        raise InputError(f"gap: expected a number from 0 to below 1, got {gap!r}")
    limits = Limits(time_limit_seconds)
    tolerance = max(PROOF, gap or 0.0)
    nodes: BranchAndBoundOptions = {} if max_nodes is None else {"max_nodes": max_nodes}
    if solver != "auto":
        found = _one(graph, solver, limits.time_limit_seconds, tolerance, nodes)
    else:
        found = _both(graph, limits, tolerance, nodes, report or (lambda _: None))
    proof = found.tolerance * PROOF / tolerance
    if tolerance > PROOF and found.status is Status.OPTIMAL and found.gap > proof:
        found = replace(found, status=Status.LIMIT)  # the gap that was asked for is no proof
    return replace(found, seconds=limits.seconds)


def _one(
    graph: FactorGraph, solver: str, seconds: float, tolerance: float, nodes: BranchAndBoundOptions
) -> Solution:
    function, options = solver_with(solver, {})
    options |= {"time_limit_seconds": _seconds(seconds), **nodes}
    taken = function.__kwdefaults__ or {}
    if "tolerance" in taken and tolerance > PROOF:
        options["tolerance"] = tolerance
    if solver == "linear_program":
        options["exact"] = True
    check_options(function, options)
    return function(graph, **options)


def _both(
    graph: FactorGraph,
    limits: Limits,
    tolerance: float,
    nodes: BranchAndBoundOptions,
    report: Report,
) -> Solution:
    best: Solution | None = None
    start: Solution | None = None
    rounds = 0
    share = limits.time_limit_seconds * _RELAXING
    for _ in range(_MOST_SLICES):
        start = admm(
            graph,
            max_iterations=_SLICE_ROUNDS,
            tolerance=tolerance,
            time_limit_seconds=_seconds(max(0.0, share - limits.seconds)),
            warm_start=start if start is not None and start.warm_start is not None else None,
        )
        rounds += start.iterations
        best = start if best is None else better(best, start)
        report(best)
        if best.status is not Status.LIMIT or limits.seconds >= share or enough():
            break
    assert best is not None
    best = replace(best, iterations=rounds)
    if best.status is Status.OPTIMAL:
        return best
    if enough() or limits.reached():
        return replace(best, status=Status.LIMIT)
    left = limits.time_limit_seconds - limits.seconds
    options: BranchAndBoundOptions = {
        "tolerance": tolerance,
        "time_limit_seconds": _seconds(max(0.0, left)),
        **nodes,
    }
    relaxed = best
    checked = prepare(**{**(branch_and_bound.__kwdefaults__ or {}), **options})
    searched = checked.solve(graph, lambda found: report(better(relaxed, found)))
    best = better(best, searched)
    report(best)
    return best


def _seconds(seconds: float) -> float | None:
    return seconds if seconds < float("inf") else None


def better(one: Solution, other: Solution) -> Solution:
    """Join what two solvers know: the better assignment, the lower bound, a proof if there is one.

    >>> import numpy as np
    >>> values = np.array([True])
    >>> first = Solution(values, 2.0, 5.0, Status.LIMIT, 1, 0.0)
    >>> second = Solution(~values, 1.0, 3.0, Status.LIMIT, 1, 0.0)
    >>> print(better(first, second))
    limit: value 2, bound 3, gap 1, 1 of 1 variables true, 2 iterations, 0 s
    """
    chosen = one if one.value >= other.value else other
    bound = max(chosen.value, min(one.upper_bound, other.upper_bound))
    proven = Status.OPTIMAL in (one.status, other.status)
    return replace(
        chosen,
        upper_bound=bound,
        status=Status.OPTIMAL if proven else other.status,
        iterations=one.iterations + other.iterations,
        seconds=one.seconds + other.seconds,
        tolerance=max(one.tolerance, other.tolerance),
    )
