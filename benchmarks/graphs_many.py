"""Thousands of small and tiny graphs at once, with one and with two threads."""

from __future__ import annotations

import itertools
import time
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reporting import Bar, Report, busy_seconds

from turbotree import graphs
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Status

COUNT, WORDS, PAIRS = 2000, 6, 40


def small_graph(seed: int) -> FactorGraph:
    """Build a tree over a few words with all arcs and some scores of pairs."""
    random = np.random.default_rng(seed)
    heads, modifiers = np.nonzero(~np.eye(WORDS + 1, dtype=bool))
    kept = modifiers > 0
    heads, modifiers = heads[kept], modifiers[kept]
    graph = FactorGraph()
    arcs = graph.variables(random.normal(size=len(heads)))
    graph.tree(heads, modifiers, arcs, words=WORDS, single_root=False)
    first = random.integers(0, len(arcs), size=PAIRS)
    second = (first + random.integers(1, len(arcs), size=PAIRS)) % len(arcs)
    graph.pair(first, second, random.normal(scale=0.3, size=PAIRS))
    return graph


def tiny_graph(seed: int) -> FactorGraph:
    """Build eight factors of mixed kinds over ten variables, some links negated."""
    random = np.random.default_rng(seed)
    graph = FactorGraph()
    xs = graph.variables(random.normal(size=10))

    def literals(count: int) -> NDArray[np.int64]:
        chosen = random.choice(xs, size=count, replace=False)
        return np.where(random.random(count) < 0.3, ~chosen, chosen)

    graph.exactly_one(literals(3))
    graph.at_most_one(literals(4))
    graph.at_least_one(literals(3))
    graph.not_all(literals(2))
    graph.implies(*literals(2))
    graph.at_most(literals(5), 3)
    graph.pair(*literals(2), random.normal())
    graph.pair(*literals(2), random.normal())
    return graph


def feasible(graph: FactorGraph) -> bool:
    """Whether the solver finds no contradiction."""
    try:
        graph.solve("admm")
    except InfeasibleError:
        return False
    return True


def report_many(report: Report, repeats: int, quick: bool) -> None:
    """Time one and two threads in turn, by the clock."""
    solve_many: Any = getattr(graphs, "solve_many", None)
    if solve_many is None:
        report.section("solve_many: skipped, this turbotree has none")
        return
    count = COUNT // 10 if quick else COUNT
    report.data["many"] = {}
    for name, build in (("small trees", small_graph), ("tiny", tiny_graph)):
        every = (build(seed) for seed in itertools.count())
        batch = list(itertools.islice(filter(feasible, every), count))
        figures = measure(solve_many, batch, repeats)
        report.data["many"][name] = figures
        describe(report, name, batch, figures)


def measure(solve_many: Any, batch: list[FactorGraph], repeats: int) -> dict[str, Any]:
    """Time a plain loop, one and two threads in turn; compare their answers."""
    ways = {
        "a loop of solve": lambda: [graph.solve("admm") for graph in batch],
        "1 thread": lambda: solve_many(batch, "admm", threads=1),
        "2 threads": lambda: solve_many(batch, "admm", threads=2),
    }
    walls: dict[str, list[float]] = {way: [] for way in ways}
    bounds, everyone, overheads = {}, [], []
    for _ in range(repeats):
        for way, run in ways.items():
            before = busy_seconds(), time.process_time(), time.perf_counter()
            solutions = run()
            after = busy_seconds(), time.process_time(), time.perf_counter()
            walls[way].append(after[2] - before[2])
            if way == "1 thread":
                overheads.append(walls[way][-1] - sum(s.seconds for s in solutions))
            if before[0] is not None and after[0] is not None:
                others = after[0] - before[0] - (after[1] - before[1])
                everyone.append(others / walls[way][-1])
            bounds[way] = np.array([s.upper_bound for s in solutions])
    reference = bounds["a loop of solve"]
    return {
        "wall_seconds": walls,
        "ratio": median(
            one / two for one, two in zip(walls["1 thread"], walls["2 threads"], strict=True)
        ),
        "best_ratio": min(walls["1 thread"]) / min(walls["2 threads"]),
        "overhead_microseconds": 1e6 * min(overheads) / len(batch),
        "cores_of_others": median(everyone) if everyone else None,
        "optimal": sum(s.status is Status.OPTIMAL for s in solutions) / len(batch),
        "differ": sum(int((~np.isclose(b, reference, rtol=1e-6)).sum()) for b in bounds.values()),
    }


def describe(report: Report, name: str, batch: list[FactorGraph], figures: dict[str, Any]) -> None:
    """Lay out the figures of one batch."""
    report.section(
        f"solve_many, {name}: {len(batch):,} graphs of {len(batch[0])} variables, wall clock"
    )
    for way, walls in figures["wall_seconds"].items():
        seconds = min(walls)
        report.lines.append(
            f"  {way:16} {seconds:7.3f} s {1e6 * seconds / len(batch):8.1f} µs per graph"
            f" {len(batch) / seconds:9,.0f} graphs per second"
        )
    report.lines.append(
        f"  two threads: {figures['ratio']:.2f} times one, best {figures['best_ratio']:.2f};"
        f" beside the core's solver {figures['overhead_microseconds']:.1f} µs per graph;"
        f" {100 * figures['optimal']:.0f} % proven optimal"
    )
    if figures["cores_of_others"] is not None:
        report.lines.append(
            f"  cores that other processes took meanwhile: {figures['cores_of_others']:.2f}"
        )
    report.bars.append(
        Bar(f"solve_many, {name}: other answers than one by one", figures["differ"], 0, False)
    )
    overhead = figures["overhead_microseconds"]
    report.bars.append(Bar(f"solve_many, {name}: overhead a graph", overhead, 60, False, "µs"))
