"""Second-order parsing problems for HiGHS and CP-SAT: what they know of the optimum, and when.

HiGHS has the flow program of second_order.py with whole arcs. CP-SAT has one truth value per arc
and per pair, and a depth for each word, above that of its head: so there are no cycles.
"""

from __future__ import annotations

from itertools import groupby
from threading import Event, Thread
from typing import Any

import numpy as np
from courses import Course, Watch
from second_order import Problem, flow_program, highs_for

#: CP-SAT counts scores in whole millionths.
_UNIT = 1e-6
_WATCH_SECONDS = 0.02
#: Proofs are as fine as those of the others.
_FINE = 1e-6


def highs(problem: Problem, limit_seconds: float) -> Course:
    """Ask HiGHS, on one thread, until there is a proof or the CPU seconds are over."""
    import highspy

    watch = Watch(limit_seconds)
    solver, model = highs_for(flow_program(problem), exact=True)
    solver.setOptionValue("mip_rel_gap", _FINE)

    def note(kind: Any, message: str, data: Any, stop: Any, user: Any) -> None:
        # It minimises or maximises as the program says: bounds and values have the right sign.
        watch.note(data.mip_primal_bound, data.mip_dual_bound)
        if kind == highspy.cb.HighsCallbackType.kCallbackMipInterrupt:
            stop.user_interrupt = watch.is_over()

    solver.setCallback(note, None)
    for kind in ("kCallbackMipInterrupt", "kCallbackMipImprovingSolution", "kCallbackMipLogging"):
        solver.startCallback(getattr(highspy.cb.HighsCallbackType, kind))
    solver.passModel(*model)
    solver.run()
    info = solver.getInfo()
    watch.note(info.objective_function_value, info.mip_dual_bound)
    proven = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return watch.course(proven)


def cp_sat(problem: Problem, limit_seconds: float) -> Course:
    """Ask CP-SAT, on one thread, until there is a proof or the CPU seconds are over."""
    from ortools.sat.python import cp_model

    watch = Watch(limit_seconds)

    class Found(cp_model.CpSolverSolutionCallback):  # type: ignore[misc, unused-ignore]
        def on_solution_callback(self) -> None:
            watch.note(_UNIT * self.objective_value, _UNIT * self.best_objective_bound)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2  # on these problems many times faster than 1
    solver.best_bound_callback = lambda bound: watch.note(-np.inf, _UNIT * bound)
    ended = Event()

    def stop_in_time() -> None:
        while not ended.wait(_WATCH_SECONDS):
            if watch.is_over():
                solver.stop_search()

    clock = Thread(target=stop_in_time)
    clock.start()
    try:
        status = solver.solve(_cp_model(problem), Found())
    finally:
        ended.set()
        clock.join()
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        watch.note(_UNIT * solver.objective_value, _UNIT * solver.best_objective_bound)
    return watch.course(status == cp_model.OPTIMAL)


def _cp_model(problem: Problem) -> Any:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    arcs = [model.new_bool_var("") for _ in problem.heads]
    depths = [model.new_int_var(1, problem.words, "") for _ in range(problem.words)]
    ends = list(zip(arcs, problem.heads.tolist(), problem.modifiers.tolist(), strict=True))
    by_modifier = sorted(ends, key=lambda end: end[2])
    for _, group in groupby(by_modifier, key=lambda end: end[2]):
        model.add_exactly_one(arc for arc, _, _ in group)
    for arc, head, modifier in ends:
        if head > 0:
            model.add(depths[modifier - 1] > depths[head - 1]).only_enforce_if(arc)
    scores = list(problem.arc_scores)
    terms = list(arcs)
    for (one, two), score in zip(problem.pairs.tolist(), problem.pair_scores, strict=True):
        both = model.new_bool_var("")
        if score > 0:
            model.add_implication(both, arcs[one])
            model.add_implication(both, arcs[two])
        else:
            model.add_bool_or(both, arcs[one].negated(), arcs[two].negated())
        terms.append(both)
        scores.append(score)
    weights = np.rint(np.array(scores) / _UNIT).astype(np.int64)
    model.maximize(cp_model.LinearExpr.weighted_sum(terms, weights.tolist()))
    return model
