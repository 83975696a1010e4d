"""Dual decomposition by the projected subgradient method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.solution import Solution
from turbotree.graphs.solvers.native import Prepared
from turbotree.graphs.solvers.trial_steps import TrialSteps
from turbotree.quantities import as_count, as_flag, as_share, read_time_limit

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: The core's numbers of the rules for steps; a number of the caller's is the third.
_RULES = {"koo": 0, "polyak": 1}
_GIVEN = 2


def subgradient(
    graph: FactorGraph,
    *,
    max_iterations: int = 1000,
    step: str | float = "koo",
    tree_share: float | None = None,
    literal: bool = False,
    projected: bool = False,
    tolerance: float = 1e-6,
    time_limit_seconds: float | None = None,
    trace: bool = False,
) -> Solution:
    """Find the best assignment by dual decomposition over the factors (Koo et al. 2010).

    Every factor maximises its factor score and its share of the variables' scores. Where factors
    disagree on a variable, its shares move against the disagreement by the step; only factors
    with a changed share are solved again.

    Parameters
    ----------
    graph : FactorGraph
    max_iterations : int
    step : {"koo", "polyak", "trial"} or float
        ``"koo"`` is delta / (1 + how often the bound has risen), with the delta for which the
        first step would close the first gap; a number is a delta of your own. ``"trial"`` takes
        the delta that lowers the bound most in 20 rounds of a trial, whose rounds are not
        counted (:mod:`~turbotree.graphs.solvers.trial_steps`). ``"polyak"`` is the present gap
        over the squared length of the subgradient, halved when the bound stalls.
    tree_share : float, optional
        What a tree gets at first of its variables' scores, from 0 to 1. The rest goes to the
        other factors; of an arc, to the automata of its head. By default all factors of a
        variable get the same.
    literal : bool
        The algorithm as the paper prints it: there is one multiplier for each factor beside the
        tree, the first gap is delta, the trees are the only assignments that are looked at, and
        nothing but agreement is a proof. Not with ``"polyak"``. Where a variable is in no tree,
        its first factor takes the place of one.
    projected : bool
        With `literal`: the subgradient method as Martins et al. (2011) print it. Multipliers move
        against the mean of the factors' answers, no tree is set apart, and other assignments than
        trees are looked at, too.
    tolerance : float
        OPTIMAL when value and bound differ by no more than this share of a usual score, or of the
        bound if that is larger; ``solution.tolerance`` says how much that is.
    time_limit_seconds : float, optional
        Wall-clock time.
    trace : bool
        Record each round: best bound and value, disagreement of the factors (root mean square
        over links), and the share of factors that were solved.

    Returns
    -------
    Solution
        OPTIMAL if all factors agree or, unless `literal`, an assignment reaches the bound; else
        LIMIT. `relaxed` is the mean of the factors' answers over all rounds, `warm_start` has the
        factors' shares of the scores.

    Raises
    ------
    InfeasibleError
        When the bound falls below what the worst assignment would be worth, or the evidence
        contradicts a factor.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c, d = graph.variables([0.3, 0.8, -0.2, 1.1])
    >>> graph.exactly_one([a, b, ~c])
    >>> graph.pair(a, d, 0.7)
    >>> solution = subgradient(graph)
    >>> solution.values, round(solution.value, 6), solution.status.name
    (array([ True, False,  True,  True]), 1.9, 'OPTIMAL')
    """
    return prepare(
        max_iterations=max_iterations,
        step=step,
        tree_share=tree_share,
        literal=literal,
        projected=projected,
        tolerance=tolerance,
        time_limit_seconds=time_limit_seconds,
        trace=trace,
    ).solve(graph)


def prepare(
    *,
    max_iterations: int,
    step: str | float,
    tree_share: float | None,
    literal: bool,
    projected: bool,
    tolerance: float,
    time_limit_seconds: float | None,
    trace: bool,
) -> Prepared | TrialSteps:
    """Check the options of :func:`subgradient`."""
    if step == "trial":
        return TrialSteps(
            prepare,
            {
                "max_iterations": as_count(max_iterations, "max_iterations", 0),
                "tree_share": tree_share,
                "literal": literal,
                "projected": projected,
                "tolerance": tolerance,
                "trace": trace,
            },
            read_time_limit(time_limit_seconds),
        )
    rule, delta = _read_step(step)
    if as_flag(literal, "literal") and step == "polyak":
        raise InputError("literal: the paper's step is 'koo' or a number, got 'polyak'")
    if as_flag(projected, "projected") and not literal:
        raise InputError("projected: expected literal=True beside it")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not tolerance >= 0:
        raise InputError(f"tolerance: expected a number from 0, got {tolerance!r}")
    return Prepared(
        _core.subgradient(
            rule=rule,
            step=delta,
            max_iterations=as_count(max_iterations, "max_iterations", 0),
            relative_gap=float(tolerance),
            tree_share=-1.0 if tree_share is None else as_share(tree_share, "tree_share"),
            literal=literal,
            projected=projected,
            time_limit_seconds=read_time_limit(time_limit_seconds),
            trace=as_flag(trace, "trace"),
        )
    )


def _read_step(step: Any) -> tuple[int, float]:
    if isinstance(step, str) and step in _RULES:
        return _RULES[step], 0.0
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0 < step < float("inf"):
        raise InputError(
            f"step: expected 'koo', 'polyak', 'trial' or a number above 0, got {step!r}"
        )
    return _GIVEN, float(step)
