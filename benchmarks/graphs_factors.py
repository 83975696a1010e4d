"""Nanoseconds per factor update by kind, beside the limit that memory bandwidth sets.

An update reads a number for each link (a target, or a score), the factor scores and its
shape, and writes a number for each link and its value. The limit is these bytes at the rate of
``a = b + c`` on arrays far larger than the cache, measured in the same run. What a kind remembers
between projections is not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reporting import Report
from timing import cpu_seconds, fastest

from turbotree.graphs import FactorGraph, _core
from turbotree.graphs.solvers.native import core_graph

#: Rows of targets in the shorter and in the longer run; their difference leaves set-up out.
SHORT, LONG = 4, 12
#: How far targets move from row to row, beside a spread of 1/2: as late in a run of ADMM.
DRIFT = 0.01

Build = Callable[[FactorGraph, int, np.random.Generator], None]


def _links(graph: FactorGraph, count: int, links: int) -> NDArray[np.int64]:
    return graph.variables(np.zeros((count, links)))


def _logic(method: str, links: int, **options: Any) -> Build:
    def build(graph: FactorGraph, count: int, _: np.random.Generator) -> None:
        getattr(graph, method)(_links(graph, count, links), **options)

    return build


def _with_output(method: str, inputs: int) -> Build:
    def build(graph: FactorGraph, count: int, _: np.random.Generator) -> None:
        links = _links(graph, count, inputs + 1)
        getattr(graph, method)(links[:, -1], links[:, :-1])

    return build


def _implies(graph: FactorGraph, count: int, _: np.random.Generator) -> None:
    links = _links(graph, count, 2)
    graph.implies(links[:, 0], links[:, 1])


def _pair(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    links = _links(graph, count, 2)
    graph.pair(links[:, 0], links[:, 1], random.normal(size=count))


def _knapsack(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    costs = random.integers(1, 10, size=(count, 10))
    graph.knapsack(_links(graph, count, 10), costs, costs.sum(axis=1) // 3)


def _dense(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    links = _links(graph, count, 9).reshape(count, 3, 3)
    graph.table([links[:, 0], links[:, 1], links[:, 2]], random.normal(size=(count, 3, 3, 3)))


def _tree(projective: bool) -> Build:
    words, heads = 20, 10

    def build(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
        # The word before is always a candidate: then there is a tree, a projective one too.
        keys = random.random((count, words + 1, words))  # head, modifier - 1
        modifiers = np.arange(words)
        keys[:, modifiers + 1, modifiers] = 2.0
        keys[:, modifiers, modifiers] = -1.0
        chosen = np.argsort(keys, axis=1)[:, :heads].transpose(0, 2, 1).reshape(count, -1)
        ends = np.broadcast_to(np.repeat(modifiers + 1, heads), chosen.shape)
        links = _links(graph, count, words * heads)
        graph.tree(chosen, ends, links, words=words, projective=projective, single_root=False)

    return build


def _siblings(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    graph.siblings(_links(graph, count, 10), random.normal(size=(count, 11, 11)))


def _tri_siblings(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    graph.tri_siblings(_links(graph, count, 10), random.normal(size=(count, 10, 10, 10)))


def _grandparents(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    links = _links(graph, count, 20)
    scores = random.normal(size=(count, 11, 11)), random.normal(size=(count, 10, 10))
    graph.grandparent_siblings(links[:, :10], links[:, 10:], *scores)


def _chain(graph: FactorGraph, count: int, random: np.random.Generator) -> None:
    links = _links(graph, count, 100).reshape(count, 20, 5)
    graph.chain(links, random.normal(size=(count, 19, 5, 5)))


#: Name, number of factors (the simple kinds do not fit in a cache), how to build them.
KINDS: tuple[tuple[str, int, Build], ...] = (
    ("XOR, 10 links", 200_000, _logic("exactly_one", 10)),
    ("XOR-OUT, 10 + 1", 200_000, _with_output("define_exactly_one", 10)),
    ("AT-MOST-ONE, 10", 200_000, _logic("at_most_one", 10)),
    ("OR, 10", 200_000, _logic("at_least_one", 10)),
    ("OR-OUT, 10 + 1", 200_000, _with_output("define_or", 10)),
    ("NAND, 10", 200_000, _logic("not_all", 10)),
    ("IMPLY, 2", 1_000_000, _implies),
    ("AND-OUT, 10 + 1", 200_000, _with_output("define_and", 10)),
    ("BUDGET, 3 of 10", 200_000, _logic("at_most", 10, k=3)),
    ("KNAPSACK, 10", 200_000, _knapsack),
    ("PAIR, 2", 1_000_000, _pair),
    ("DENSE, 3 x 3 x 3", 4_000, _dense),
    ("TREE, 20 words x 10", 100, _tree(projective=False)),
    ("TREE, projective", 100, _tree(projective=True)),
    ("HEAD AUTOMATON, 10", 4_000, _siblings),
    ("TRIPLE AUTOMATON, 10", 1_000, _tri_siblings),
    ("GRANDPARENT, 10 x 10", 1_000, _grandparents),
    ("CHAIN, 20 x 5", 400, _chain),
)


def gigabytes_per_second(repeats: int) -> float:
    """Measure ``a = b + c``, 24 bytes per element as STREAM counts them."""
    size = 16_000_000
    a, b, c = np.zeros(size), np.ones(size), np.ones(size)
    seconds, _ = fastest(max(repeats, 5), np.add, b, c, out=a)
    return 24 * size / seconds / 1e9


def drifting(shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.float64]:
    """Make rows that move slowly."""
    targets = random.normal(scale=DRIFT, size=shape)
    targets[0] = random.normal(0.3, 0.5, size=shape[1])
    return np.cumsum(targets, axis=0)


def measure(count: int, build: Build, repeats: int) -> dict[str, float]:
    """Time the three updates of one kind."""
    random = np.random.default_rng(count)
    graph = FactorGraph()
    build(graph, count, random)
    core = core_graph(graph)
    (block,) = graph.blocks
    rows = drifting((LONG, core.links), random)
    # Both lengths in turn, so that a busy machine hits them alike.
    times = [
        [cpu_seconds(_core.project, core, rows[:r], 1.0)[0] for r in (SHORT, LONG)]
        for _ in range(repeats)
    ]
    short, long = (min(column) for column in zip(*times, strict=True))
    scores = 3 * rows[-1]
    tables = (block.scores, block.score_offsets, block.shapes, block.shape_offsets, block.offsets)
    carried = sum(array.nbytes for array in tables) + 16 * core.links
    return {
        "links": core.links / count,
        "project": 1e9 * (long - short) / (LONG - SHORT) / count,
        "max": 1e9 * fastest(repeats, _core.max_messages, core, scores)[0] / count,
        "sum": 1e9 * fastest(repeats, _core.sum_messages, core, scores)[0] / count,
        "bytes": carried / count + 8,
    }


def report_factors(report: Report, repeats: int, quick: bool) -> None:
    """Measure all kinds."""
    bandwidth = gigabytes_per_second(repeats)
    report.section(
        f"factor updates, warm, CPU ns per factor; memory: a = b + c at {bandwidth:.1f} GB/s"
    )
    report.lines.append(
        f"  {'':22} {'projection':>11} {'a link':>7} {'max-product':>12} {'sum-product':>12}"
        f" {'bytes':>7} {'limit':>7} {'projection / limit':>19}"
    )
    figures = report.data["factors"] = {"gigabytes_per_second": bandwidth, "kinds": {}}
    for name, count, build in KINDS:
        row = measure(count // 4 if quick else count, build, repeats)
        row["limit"] = row["bytes"] / bandwidth
        figures["kinds"][name] = row
        report.lines.append(
            f"  {name:22} {row['project']:11,.1f} {row['project'] / row['links']:7.1f}"
            f" {row['max']:12,.1f} {row['sum']:12,.1f} {row['bytes']:7,.0f} {row['limit']:7.1f}"
            f" {row['project'] / row['limit']:19.1f}"
        )
