"""Proofs beside toulbar2, in one run: where relaxations are loose, and where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from reporting import Bar, Report
from second_order import Problem, load_all, tree_graph
from timing import cpu_seconds

from turbotree.graphs import Solution, Status

TIME_LIMIT = 60.0
#: Kind and words; how many at most; how much of toulbar2's time the median may take.
SETS = (
    ("hard", 10, 20, 1.0),
    ("hard", 20, 20, 1.5),
    ("hard", 30, 20, None),
    ("mid", 10, 20, 0.3),
    ("mid", 20, 20, 0.3),
    ("mid", 30, 20, 0.3),
    ("mid", 40, 20, 0.3),
)
#: The set whose values after a second are looked at, and how far below the optimum they may be.
EARLY_SET, EARLY_SECONDS, EARLY_BAR = "hard 20", 1.0, 0.5
#: Scores count in millionths for toulbar2, and tables add them up.
SAME = 1e-4
#: Calls up to this are repeated.
SHORT_SECONDS, REPEATS = 0.05, 10

Answer = TypeVar("Answer")


def build_and_solve(problem: Problem, limit: float = TIME_LIMIT) -> Solution:
    """Run what is timed; the limit is one of wall-clock time."""
    return tree_graph(problem).solve("branch_and_bound", time_limit_seconds=limit)


def mean_seconds(function: Callable[[], Answer]) -> tuple[float, Answer]:
    """Time a call, a short one several times: the clock of CPU time may tick slowly."""
    spent, answer = cpu_seconds(function)
    if spent > SHORT_SECONDS:
        return spent, answer
    spent, _ = cpu_seconds(lambda: [function() for _ in range(REPEATS)])
    return spent / REPEATS, answer


def measure(problems: Sequence[Problem], early: bool) -> dict[str, Any]:
    """Solve all problems with one solver, then with the other; graph building counts."""
    from second_order_toulbar2 import solve

    rows: dict[str, Any] = {
        "seconds": [],
        "proven": 0,
        "nodes": [],
        "peer_seconds": [],
        "peer_last_seconds": [],
        "peer_proven": 0,
        "differ": 0,
        "early_percent": [],
    }
    values = []
    for problem in problems:
        spent, solution = mean_seconds(partial(build_and_solve, problem))
        values.append(solution.value)
        rows["seconds"].append(spent)
        rows["nodes"].append(solution.iterations)
        rows["proven"] += solution.status is Status.OPTIMAL
        if early:
            soon = build_and_solve(problem, EARLY_SECONDS).value
            rows["early_percent"].append(100 * (solution.value - soon) / abs(solution.value))
    for problem, value in zip(problems, values, strict=True):
        spent, peer = mean_seconds(partial(solve, problem, TIME_LIMIT))
        rows["peer_seconds"].append(spent)
        rows["peer_last_seconds"].append(spent * peer.last_seconds / peer.seconds)
        if peer.optimum is not None:
            rows["peer_proven"] += 1
            rows["differ"] += abs(peer.optimum - value) > SAME
    rows["ratio"] = median(
        own / other for own, other in zip(rows["seconds"], rows["peer_seconds"], strict=True)
    )
    last = [
        own / other
        for own, other in zip(rows["seconds"], rows["peer_last_seconds"], strict=True)
        if other > 0
    ]
    rows["ratio_to_last"] = median(last) if last else float("nan")
    return rows


def report_loose(report: Report, folder: Path, only: Sequence[str], quick: bool) -> None:
    """Measure each of the sets, or only those named."""
    if find_spec("pytoulbar2") is None:
        report.section("proofs beside toulbar2: skipped, pip install pytoulbar2")
        return
    report.section(
        f"proofs within {TIME_LIMIT:g} s beside toulbar2, CPU seconds, graph building counted"
    )
    report.lines.append(
        f"  {'':10} {'proven':>9} {'median':>8} {'largest':>8} {'nodes':>7} {'toulbar2':>9}"
        f" {'median':>8} {'largest':>8} {'ratio':>7} {'to last':>8} {'differ':>7}"
    )
    everything: dict[str, Any] = {}
    for kind, words, most, bar in SETS:
        name = f"{kind} {words}"
        problems = load_all(folder, kind, words)[: 3 if quick else most]
        if not problems or (only and name not in only):
            continue
        row = everything[name] = measure(problems, name == EARLY_SET)
        report.lines.append(
            f"  {name:10} {row['proven']:>4} / {len(problems):<2} {median(row['seconds']):8.4f}"
            f" {max(row['seconds']):8.3f} {median(row['nodes']):7.0f}"
            f" {row['peer_proven']:>4} / {len(problems):<2} {median(row['peer_seconds']):8.4f}"
            f" {max(row['peer_seconds']):8.3f} {row['ratio']:7.3f} {row['ratio_to_last']:8.3f}"
            f" {row['differ']:7}"
        )
        report.bars.append(
            Bar(f"{name}: proven, as many as toulbar2", row["proven"], row["peer_proven"], True)
        )
        report.bars.append(Bar(f"{name}: other optima than toulbar2", row["differ"], 0, False))
        if bar is not None:
            report.bars.append(
                Bar(f"{name}: median of time / toulbar2's", row["ratio"], bar, False)
            )
        if row["early_percent"]:
            worst = max(row["early_percent"])
            report.bars.append(
                Bar(f"{name}: below the optimum after 1 s", worst, EARLY_BAR, False, "%")
            )
    report.data["loose"] = everything
