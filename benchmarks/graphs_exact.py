"""Branch and bound on second-order parsing problems: is the optimum proven, and how soon?"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from graphs_second_order import highs_optimum
from reporting import Bar, Report
from second_order import Problem, load_all, tree_graph
from timing import cpu_seconds

from turbotree.graphs import Solution, Status

MEDIAN_BAR, LARGEST_BAR = 0.3, 10.0
#: Stop here: an instance that takes longer has missed the bar anyway.
TIME_LIMIT = 60.0


def build_and_solve(problem: Problem) -> Solution:
    """Run what is timed."""
    return tree_graph(problem).solve("branch_and_bound", time_limit_seconds=TIME_LIMIT)


def measure(problems: Sequence[Problem], compared: int) -> dict[str, Any]:
    """Solve each problem once, graph building counted; compare some with HiGHS's ILP."""
    seconds, solutions = [], []
    for problem in problems:
        spent, solution = cpu_seconds(build_and_solve, problem)
        seconds.append(spent)
        solutions.append(solution)
    figures: dict[str, Any] = {
        "seconds": seconds,
        "nodes": [solution.iterations for solution in solutions],
        "proven": [solution.status is Status.OPTIMAL for solution in solutions],
        "ilp_seconds": [],
        "ilp_errors": [],
    }
    for problem, solution in list(zip(problems, solutions, strict=True))[:compared]:
        spent, optimum = highs_optimum(problem, repeats=1, exact=True)
        figures["ilp_seconds"].append(spent)
        figures["ilp_errors"].append(abs(solution.value - optimum) / abs(optimum))
    return figures


def report_exact(report: Report, folder: Path, compared: int, quick: bool) -> None:
    """Measure all `mid` instances."""
    if find_spec("turbotree.graphs.solvers.branch_and_bound") is None:
        report.section("branch and bound: skipped, this turbotree has none")
        return
    report.section("branch and bound, mid, CPU seconds, graph building counted")
    report.lines.append(
        f"  {'':8} {'proven':>9} {'median':>8} {'largest':>8} {'nodes':>7} {'most':>6}"
        f" {'HiGHS ILP':>10} {'difference':>11}"
    )
    everything: dict[str, Any] = {}
    for words in (10, 20, 30, 40):
        problems = load_all(folder, "mid", words)[: 5 if quick else None]
        if not problems:
            continue
        row = everything[str(words)] = measure(problems, compared)
        peer = f"{'':>10} {'':>11}"
        if row["ilp_seconds"]:
            peer = f"{median(row['ilp_seconds']):10.2f} {max(row['ilp_errors']):11.1e}"
        proven = f"{sum(row['proven'])} / {len(problems)}"
        report.lines.append(
            f"  n = {words:<4} {proven:>9} {median(row['seconds']):8.3f}"
            f" {max(row['seconds']):8.3f} {median(row['nodes']):7.0f} {max(row['nodes']):6.0f}"
            f" {peer}"
        )
    report.data["exact"] = everything
    if not everything:
        return
    seconds = [s for row in everything.values() for s in row["seconds"]]
    proven_ones = [p for row in everything.values() for p in row["proven"]]
    errors = [e for row in everything.values() for e in row["ilp_errors"]]
    share = 100 * sum(proven_ones) / len(proven_ones)
    report.bars += [
        Bar("branch and bound: proven", share, 100, at_least=True, unit="%"),
        Bar("branch and bound: median", median(seconds), MEDIAN_BAR, False, "s"),
        Bar("branch and bound: largest", max(seconds), LARGEST_BAR, False, "s"),
    ]
    if errors:
        bad = sum(error > 1e-6 for error in errors)
        report.bars.append(Bar("branch and bound: other than the ILP", bad, 0, at_least=False))
