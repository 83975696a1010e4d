"""ADMM on second-order parsing problems, beside HiGHS on the flow LP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from reporting import Bar, Report
from second_order import (
    Problem,
    flow_graph,
    flow_program,
    highs_for,
    load_all,
    run_highs,
    tree_graph,
)
from timing import cpu_seconds, fastest

from turbotree.graphs import FactorGraph, Solution, Status

#: Length -> AD3's time as a fraction of HiGHS's, its converged runs in per cent, our bar.
Bars = dict[int, tuple[float, float, float]]
TREE_BARS: Bars = {
    10: (0.40, 85, 0.08),
    20: (0.27, 85, 0.05),
    30: (0.24, 75, 0.04),
    40: (0.15, 85, 0.03),
}
FLOW_BARS: Bars = {10: (1.4, 80, 0.4), 20: (2.5, 80, 0.5), 30: (3.7, 60, 0.6), 40: (4.5, 80, 0.6)}
#: `hard`, 20 words: the share of HiGHS's time for a bound within `HARD_GAP` of the LP optimum.
HARD_AD3, HARD_BAR, HARD_GAP, HARD_ROUNDS = 0.66, 0.25, 1e-3, 10_000
#: How far a converged bound may lie from the LP optimum, relatively.
BOUND_TOLERANCE = 1e-4

MODELS: dict[str, tuple[Callable[[Problem], FactorGraph], Bars]]
MODELS = {"tree": (tree_graph, TREE_BARS), "flow": (flow_graph, FLOW_BARS)}


def highs_optimum(
    problem: Problem, repeats: int, exact: bool = False, presolve: bool = True
) -> tuple[float, float]:
    """Give HiGHS's CPU seconds and optimum; only `passModel` and `run` are counted."""
    program = flow_program(problem)
    times, optimum = [], 0.0
    for _ in range(repeats):
        highs, model = highs_for(program, exact, presolve)
        seconds, optimum = cpu_seconds(run_highs, highs, model)
        times.append(seconds)
    return min(times), optimum


def build_and_solve(
    build: Callable[[Problem], FactorGraph], problem: Problem, max_iterations: int
) -> Solution:
    """Run what is timed."""
    graph = build(problem)
    return graph.solve("admm", residual_threshold=1e-6, max_iterations=max_iterations)


def measure_mid(problems: Sequence[Problem], repeats: int) -> dict[str, Any]:
    """Time HiGHS, the tree and the flow graphs on each problem in turn."""
    rows: dict[str, list[Any]] = {"highs": [], "raw": [], "tree": [], "flow": []}
    for problem in problems:
        seconds, optimum = highs_optimum(problem, repeats)
        rows["highs"].append(seconds)
        rows["raw"].append(highs_optimum(problem, repeats, presolve=False)[0])
        for name, (build, _) in MODELS.items():
            building, _ = fastest(repeats, build, problem)
            total, solution = fastest(repeats, build_and_solve, build, problem, 1000)
            rows[name].append((total, building, solution, optimum))
    figures: dict[str, Any] = {"highs_ms": 1e3 * mean(rows["highs"])}
    figures["highs_without_presolve_ms"] = 1e3 * mean(rows["raw"])
    for name in MODELS:
        figures[name] = _summed_up(rows[name], mean(rows["highs"]))
    return figures


def _summed_up(rows: list[tuple[float, float, Solution, float]], peer: float) -> dict[str, Any]:
    totals = [row[0] for row in rows]
    converged = [row for row in rows if row[2].status is not Status.LIMIT]
    errors = [abs(s.upper_bound - best) / abs(best) for _, _, s, best in converged]
    # A run that was stopped may have a higher bound, but never a lower one.
    errors += [(best - s.upper_bound) / abs(best) for _, _, s, best in rows]
    return {
        "ms": 1e3 * mean(totals),
        "building_ms": 1e3 * mean(row[1] for row in rows),
        "rounds": mean(row[2].iterations for row in rows),
        "optimal_percent": 100 * mean(row[2].status is Status.OPTIMAL for row in rows),
        "converged_percent": 100 * len(converged) / len(rows),
        "ratio": mean(totals) / peer,
        "largest_bound_error": max(errors),
        "rounds_each": [row[2].iterations for row in rows],
        "ms_each": [1e3 * total for total in totals],
    }


def rounds_to_bound(trace_iterations: Any, bounds: Any, limit: float) -> int | None:
    """Give the first round whose bound is at most `limit`, or None."""
    reached = np.flatnonzero(np.asarray(bounds) <= limit)
    return int(trace_iterations[reached[0]]) if len(reached) else None


def measure_hard(problems: Sequence[Problem], repeats: int) -> dict[str, Any]:
    """Time the tree graphs until the bound is near the LP optimum; the trace is not timed."""
    ours, peers, rounds, missed = [], [], [], 0
    for problem in problems:
        seconds, optimum = highs_optimum(problem, max(1, repeats - 1))
        graph = tree_graph(problem)
        trace = graph.solve("admm", max_iterations=HARD_ROUNDS, trace=True).trace
        assert trace is not None
        limit = optimum + HARD_GAP * abs(optimum)
        count = rounds_to_bound(trace.iteration, trace.upper_bound, limit)
        missed += count is None
        allowed = HARD_ROUNDS if count is None else count
        total, solution = fastest(repeats, build_and_solve, tree_graph, problem, allowed)
        assert count is None or solution.upper_bound <= limit + 1e-9 * abs(limit)
        ours.append(total)
        peers.append(seconds)
        rounds.append(allowed)
    return {
        "highs_ms": 1e3 * mean(peers),
        "ms": 1e3 * mean(ours),
        "rounds": mean(rounds),
        "missed": missed,
        "ratio": mean(ours) / mean(peers),
    }


def report_second_order(report: Report, folder: Path, repeats: int, quick: bool) -> None:
    """Measure everything of this file."""
    lengths = (10, 20) if quick else (10, 20, 30, 40)
    report.section(
        "second-order parsing, mid, residual 1e-6, CPU ms, mean of the instances, fastest of "
        f"{repeats}; building the graph counted, of HiGHS only passModel and run"
    )
    report.lines.append(
        f"  {'':14} {'ms':>8} {'building':>9} {'rounds':>7} {'converged':>10} {'optimal':>8}"
        f" {'of HiGHS':>9} {'bar':>6} {'AD3':>6} {'bound error':>12}"
    )
    figures = report.data.setdefault("second_order", {})
    for words in lengths:
        problems = load_all(folder, "mid", words)[: 5 if quick else None]
        if not problems:
            report.lines.append(f"  n = {words}: skipped, no mid_n{words}_*.npz in the folder")
            continue
        row = figures[f"mid {words}"] = measure_mid(problems, repeats)
        report.lines.append(
            f"  n = {words:<3} HiGHS  {row['highs_ms']:8.2f}"
            f"   (without presolve {row['highs_without_presolve_ms']:.2f})"
        )
        for name, (_, bars) in MODELS.items():
            _report_model(report, words, name, row[name], bars[words])
    problems = load_all(folder, "hard", 20)[: 5 if quick else None]
    if problems:
        _report_hard(report, measure_hard(problems, repeats))


def _report_model(
    report: Report, words: int, name: str, row: dict[str, Any], bars: tuple[float, float, float]
) -> None:
    peer, peer_converged, bar = bars
    report.lines.append(
        f"  n = {words:<3} {name:6} {row['ms']:8.2f} {row['building_ms']:9.2f}"
        f" {row['rounds']:7.0f} {row['converged_percent']:8.0f} % {row['optimal_percent']:6.0f} %"
        f" {row['ratio']:9.3f} {bar:6.2f} {peer:6.2f} {row['largest_bound_error']:12.1e}"
    )
    title = f"mid, n = {words}, {name}"
    report.bars += [
        Bar(f"{title}: share of HiGHS's time", row["ratio"], bar, at_least=False),
        Bar(f"{title}: converged", row["converged_percent"], peer_converged, True, "%"),
        Bar(
            f"{title}: bound's error, in {BOUND_TOLERANCE:g}",
            row["largest_bound_error"] / BOUND_TOLERANCE,
            1.0,
            at_least=False,
        ),
    ]


def _report_hard(report: Report, row: dict[str, Any]) -> None:
    report.data["second_order"]["hard 20"] = row
    report.section(f"second-order parsing, hard, n = 20: bound within {HARD_GAP:g} of the optimum")
    report.lines.append(
        f"  HiGHS {row['highs_ms']:.1f} ms, tree {row['ms']:.1f} ms in {row['rounds']:.0f} rounds:"
        f" {row['ratio']:.3f} of HiGHS (AD3 {HARD_AD3}); not reached in {HARD_ROUNDS} rounds:"
        f" {row['missed']}"
    )
    report.bars += [
        Bar("hard, n = 20: share of HiGHS's time", row["ratio"], HARD_BAR, at_least=False),
        Bar("hard, n = 20: bounds not reached", row["missed"], 0, at_least=False),
    ]
