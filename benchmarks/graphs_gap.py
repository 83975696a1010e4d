"""The gap between bound and value against time, of four solvers in one run.

HiGHS and CP-SAT are asked as second_order_programs.py says. Peers run in processes of their own:
the clock of CPU time is then theirs alone, and CP-SAT and HiGHS do not fit into one process.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, median
from typing import Any

import second_order_programs
import second_order_toulbar2
from courses import Course, Watch
from reporting import Bar, Report
from second_order import Problem, load_all, tree_graph
from timing import cpu_seconds

from turbotree.graphs import Status

SETS = (("hard", 10), ("hard", 20), ("mid", 20))
PROBLEMS = 3
LIMIT_SECONDS = 4.0
#: Times at which gaps are recorded, in seconds.
TIMES = tuple(2.0**power for power in range(-10, 3))
#: Scores count in millionths for CP-SAT and toulbar2, which proves to less.
SAME = 1e-4

Solver = Callable[[Problem, float], Course]
#: Module and function of each.
PEERS: dict[str, tuple[str, Solver]] = {
    "toulbar2": ("pytoulbar2", second_order_toulbar2.course),
    "HiGHS": ("highspy", second_order_programs.highs),
    "CP-SAT": ("ortools", second_order_programs.cp_sat),
}


def turbotree(problem: Problem, limit_seconds: float) -> Course:
    """Stop the search after one node, two, four, ...: each run repeats the one before."""
    tree_graph(problem).solve("branch_and_bound", max_nodes=0)  # loads everything
    watch = Watch(limit_seconds)
    nodes, spent = 1, 0.0
    while True:
        spent, solution = cpu_seconds(
            lambda most: tree_graph(problem).solve("branch_and_bound", max_nodes=most), nodes
        )
        watch.note(solution.value, solution.upper_bound, spent)
        if solution.status is Status.OPTIMAL or spent > limit_seconds:
            break
        nodes *= 2
    course = watch.course(solution.status is Status.OPTIMAL)
    return Course((*course.seconds[:-1], spent), course.values, course.bounds, course.proven)


def apart(solver: Solver, problem: Problem, limit_seconds: float) -> Course:
    """Run a solver in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(solver, (problem, limit_seconds))


def measure(problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Let all solvers that are installed solve each problem in turn."""
    solvers: dict[str, Solver] = {"turbotree": turbotree}
    solvers |= {name: function for name, (module, function) in PEERS.items() if find_spec(module)}
    courses: dict[str, list[Course]] = {name: [] for name in solvers}
    for problem in problems:
        for name, solver in solvers.items():
            courses[name].append(apart(solver, problem, LIMIT_SECONDS))
    best = [max(course.values[-1] for course in row) for row in zip(*courses.values(), strict=True)]
    return {name: _summed_up(own, best) for name, own in courses.items()}


def _summed_up(courses: Sequence[Course], best: Sequence[float]) -> dict[str, Any]:
    both = list(zip(courses, best, strict=True))
    return {
        "problems": len(courses),
        "proven": sum(course.proven for course in courses),
        "differ": sum(
            course.proven and abs(course.values[-1] - value) > SAME for course, value in both
        )
        + sum(course.bounds[-1] < value - SAME for course, value in both),
        "median_seconds": median(
            course.total_seconds if course.proven else LIMIT_SECONDS for course in courses
        ),
        "gaps_percent": [
            100.0 * mean(course.gap(seconds, value) for course, value in both) for seconds in TIMES
        ],
    }


def values_of(row: Mapping[str, Any]) -> dict[str, float | int]:
    """Name what is recorded of one solver on one set."""
    gaps = zip(TIMES, row["gaps_percent"], strict=True)
    return {
        "problems": row["problems"],
        "proven": row["proven"],
        "median s": round(row["median_seconds"], 4),
        **{f"gap % after {seconds:g} s": round(gap, 3) for seconds, gap in gaps},
    }


def report_gap(report: Report, folder: Path, only: Sequence[str], quick: bool) -> None:
    """Measure each of the sets, or only those named."""
    report.section(
        f"gap between bound and value in per cent of the optimum, at most 100, after CPU seconds; "
        f"{LIMIT_SECONDS:g} s for each, graph building counted"
    )
    shown = (-7, -3, 0, 2)
    report.lines.append(
        f"  {'':20} {'proven':>8} {'median s':>9}"
        + "".join(f" {f'{2.0**power:.3g} s':>9}" for power in shown)
    )
    everything: dict[str, Any] = {}
    for kind, words in SETS[: 1 if quick else None]:
        problems = load_all(folder, kind, words)[: 2 if quick else PROBLEMS]
        if not problems or (only and f"{kind} {words}" not in only):
            continue
        rows = everything[f"{kind} {words}"] = measure(problems)
        for name, row in rows.items():
            gaps = dict(zip(TIMES, row["gaps_percent"], strict=True))
            report.lines.append(
                f"  {f'{kind} {words} {name}':20} {row['proven']:>4} / {row['problems']}"
                f" {row['median_seconds']:9.4f}"
                + "".join(f" {gaps[2.0**power]:9.3f}" for power in shown)
            )
            report.bars.append(
                Bar(f"{kind} {words}, {name}: false proofs and bounds", row["differ"], 0, False)
            )
    report.data["gap"] = everything
