"""Relaxed best assignments by the alternating directions method of multipliers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.solution import Solution, WarmStart
from turbotree.graphs.solvers.native import Prepared
from turbotree.quantities import as_count, as_flag, as_positive, read_time_limit

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


def admm(
    graph: FactorGraph,
    *,
    max_iterations: int = 1000,
    residual_threshold: float = 1e-6,
    penalty: float | None = None,
    adapt_penalty: bool = True,
    step: float = 1.5,
    extrapolate: bool = True,
    literal: bool = False,
    tolerance: float = 1e-6,
    time_limit_seconds: float | None = None,
    warm_start: Solution | None = None,
    factors: bool = False,
    trace: bool = False,
) -> Solution:
    """Solve the LP relaxation by consensus among the factors (DD-ADMM, also known as AD3).

    Every factor keeps copies of its variables. A round projects each factor's copies on what the
    factor allows, averages the copies of each variable, and moves the factors' scores against the
    disagreement. Factors that would answer the same again are skipped once there are many. The
    path of the others is extrapolated, which saves most of the slow last rounds. Every round
    gives an upper bound; an assignment that reaches it is proven best.

    Parameters
    ----------
    graph : FactorGraph
    max_iterations : int
        Rounds; after none, nothing is known.
    residual_threshold : float
        The relaxation counts as solved when factors disagree, and the consensus moves, by less
        than this (root mean square over links; the paper's residuals are mean squares, so that
        its 1e-3 is 0.032 here).
    penalty : float, optional
        The quadratic penalty rho to begin with; by default 4 times the root mean square of
        the links' shares of the variables' scores.
    adapt_penalty : bool
        Double or halve the penalty when one residual outweighs the other tenfold, and lower it
        while the factors agree and the consensus walks on.
    step : float
        How far scores move against the disagreement, tau in the papers: above 0, below 2.
    extrapolate : bool
        Leap ahead when fewer than half of the links are still active.
    literal : bool
        The algorithm as the paper prints it: all factors are projected in every round, residuals
        are mean squares, they alone end the run, and the penalty doubles or halves after each
        round in which one is more than ten times the other. Nothing is extrapolated.
    tolerance : float
        OPTIMAL when value and bound differ by no more than this share of a usual score, or of the
        bound if that is larger; ``solution.tolerance`` says how much that is.
    time_limit_seconds : float, optional
        Wall-clock time.
    warm_start : Solution, optional
        Begin where this earlier solution of a graph with the same factors ended, by this solver
        or :func:`subgradient`; scores and evidence may have changed.
    factors : bool
        Give ``factor_marginals`` too: how often the relaxed solution uses each factor score.
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
    return prepare(
        max_iterations=max_iterations,
        residual_threshold=residual_threshold,
        penalty=penalty,
        adapt_penalty=adapt_penalty,
        step=step,
        extrapolate=extrapolate,
        literal=literal,
        tolerance=tolerance,
        time_limit_seconds=time_limit_seconds,
        warm_start=warm_start,
        factors=factors,
        trace=trace,
    ).solve(graph)


def prepare(
    *,
    max_iterations: int,
    residual_threshold: float,
    penalty: float | None,
    adapt_penalty: bool,
    step: float,
    extrapolate: bool,
    literal: bool,
    tolerance: float,
    time_limit_seconds: float | None,
    warm_start: Solution | None,
    factors: bool,
    trace: bool,
) -> Prepared:
    """Check the options of :func:`admm`."""
    if not as_positive(step, "step") < 2:
        raise InputError(f"step: expected a number between 0 and 2, got {step!r}")
    start = check = None
    if warm_start is not None:
        if not isinstance(warm_start, Solution):
            raise InputError(
                f"warm_start: expected a solution of admm or subgradient, got {warm_start!r}"
            )
        left = warm_start.warm_start
        if left is None:
            raise InputError(
                "warm_start: expected a solution of admm or subgradient, got one of another solver"
            )
        start, check = (left.link_scores, left.consensus, left.penalty), partial(_check_start, left)
    solver = _core.admm(
        max_iterations=as_count(max_iterations, "max_iterations", 0),
        residual_threshold=as_positive(residual_threshold, "residual_threshold"),
        penalty=0.0 if penalty is None else as_positive(penalty, "penalty"),
        adapt_penalty=as_flag(adapt_penalty, "adapt_penalty"),
        step=float(step),
        extrapolate=as_flag(extrapolate, "extrapolate"),
        literal=as_flag(literal, "literal"),
        relative_gap=as_positive(tolerance, "tolerance"),
        expectations=as_flag(factors, "factors"),
        time_limit_seconds=read_time_limit(time_limit_seconds),
        trace=as_flag(trace, "trace"),
        start=start,
    )
    return Prepared(solver, check)


def _check_start(start: WarmStart, graph: FactorGraph, compiled: _core.Graph) -> None:
    if (len(start.link_scores), len(start.consensus)) != (compiled.links, len(graph)):
        raise InputError(
            "warm_start: expected a solution of a graph with the same factors "
            f"({len(graph)} variables, {compiled.links} links), "
            f"got {len(start.consensus)} variables, {len(start.link_scores)} links"
        )
