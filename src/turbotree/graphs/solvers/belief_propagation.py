"""Belief propagation: probabilities by sum-product, assignments by max-product."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.solution import Marginals, Solution
from turbotree.graphs.solvers.native import (
    INFEASIBLE,
    Prepared,
    core_graph,
    infeasible,
    name_factor,
    read_trace,
    split_by_block,
)
from turbotree.graphs.solvers.options import MaxProductOptions, SumProductOptions
from turbotree.graphs.solvers.registry import check_options
from turbotree.naming import unknown
from turbotree.quantities import as_count, as_flag, as_fraction, read_time_limit

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

    from turbotree.graphs.graph import FactorGraph

#: The core's numbers of the schedules.
_SCHEDULES = {"flooding": 0, "sequential": 1, "residual": 2}

#: Given probabilities this close to 0 or 1 are meant to be 0 or 1.
_ROUNDING = 1e-12


@overload
def belief_propagation(
    graph: FactorGraph, *, mode: Literal["sum"] = "sum", **options: Unpack[SumProductOptions]
) -> Marginals: ...
@overload
def belief_propagation(
    graph: FactorGraph, *, mode: Literal["max"], **options: Unpack[MaxProductOptions]
) -> Solution: ...
def belief_propagation(
    graph: FactorGraph, *, mode: str = "sum", **options: object
) -> Marginals | Solution:
    """Run belief propagation; exact on trees, an approximation elsewhere.

    Parameters
    ----------
    graph : FactorGraph
    mode : {"sum", "max"}
        Probabilities (:func:`sum_product`) or the best assignment (:func:`max_product`).
    **options
        Those of the two functions.

    Returns
    -------
    Marginals or Solution

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0, 3.0]))
    >>> belief_propagation(graph).probabilities.round(3)
    array([0.09 , 0.245, 0.665])
    >>> belief_propagation(graph, mode="max").values
    array([False, False,  True])
    """
    modes: dict[str, Callable[..., Marginals | Solution]] = {"sum": sum_product, "max": max_product}
    if mode not in modes:
        raise InputError(f"belief_propagation: mode: expected 'sum' or 'max', got {mode!r}")
    check_options(modes[mode], options)
    return modes[mode](graph, **options)


def sum_product(
    graph: FactorGraph,
    *,
    max_iterations: int = 200,
    tolerance: float = 1e-8,
    damping: float = 0.0,
    schedule: str = "flooding",
    factors: bool = False,
    time_limit_seconds: float | None = None,
    trace: bool = False,
) -> Marginals:
    """Compute (approximate) probabilities, the Bethe log partition and the Bethe entropy.

    Parameters
    ----------
    graph : FactorGraph
        Without custom factors, which only know how to maximise.
    max_iterations : int
        Rounds in which each factor sends its messages once.
    tolerance : float
        Converged when no message, a log odds, changes by more.
    damping : float
        The share of the old message that is kept, at least 0 and below 1; helps where messages
        oscillate.
    schedule : {"flooding", "sequential", "residual"}
        All factors at once; one after the other, to and fro; or always the factor whose messages
        would change most.
    factors : bool
        Give ``factor_marginals`` too: the probability that each factor score counts.
    time_limit_seconds : float, optional
        Wall-clock time.
    trace : bool
        Record the largest change of a message in each round, as ``primal_residual``.

    Returns
    -------
    Marginals
        Exact if the graph is a tree and ``converged`` is true.

    Raises
    ------
    InfeasibleError
        When the hard factors and the evidence contradict each other in a way that messages show;
        always, if the graph is a tree.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c = graph.variables([0.0, 0.0, 0.0])
    >>> graph.at_most_one([a, b])
    >>> graph.implies(b, c)
    >>> marginals = sum_product(graph)
    >>> marginals.probabilities, marginals.converged
    (array([0.4, 0.2, 0.6]), True)
    >>> print(f"{marginals.log_partition:.4f} {marginals.entropy:.4f}")  # log 5, twice
    1.6094 1.6094
    """
    if graph.asks_python:
        raise InputError(
            "sum_product: custom factors know only how to maximise; "
            "use another kind, or ask for the best assignment"
        )
    solver = _solver(
        sums=True,
        max_iterations=max_iterations,
        tolerance=tolerance,
        damping=damping,
        schedule=schedule,
        expectations=as_flag(factors, "factors"),
        time_limit_seconds=time_limit_seconds,
        trace=trace,
    )
    answer = solver.solve(core_graph(graph))
    if answer.status == INFEASIBLE or answer.probabilities is None:
        raise infeasible(graph, answer.impossible_factor)
    columns = answer.take_trace()
    return Marginals(
        answer.probabilities,
        answer.log_partition,
        answer.entropy,
        answer.converged,
        answer.iterations,
        answer.seconds,
        None if columns is None else read_trace(columns),
        None if answer.expectations is None else split_by_block(graph, answer.expectations),
    )


def max_product(
    graph: FactorGraph,
    *,
    max_iterations: int = 200,
    tolerance: float = 1e-8,
    damping: float = 0.0,
    schedule: str = "flooding",
    time_limit_seconds: float | None = None,
    trace: bool = False,
) -> Solution:
    """Look for the best assignment by max-product messages.

    Parameters
    ----------
    graph : FactorGraph
    max_iterations, tolerance, damping, schedule, time_limit_seconds
        As in :func:`sum_product`.
    trace : bool
        Record bound, value and the largest change of a message in each round; costs a round.

    Returns
    -------
    Solution
        OPTIMAL if the assignment decoded from the beliefs reaches the bound that the messages
        give, as it does on trees; else RELAXED if the messages converged, LIMIT if not.

    Raises
    ------
    InfeasibleError
        As in :func:`sum_product`.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c = graph.variables([1.0, 2.0, -1.5])
    >>> graph.at_most_one([a, b])
    >>> graph.implies(b, c)
    >>> solution = max_product(graph)
    >>> solution.values, solution.value, solution.status.name
    (array([ True, False, False]), 1.0, 'OPTIMAL')
    """
    return prepare_max_product(
        max_iterations=max_iterations,
        tolerance=tolerance,
        damping=damping,
        schedule=schedule,
        time_limit_seconds=time_limit_seconds,
        trace=trace,
    ).solve(graph)


def prepare_max_product(
    *,
    max_iterations: int,
    tolerance: float,
    damping: float,
    schedule: str,
    time_limit_seconds: float | None,
    trace: bool,
) -> Prepared:
    """Check the options of :func:`max_product`."""
    return Prepared(
        _solver(
            sums=False,
            max_iterations=max_iterations,
            tolerance=tolerance,
            damping=damping,
            schedule=schedule,
            time_limit_seconds=time_limit_seconds,
            trace=trace,
        )
    )


def _solver(
    *,
    sums: bool,
    max_iterations: int,
    tolerance: float,
    damping: float,
    schedule: str,
    time_limit_seconds: float | None,
    trace: bool,
    expectations: bool = False,
) -> _core.Solver:
    if schedule not in _SCHEDULES:
        raise unknown("schedule", schedule, _SCHEDULES)
    return _core.belief_propagation(
        sums=sums,
        schedule=_SCHEDULES[schedule],
        max_iterations=as_count(max_iterations, "max_iterations", 0),
        tolerance=as_fraction(tolerance, "tolerance"),
        damping=as_fraction(damping, "damping"),
        expectations=expectations,
        time_limit_seconds=read_time_limit(time_limit_seconds),
        trace=as_flag(trace, "trace"),
    )


def bethe_entropy(
    graph: FactorGraph,
    probabilities: Any = None,
    *,
    tolerance: float = 1e-9,
    max_iterations: int = 100,
) -> float:
    """Compute the Bethe entropy at given probabilities, or at those of :func:`sum_product`.

    That is the sum over variables of (1 - number of factors) H(p) and over factors of the entropy
    of their beliefs. A factor's belief is the distribution with these probabilities that messages
    can give it: of all that have them, the one with the largest sum of entropy and expected factor
    score.

    Parameters
    ----------
    graph : FactorGraph
        Without custom factors.
    probabilities : array of shape (N,), optional
        Of each variable to be 1.
    tolerance : float
        How far the beliefs' probabilities may be off.
    max_iterations : int
        Steps of Newton's method to fit the belief of a factor; one takes as many messages as the
        factor has links.

    Raises
    ------
    InputError
        When a factor has no belief with these probabilities.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([0.0, 0.0, 0.0]))
    >>> print(f"{bethe_entropy(graph, [0.5, 0.25, 0.25]):.4f}")  # 1.5 log 2
    1.0397
    """
    if graph.asks_python:
        raise InputError("bethe_entropy: custom factors have no entropy")
    if probabilities is None:
        return sum_product(graph).entropy
    given = np.asarray(probabilities, dtype=np.float64)
    if given.shape != (len(graph),):
        raise InputError(f"probabilities: expected shape ({len(graph)},), got {given.shape}")
    if not ((given >= -_ROUNDING) & (given <= 1 + _ROUNDING)).all():
        raise InputError("probabilities: expected numbers between 0 and 1")
    # What sums and differences leave beside 0 and 1 would need scores beyond all measure.
    given = np.where(given < _ROUNDING, 0.0, np.where(given > 1 - _ROUNDING, 1.0, given))
    entropy, misfit = _core.bethe_entropy(
        core_graph(graph),
        given,
        as_fraction(tolerance, "tolerance"),
        as_count(max_iterations, "max_iterations", 1),
    )
    if misfit >= 0:
        raise InputError(
            f"probabilities: {name_factor(graph, misfit)} has no belief with "
            f"these probabilities (to {tolerance:g} after {max_iterations} steps)"
        )
    return entropy
