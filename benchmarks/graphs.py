"""Measure the package `graphs` beside HiGHS, in one run and on one thread: what counts are ratios.

Usage: python benchmarks/graphs.py [--only second-order,exact,loose,gap,...] [--quick] ...

- second-order: ADMM with a TREE factor, and with flow constraints by logic factors, beside HiGHS's
  dual simplex on the flow LP. Needs ``--data``, a folder of ``{mid,hard}_n*_*.npz`` as described in
  ``second_order.py``.
- exact: branch and bound on the same problems.
- loose: the same beside toulbar2, on problems with loose relaxations too (needs pytoulbar2).
- gap: the gap of the same against time, beside toulbar2, HiGHS and CP-SAT (needs ortools).
- grid: binary grids of PAIR factors: peak memory, and time per round from 64 x 64 to 512 x 512.
- factors: nanoseconds per factor update by kind, beside the limit that memory bandwidth sets.
- many: `solve_many` on thousands of small and tiny graphs, with one and two threads, beside a loop.

Times are CPU seconds, except for threads. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from statistics import median

from figures import record
from graphs_exact import report_exact
from graphs_factors import report_factors
from graphs_gap import LIMIT_SECONDS, report_gap, values_of
from graphs_grid import report_grid
from graphs_loose import TIME_LIMIT, report_loose
from graphs_many import report_many
from graphs_second_order import report_second_order
from reporting import Report

PARTS = ("second-order", "exact", "loose", "gap", "grid", "factors", "many")
NEED_DATA = ("second-order", "exact", "loose", "gap")


def options_from(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    data = os.environ.get("TURBOTREE_BENCH")
    add("--data", type=Path, default=data, help="the instances; default: $TURBOTREE_BENCH")
    add("--only", default=",".join(PARTS), help="some of " + ",".join(PARTS))
    add("--sets", default="", help="for loose and gap: some of 'hard 20,mid 40,...'; default: all")
    add("--quick", action="store_true", help="fewer and smaller problems, for a first look")
    add("--repeats", type=int, default=3, help="of each short measurement; the fastest counts")
    add("--ilp", type=int, default=0, help="instances per length to check against HiGHS's ILP")
    add("--json", action="store_true", help="print JSON")
    add(
        "--record",
        action="store_true",
        help="write second-order figures and proofs to figures.json",
    )
    options = parser.parse_args(arguments)
    options.parts = options.only.split(",")
    options.sets = [name for name in options.sets.split(",") if name]
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"--only: {', '.join(unknown)}: expected some of {', '.join(PARTS)}")
    if options.repeats < 1:
        parser.error("--repeats is at least 1")
    if options.data is not None and not options.data.is_dir():
        parser.error(f"--data: {options.data} is no folder")
    return options


def recorded(report: Report) -> None:
    """Write the times of second-order problems to the file of figures."""
    setting = (
        "second-order parsing problems, random scores, residual 1e-6; CPU time as a fraction of "
        "HiGHS's dual simplex on the flow LP in the same run"
    )
    for name, row in report.data.get("second_order", {}).items():
        kind, words = name.split()
        if kind == "hard":
            values = {"tree": round(row["ratio"], 2)}
            where = f"graphs/second order/{name}"
        else:
            values = {
                "words": int(words),
                "tree": round(row["tree"]["ratio"], 3),
                "tree converged %": round(row["tree"]["converged_percent"]),
                "flow": round(row["flow"]["ratio"], 2),
            }
            where = f"graphs/second order/{words}"
        record(where, values, setting=setting, script=__file__)
    setting = (
        "second-order parsing problems, random scores; CPU time to a proof with "
        f"{TIME_LIMIT:g} s for each, graph building counted; toulbar2 (pytoulbar2) in the same "
        "run, asked again with the cycles of its answer forbidden until that is a tree"
    )
    for name, row in report.data.get("loose", {}).items():
        values = {
            "problems": len(row["seconds"]),
            "proven": row["proven"],
            "median s": round(median(row["seconds"]), 4),
            "largest s": round(max(row["seconds"]), 3),
            "toulbar2 proven": row["peer_proven"],
            "toulbar2 median s": round(median(row["peer_seconds"]), 4),
            "toulbar2 largest s": round(max(row["peer_seconds"]), 3),
            "ratio": round(row["ratio"], 2),
            "ratio to the last": round(row["ratio_to_last"], 2),
        }
        if row["early_percent"]:
            values["below the optimum after 1 s %"] = round(max(row["early_percent"]), 2)
        record(f"graphs/proofs/{name}", values, setting=setting, script=__file__)
    setting = (
        "second-order parsing problems, random scores; mean gap between bound and value in per "
        "cent of the optimum, at most 100, by CPU time, graph building counted; all solvers in "
        f"one run with {LIMIT_SECONDS:g} s for each, in processes of their own; a median counts "
        "these where there is no proof; HiGHS has the flow program, CP-SAT depths of words and "
        "linearization_level 2"
    )
    for name, solvers in report.data.get("gap", {}).items():
        for solver, row in solvers.items():
            record(f"graphs/gap/{name}/{solver}", values_of(row), setting=setting, script=__file__)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = options_from(arguments)
    report = Report({"machine": {"cores": os.cpu_count(), "load": os.getloadavg()}})
    report.lines.append(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    for part in PARTS:
        if part not in options.parts:
            continue
        if part in NEED_DATA and options.data is None:
            report.section(f"{part}: skipped, set TURBOTREE_BENCH to a folder of instances")
        elif part == "second-order":
            report_second_order(report, options.data, options.repeats, options.quick)
        elif part == "exact":
            report_exact(report, options.data, options.ilp, options.quick)
        elif part == "loose":
            report_loose(report, options.data, options.sets, options.quick)
        elif part == "gap":
            report_gap(report, options.data, options.sets, options.quick)
        elif part == "grid":
            report_grid(report, options.repeats, options.quick)
        elif part == "factors":
            report_factors(report, options.repeats, options.quick)
        else:
            report_many(report, options.repeats, options.quick)
    if options.record:
        recorded(report)
    print(json.dumps(report.to_dict(), indent=2) if options.json else report)
    return 0 if all(bar.passed for bar in report.bars) else 1


if __name__ == "__main__":
    sys.exit(main())
