"""From a graph to HiGHS and back."""

from __future__ import annotations

import math
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from turbotree.arrays import BoolArray, FloatArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs.factors.blocks import Kind
from turbotree.graphs.linear_program.logic import add_logic
from turbotree.graphs.linear_program.model import Model, Program
from turbotree.graphs.linear_program.presolve import Presolved, presolve
from turbotree.graphs.linear_program.structured import add_structured
from turbotree.graphs.solution import Solution, Status, Trace
from turbotree.graphs.solvers.options import Limits
from turbotree.interrupts import OutOfTimeError, check

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: How far from 0 and 1 a variable may be and still count as whole.
_WHOLE = 1e-6
_ROUNDING = 1e-14


def linear_program(
    graph: FactorGraph,
    *,
    exact: bool = False,
    time_limit_seconds: float | None = None,
    max_iterations: int | None = None,
    trace: bool = False,
) -> Solution:
    """Solve the relaxation over the local polytope, or the exact problem, with HiGHS.

    Each factor contributes its convex hull (a knapsack its one inequality): the logic factors by
    inequalities, tables by a column for each combination, trees by multi-commodity flow or, if
    projective, by the flow of Eisner's hypergraph, automata and chains by paths.

    Parameters
    ----------
    graph : FactorGraph
    exact : bool
        Make the variables whole numbers: branch and cut instead of the relaxation.
    time_limit_seconds : float, optional
        Wall-clock time for HiGHS.
    max_iterations : int, optional
        Simplex iterations; nodes if exact.
    trace : bool
        Record the final bounds (HiGHS shows no others).

    Returns
    -------
    Solution
        OPTIMAL if the solution is whole, RELAXED if it is fractional; then ``values`` is the
        rounded solution if that is allowed, else None.

    Raises
    ------
    InfeasibleError
        When even the relaxation allows nothing.

    Examples
    --------
    Three variables, at most one of each two: the relaxation sets all to one half.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c = graph.variables([1.0, 1.0, 1.0])
    >>> graph.not_all([[a, b], [b, c], [a, c]])
    >>> relaxed = linear_program(graph)
    >>> relaxed.status.name, relaxed.upper_bound, relaxed.relaxed
    ('RELAXED', 1.5, array([0.5, 0.5, 0.5]))
    >>> linear_program(graph, exact=True).value
    1.0
    """
    limits = Limits(time_limit_seconds, max_iterations)
    outcome = run_program(_written_out(graph), len(graph) if exact else 0, limits)
    return _solution(graph, outcome, limits, trace)


class ProgramResult(NamedTuple):
    """What HiGHS found: the columns if there are some, and the bound if it came to an end."""

    columns: FloatArray | None
    bound: float
    done: bool
    iterations: int
    #: Values that are no further from the bound count as equal.
    tolerance: float = 0.0


def run_program(program: Program, whole: int, limits: Limits) -> ProgramResult:
    """Solve a program with HiGHS.

    Parameters
    ----------
    program
        What to maximise; every column is bounded.
    whole
        So many of the first columns have to be whole numbers.
    limits
        Time, and simplex iterations, or nodes if some columns are whole.

    Raises
    ------
    InfeasibleError
        When nothing is allowed.

    Examples
    --------
    >>> model = Model()
    >>> first = model.add_columns(np.array([1.0, 2.0]))
    >>> model.add_rows([2], [0, 1], np.ones(2), 1.0, 1.0)
    >>> run_program(model.finish(), 0, Limits()).columns
    array([0., 1.])
    """
    presolved = presolve(program)
    outcome = _run_presolved(presolved, whole, limits)
    if outcome.columns is not None and not presolved.trusts(outcome.columns):
        presolved = presolve(program, level=True, floor=float(program.costs @ outcome.columns))
        outcome = _run_presolved(presolved, whole, limits)
    return _restored(outcome, presolved, program)


def _run_presolved(presolved: Presolved, whole: int, limits: Limits) -> ProgramResult:
    highs = _start(presolved.program, whole, limits)
    with _ONE_AT_A_TIME:
        _run(highs)
    outcome = _outcome(highs, whole > 0)
    if outcome.done and not whole:
        duals = np.array(highs.getSolution().row_dual)
        outcome = outcome._replace(bound=dual_bound(presolved.program, duals))
    return outcome


def dual_bound(program: Program, duals: FloatArray) -> float:
    """Return a bound on the program's value that holds for any prices of its rows.

    The objective that HiGHS reports is right up to its tolerances. This is right up to rounding.

    Examples
    --------
    >>> model = Model()
    >>> first = model.add_columns(np.array([1.0, 2.0]))
    >>> model.add_rows([2], [0, 1], np.ones(2), 1.0, 1.0)
    >>> [dual_bound(model.finish(), np.array([price])) for price in (2.0, 1.5, 5.0)]
    [2.0, 2.0, 5.0]
    """
    duals = duals[: len(program.row_lower)]
    # A price that no limit of its row supports would make the bound infinite.
    duals = np.where((duals > 0) & np.isinf(program.row_upper), 0.0, duals)
    duals = np.where((duals < 0) & np.isinf(program.row_lower), 0.0, duals)
    paid = np.repeat(duals, np.diff(program.starts)) * program.values
    left = program.costs - np.bincount(program.columns, paid, minlength=len(program.costs))
    limits = np.where(duals > 0, program.row_upper, np.where(duals < 0, program.row_lower, 0.0))
    ends = np.where(left > 0, program.column_upper, program.column_lower)
    return float(duals @ limits + left @ ends)


def _restored(outcome: ProgramResult, presolved: Presolved, program: Program) -> ProgramResult:
    """Give the bound for the costs as they were."""
    unit, taming, found = presolved.unit, presolved.taming, outcome.bound
    bound = unit * (found + presolved.constant)
    if taming.changed:
        bound += taming.most_lost
        columns = outcome.columns
        if columns is not None and _are_whole(columns[presolved.tamed_columns]):
            # No whole solution with other masks is within a small gap.
            reached = float(presolved.program.costs @ columns)
            if unit * (found - reached) < taming.margin:
                bound = float(program.costs @ columns) + unit * max(0.0, found - reached)
    # Sums of masks as large as they were lose more digits than those that HiGHS has seen.
    lost = _ROUNDING * abs(bound) if math.isfinite(bound) else 0.0
    return outcome._replace(bound=bound, tolerance=presolved.tolerance(found) + lost)


#: The wrapper's locks belong to its class, so two instances cannot run at the same time.
_ONE_AT_A_TIME = Lock()


def _written_out(graph: FactorGraph) -> Program:
    model = Model()
    scores, evidence = graph.scores, graph.evidence
    clash = np.flatnonzero((evidence == 1) & (scores == -np.inf))
    if clash.size:
        name = graph.name(int(clash[0]))
        raise InfeasibleError(f"{name} is fixed to 1, but its score of -inf forbids that")
    model.add_columns(scores, np.where(evidence == 1, 1.0, 0.0), np.where(evidence == 0, 0.0, 1.0))
    for block in graph.blocks:
        if block.kind is Kind.CUSTOM:
            raise InputError(
                f"linear_program: {len(block)} custom factors are known only by their oracles; "
                "a linear program needs inequalities"
            )
        if block.kind <= Kind.PAIR:
            add_logic(model, block)
        else:
            add_structured(model, block)
    return model.finish()


def _highspy() -> Any:
    """Load HiGHS when it is first needed: it takes a while."""
    return import_module("highspy")


def _start(program: Program, whole: int, limits: Limits) -> Any:
    highspy = _highspy()
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    if math.isfinite(limits.time_limit_seconds):
        left = max(0.0, limits.time_limit_seconds - limits.seconds)
        highs.setOptionValue("time_limit", left)
    if limits.max_iterations is not None:
        name = "mip_max_nodes" if whole else "simplex_iteration_limit"
        highs.setOptionValue(name, min(limits.max_iterations, 2**31 - 1))
    if whole:
        # With presolve, HiGHS 1.15 calls answers optimal that are not (tests/graphs has one).
        highs.setOptionValue("presolve", "off")
        highs.setOptionValue("mip_rel_gap", 0.0)
        highs.setOptionValue("mip_abs_gap", 1e-9)
        highs.setOptionValue("mip_feasibility_tolerance", 1e-9)
    columns = len(program.costs)
    integrality = np.zeros(columns, dtype=np.int32)
    integrality[:whole] = int(highspy.HighsVarType.kInteger)
    status = highs.passModel(
        columns,
        len(program.row_lower),
        len(program.values),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        program.costs,
        program.column_lower,
        program.column_upper,
        program.row_lower,
        program.row_upper,
        program.starts,
        program.columns,
        program.values,
        integrality,
    )
    if status == highspy.HighsStatus.kError:
        raise InputError("linear_program: HiGHS refuses the program, is a score too large?")
    return highs


def _run(highs: Any) -> None:
    """Run HiGHS in a thread of its own, so that Ctrl-C can stop it."""
    interrupted: KeyboardInterrupt | OutOfTimeError | None = None
    highs.HandleUserInterrupt = True
    highs.startSolve()
    while True:
        try:
            if highs.wait(0.05)[0]:
                break
            if interrupted is None:
                check()
        except (KeyboardInterrupt, OutOfTimeError) as error:
            interrupted = error
            highs.cancelSolve()  # and wait until it is
    if interrupted is not None:
        raise interrupted


def _outcome(highs: Any, exact: bool) -> ProgramResult:
    highspy = _highspy()
    state = highs.getModelStatus()
    infeasible = (
        highspy.HighsModelStatus.kInfeasible,
        highspy.HighsModelStatus.kUnboundedOrInfeasible,  # every column is bounded
    )
    if state in infeasible:
        what = "problem" if exact else "relaxation"
        raise InfeasibleError(f"no assignment satisfies all hard factors and evidence (the {what})")
    done = state in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty)
    info = highs.getInfo()
    columns: FloatArray | None = None
    if done or info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        columns = np.array(highs.getSolution().col_value)
    bound = math.inf
    if done:
        bound = float(info.objective_function_value)
    elif exact and math.isfinite(info.mip_dual_bound):
        bound = float(info.mip_dual_bound)
    iterations = int(info.mip_node_count if exact else info.simplex_iteration_count)
    return ProgramResult(columns, bound, done, max(iterations, 0))


def _solution(graph: FactorGraph, outcome: ProgramResult, limits: Limits, trace: bool) -> Solution:
    columns, bound, done, iterations, tolerance = outcome
    relaxed = None if columns is None else np.clip(columns[: len(graph)], 0.0, 1.0)
    values, value = _rounded(graph, relaxed)
    whole = relaxed is not None and _are_whole(relaxed)
    if not done:
        status = Status.LIMIT
    elif whole and value >= bound - tolerance:
        status = Status.OPTIMAL
    else:
        status = Status.RELAXED
    bound = max(bound, value)  # HiGHS is right up to its tolerance only
    return Solution(
        values,
        value,
        bound,
        status,
        iterations,
        limits.seconds,
        relaxed,
        Trace.of_bounds([iterations], [bound], [value]) if trace else None,
        tolerance=tolerance,
    )


def _are_whole(columns: FloatArray) -> bool:
    return bool((np.abs(columns - np.rint(columns)) <= _WHOLE).all())


def _rounded(graph: FactorGraph, relaxed: FloatArray | None) -> tuple[BoolArray | None, float]:
    if relaxed is None:
        return None, -math.inf
    values = relaxed > 0.5
    value = float(graph.value(values))
    return (values, value) if value > -math.inf else (None, -math.inf)
