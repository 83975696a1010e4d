"""Relaxed best assignments by the alternating directions method of multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.limits import Limits
from turbotree.graphs.literals import as_count, as_positive
from turbotree.graphs.native import core_graph, infeasible, read_trace, read_values
from turbotree.graphs.solution import Solution, Status, WarmStart

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: The core's outcomes that are not errors.
_STATUS = {0: Status.OPTIMAL, 1: Status.RELAXED, 2: Status.LIMIT}
_INFEASIBLE = 3


def admm(
    graph: FactorGraph,
    *,
    max_iterations: int = 1000,
    residual_threshold: float = 1e-6,
    penalty: float | None = None,
    adapt_penalty: bool = True,
    step: float = 1.5,
    extrapolate: bool = True,
    tolerance: float = 1e-6,
    time_limit_seconds: float | None = None,
    warm_start: Solution | None = None,
    trace: bool = False,
) -> Solution:
    """Solve the LP relaxation by consensus among the factors (DD-ADMM, also known as AD3).

    Every factor keeps copies of its variables. A round projects each factor's copies on what the
    factor allows, averages the copies of each variable, and moves the factors' scores against the
    disagreement. Factors that would answer the same again are skipped. Once only a few stay
    active, their course is extrapolated, which saves most of the slow last rounds. Every round
    gives an upper bound; an assignment that reaches it is proven best.

    Parameters
    ----------
    graph : FactorGraph
    max_iterations : int
        Rounds.
    residual_threshold : float
        The relaxation counts as solved when factors disagree, and the consensus moves, by less
        than this (root mean square over links; the papers use 1e-3).
    penalty : float, optional
        The quadratic penalty rho to begin with; by default in proportion to the scores.
    adapt_penalty : bool
        Double or halve the penalty when one residual outweighs the other tenfold.
    step : float
        How far scores move against the disagreement, tau in the papers: above 0, below 2.
    extrapolate : bool
        Leap ahead when only a few factors are still active.
    tolerance : float
        OPTIMAL when value and bound differ by no more than this share.
    time_limit_seconds : float, optional
        Wall-clock time.
    warm_start : Solution, optional
        Begin where this earlier solution of a graph with the same factors ended; scores and
        evidence may have changed.
    trace : bool
        Record each round.

    Returns
    -------
    Solution
        OPTIMAL if an assignment reaches the bound; RELAXED if the relaxation is solved and
        fractional, with `relaxed` its solution and `values` the best rounding found; else LIMIT.

    Raises
    ------
    InfeasibleError
        When the bound falls below what the worst assignment would be worth, or the evidence
        contradicts a factor. Graphs whose relaxation alone is feasible are not recognised.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c, d = graph.variables([0.3, 0.8, -0.2, 1.1])
    >>> graph.exactly_one([a, b, ~c])
    >>> graph.implies(d, a)
    >>> graph.pair(a, d, 0.7)
    >>> solution = admm(graph)
    >>> solution.values, round(solution.value, 6), solution.status.name
    (array([ True, False,  True,  True]), 1.9, 'OPTIMAL')
    """
    limits = Limits(time_limit_seconds)
    if not as_positive(step, "step") < 2:
        raise InputError(f"step: expected a number between 0 and 2, got {step!r}")
    compiled = core_graph(graph)
    start = None
    if warm_start is not None:
        start = warm_start.warm_start
        if start is None:
            raise InputError("warm_start: expected a solution of admm, got one of another solver")
        if (len(start.link_scores), len(start.consensus)) != (compiled.links, len(graph)):
            raise InputError(
                "warm_start: expected a solution of a graph with the same factors "
                f"({len(graph)} variables, {compiled.links} links), "
                f"got {len(start.consensus)} variables, {len(start.link_scores)} links"
            )
    answer = _core.admm(
        compiled,
        max_iterations=as_count(max_iterations, "max_iterations", 0),
        residual_threshold=as_positive(residual_threshold, "residual_threshold"),
        penalty=0.0 if penalty is None else as_positive(penalty, "penalty"),
        adapt_penalty=adapt_penalty,
        step=float(step),
        extrapolate=extrapolate,
        relative_gap=as_positive(tolerance, "tolerance"),
        time_limit_seconds=limits.time_limit_seconds,
        trace=trace,
        start=None if start is None else (start.link_scores, start.consensus, start.penalty),
    )
    if answer["outcome"] == _INFEASIBLE:
        raise infeasible(graph, answer["impossible_factor"])
    return Solution(
        read_values(answer, len(graph)),
        answer["value"],
        answer["upper_bound"],
        _STATUS[answer["outcome"]],
        answer["iterations"],
        limits.seconds,
        answer["relaxed"].clip(0.0, 1.0),
        read_trace(answer),
        WarmStart(answer["link_scores"], answer["relaxed"], answer["penalty"]),
    )
