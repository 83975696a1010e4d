"""Thousands of small graphs at once, with one and with two threads."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np
from reporting import Bar, Report, busy_seconds

from turbotree import graphs
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
    graph.tree(heads, modifiers, arcs, words=WORDS)
    first = random.integers(0, len(arcs), size=PAIRS)
    second = (first + random.integers(1, len(arcs), size=PAIRS)) % len(arcs)
    graph.pair(first, second, random.normal(scale=0.3, size=PAIRS))
    return graph


def report_many(report: Report, repeats: int, quick: bool) -> None:
    """Time one and two threads in turn, by the clock."""
    solve_many: Any = getattr(graphs, "solve_many", None)
    if solve_many is None:
        report.section("solve_many: left out, this turbotree has none")
        return
    batch = [small_graph(seed) for seed in range(COUNT // 10 if quick else COUNT)]
    start = time.perf_counter()
    alone = [graph.solve("admm") for graph in batch]
    one_by_one = time.perf_counter() - start
    walls: dict[int, list[float]] = {1: [], 2: []}
    own, everyone = [], []
    for _ in range(repeats):
        for threads, times in walls.items():
            before = busy_seconds(), time.process_time(), time.perf_counter()
            solutions = solve_many(batch, "admm", threads=threads)
            after = busy_seconds(), time.process_time(), time.perf_counter()
            times.append(after[2] - before[2])
            own.append(after[1] - before[1])
            if before[0] is not None and after[0] is not None:
                everyone.append((after[0] - before[0] - own[-1]) / times[-1])
    differ = sum(
        not np.isclose(a.upper_bound, b.upper_bound, rtol=1e-6)
        for a, b in zip(alone, solutions, strict=True)
    )
    ratio = median(one / two for one, two in zip(walls[1], walls[2], strict=True))
    report.data["many"] = {"wall_seconds": walls, "ratio": ratio, "one_by_one": one_by_one}
    report.section(f"solve_many: {len(batch):,} graphs of {len(batch[0])} variables, wall clock")
    optimal = 100 * sum(s.status is Status.OPTIMAL for s in solutions) / len(batch)
    for name, seconds in (
        ("one by one", one_by_one),
        ("1 thread", min(walls[1])),
        ("2 threads", min(walls[2])),
    ):
        report.lines.append(
            f"  {name:12} {seconds:7.3f} s {1e6 * seconds / len(batch):8.1f} µs a graph"
        )
    report.lines.append(
        f"  two threads: {ratio:.2f} times one, best {min(walls[1]) / min(walls[2]):.2f};"
        f" {optimal:.0f} % proven optimal"
    )
    if everyone:
        report.lines.append(f"  cores that other processes took meanwhile: {median(everyone):.2f}")
    report.bars.append(Bar("solve_many: other answers than one by one", differ, 0, False))
