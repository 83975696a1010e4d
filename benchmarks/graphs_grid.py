"""Binary grids of PAIR factors whose neighbours like to agree: time per round, peak memory.

Run as a script it solves one grid and prints its figures as JSON: peak memory is that of a process.

    python benchmarks/graphs_grid.py 256
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from reporting import Bar, Report
from timing import cpu_seconds, fastest

from turbotree.graphs import FactorGraph, Status

SIZES = (64, 128, 256, 512)
SOLVED = 256
MEMORY_BAR = 1000.0
#: Linear growth has exponent 1. The larger grids leave the cache, hence a little more.
EXPONENT_BAR = 1.15
#: What neighbours gain when they agree, beside scores of standard deviation 1.
AGREEMENT = 0.5


def grid(size: int) -> FactorGraph:
    """Build a grid; ``a [x = y]`` is ``2 a x y - a x - a y`` and a constant."""
    degree = np.full((size, size), 4.0)
    for edge in (degree[0], degree[-1], degree[:, 0], degree[:, -1]):
        edge -= 1.0
    graph = FactorGraph()
    noise = np.random.default_rng(size).normal(size=(size, size))
    cells = graph.variables(noise - AGREEMENT * degree)
    graph.pair(cells[:, :-1], cells[:, 1:], 2 * AGREEMENT)
    graph.pair(cells[:-1], cells[1:], 2 * AGREEMENT)
    return graph


def solve(size: int) -> dict[str, Any]:
    """Solve a grid to residual 1e-3; give its cost."""
    before = _peak_megabytes()
    building, graph = cpu_seconds(grid, size)
    solving, solution = cpu_seconds(graph.solve, "admm", residual_threshold=1e-3)
    return {
        "size": size,
        "factors": graph.factor_count,
        "building_seconds": building,
        "solving_seconds": solving,
        "rounds": solution.iterations,
        "status": solution.status.name,
        "relative_gap": solution.gap / abs(solution.upper_bound),
        "megabytes": _peak_megabytes(),
        "megabytes_before": before,
    }


def _peak_megabytes() -> float:
    # What getrusage tells is inherited from the process that started this one, if that was larger.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def round_nanoseconds(size: int, repeats: int) -> float:
    """Time per factor and round: the difference of 25 rounds and 5, which leaves set-up out.

    That early all factors are still active. The residual is out of reach, so all rounds are run.
    """
    graph = grid(size)
    options: dict[str, Any] = {"residual_threshold": 1e-12, "extrapolate": False}
    runs = {
        rounds: fastest(repeats, graph.solve, "admm", max_iterations=rounds, **options)
        for rounds in (5, 25)
    }
    assert all(solution.iterations == rounds for rounds, (_, solution) in runs.items())
    return (runs[25][0] - runs[5][0]) / 20 / graph.factor_count * 1e9


def report_grid(report: Report, repeats: int, quick: bool) -> None:
    """Measure growth, then one solve in a process of its own."""
    sizes = SIZES[:-1] if quick else SIZES
    # The smallest take a millisecond or two: they can be repeated more often.
    costs = {size: round_nanoseconds(size, max(repeats, 1024 // size)) for size in sizes}
    report.section("grids of PAIR factors, all active: CPU ns per factor and round")
    for size, nanoseconds in costs.items():
        factors = 2 * size * (size - 1)
        report.lines.append(
            f"  {size:3} x {size:<3} {factors:7,} factors {nanoseconds:7.1f} ns"
            f" {nanoseconds * factors / 1e6:8.2f} ms per round"
        )
    counts = np.array([2 * size * (size - 1) for size in sizes], dtype=np.float64)
    per_round = counts * np.array(list(costs.values()))
    exponent = float(np.polyfit(np.log(counts), np.log(per_round), 1)[0])
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), str(sizes[0] if quick else SOLVED)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures: dict[str, Any] = json.loads(done.stdout)
    report.data["grid"] = {"nanoseconds": costs, "exponent": exponent, "solved": figures}
    report.lines += [
        f"  a round grows with the factors to the power of {exponent:.3f}",
        f"  {figures['size']} x {figures['size']} to residual 1e-3: {figures['status']},"
        f" {figures['rounds']} rounds, {figures['solving_seconds']:.2f} s"
        f" + {figures['building_seconds']:.2f} s of building,"
        f" gap {figures['relative_gap']:.1e}, peak {figures['megabytes']:.0f} MB"
        f" ({figures['megabytes_before']:.0f} MB before)",
    ]
    report.bars += [
        Bar("grid: exponent of a round's growth", exponent, EXPONENT_BAR, at_least=False),
        Bar("grid: peak memory", figures["megabytes"], MEMORY_BAR, False, "MB"),
        Bar("grid: solved", float(figures["status"] != Status.LIMIT.name), 1, at_least=True),
    ]


if __name__ == "__main__":
    print(json.dumps(solve(int(sys.argv[1]))))
