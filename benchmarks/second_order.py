"""Second-order parsing problems as graphs and as a linear program for HiGHS.

A problem is the best spanning arborescence under scores of arcs and of pairs of arcs. It becomes

- a graph with one TREE factor and PAIR factors,
- a graph with multi-commodity flow by logic factors and the same PAIR factors, or
- the flow LP written directly for HiGHS, as lean as we know how: it is the yardstick.

All three have the same optimum. A file is an ``.npz`` with ``n`` (words), ``arcs`` (head and
modifier), ``arc_scores``, ``pairs`` (two arcs' indices) and ``pair_scores``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from turbotree.graphs import FactorGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """One instance."""

    words: int
    heads: Ints
    modifiers: Ints
    arc_scores: Floats
    pairs: Ints
    pair_scores: Floats


def load(path: Path) -> Problem:
    """Read one instance."""
    with np.load(path) as data:
        arcs = data["arcs"].astype(np.int64)
        return Problem(
            int(data["n"]),
            np.ascontiguousarray(arcs[:, 0]),
            np.ascontiguousarray(arcs[:, 1]),
            data["arc_scores"].astype(np.float64),
            data["pairs"].astype(np.int64),
            data["pair_scores"].astype(np.float64),
        )


def load_all(folder: Path, kind: str, words: int) -> list[Problem]:
    """Read the instances of one kind and length."""
    return [load(path) for path in sorted(folder.glob(f"{kind}_n{words}_*.npz"))]


def tree_graph(problem: Problem) -> FactorGraph:
    """Build the graph with a TREE factor."""
    graph = FactorGraph()
    arcs = graph.variables(problem.arc_scores)
    graph.tree(problem.heads, problem.modifiers, arcs, words=problem.words, single_root=False)
    graph.pair(problem.pairs[:, 0], problem.pairs[:, 1], problem.pair_scores)
    return graph


class _Flows(NamedTuple):
    """The places (arc, target) where an arc carries the unit meant for a target.

    ``places`` has -1 where nothing is carried, the arc's own index where its modifier is the
    target, and the numbers after the arcs' for flows.
    """

    places: Ints
    flows: int
    arc_of_flow: Ints


def _flows(problem: Problem) -> _Flows:
    heads, modifiers = problem.heads[:, np.newaxis], problem.modifiers[:, np.newaxis]
    targets = np.arange(1, problem.words + 1)
    is_arc = modifiers == targets
    # Nothing meant for the head itself leaves it, nor enters a word that has no arcs to go on.
    leads_on = np.zeros(problem.words + 1, dtype=bool)
    leads_on[problem.heads] = True
    is_flow = (heads != targets) & ~is_arc & leads_on[modifiers]
    arcs = len(problem.heads)
    places = np.where(is_arc, np.arange(arcs)[:, np.newaxis], -1)
    arc_of_flow, target_of_flow = np.nonzero(is_flow)
    places[arc_of_flow, target_of_flow] = np.arange(arcs, arcs + len(arc_of_flow))
    return _Flows(places, len(arc_of_flow), arc_of_flow)


def _grouped(ends: Ints, flows: _Flows, words: int) -> tuple[Ints, Ints]:
    """Sort what is carried by (word at this end, target); give the items and those keys."""
    arc, target = np.nonzero(flows.places >= 0)
    keys = (ends[arc] * (words + 1) + target + 1).astype(np.int16 if words < 180 else np.int32)
    order = np.argsort(keys, kind="stable")  # radix, for 16 bits
    return flows.places[arc[order], target[order]], keys[order].astype(np.int64)


def _starts(keys: Ints) -> Ints:
    """Give where runs of equal keys start, and the length of all."""
    changes = np.flatnonzero(np.diff(keys)) + 1
    return np.concatenate(([0], changes, [len(keys)]))


def flow_graph(problem: Problem) -> FactorGraph:
    """Build the graph with multi-commodity flow by logic factors."""
    words = problem.words
    flows = _flows(problem)
    arcs = len(problem.heads)
    graph = FactorGraph()
    graph.variables(problem.arc_scores)
    graph.variables(np.zeros(flows.flows))
    graph.implies(np.arange(arcs, arcs + flows.flows), flows.arc_of_flow)
    # The path (v, k) is a variable unless v is the root or k itself, where it is true.
    first = arcs + flows.flows
    path = np.full((words + 1) ** 2, -1)
    for ends in (problem.modifiers, problem.heads):
        items, keys = _grouped(ends, flows, words)
        starts = _starts(keys)
        owners = keys[starts[:-1]]
        true = (owners < words + 1) | (owners // (words + 1) == owners % (words + 1))
        unseen = owners[~true & (path[owners] < 0)]
        path[unseen] = first + np.arange(len(unseen))
        first += len(unseen)
        graph.variables(np.zeros(len(unseen)))
        lengths = np.diff(starts)
        of_true = np.repeat(true, lengths)
        graph.exactly_one(items[of_true], offsets=_offsets(lengths[true]))
        graph.define_exactly_one(
            path[owners[~true]], items[~of_true], offsets=_offsets(lengths[~true])
        )
    graph.pair(problem.pairs[:, 0], problem.pairs[:, 1], problem.pair_scores)
    return graph


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(lengths)))


class Program(NamedTuple):
    """The flow LP: maximise costs . x, 0 <= x <= 1, with bounds on the rows (CSR)."""

    costs: Floats
    row_lower: Floats
    row_upper: Floats
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: Floats
    arcs: int


def flow_program(problem: Problem) -> Program:
    """Write the LP: arcs, flows and pairs as columns; the paths are substituted.

    A pair needs only the inequalities that hold it down: below both arcs if its score is
    positive, above their sum less 1 if it is negative.
    """
    words, arcs = problem.words, len(problem.heads)
    flows = _flows(problem)
    into, into_keys = _grouped(problem.modifiers, flows, words)
    out, out_keys = _grouped(problem.heads, flows, words)
    # Balance of the unit of k at v: into - out = 0; at the root out = 1, at k into = 1.
    rows = np.concatenate((into_keys, out_keys))
    columns = np.concatenate((into, out))
    values = np.concatenate((np.ones(len(into)), -np.ones(len(out))))
    used = np.zeros((words + 1) ** 2, dtype=bool)
    used[rows] = True
    right = np.zeros((words + 1, words + 1))
    right[0, 1:] = -1.0
    np.fill_diagonal(right[1:, 1:], 1.0)
    balance = right.reshape(-1)[used]
    rows = (np.cumsum(used) - 1)[rows]
    order = np.argsort(rows, kind="stable")
    lengths = [np.bincount(rows, minlength=len(balance))]
    parts = [(columns[order], values[order])]
    lower, upper = [balance], [balance]

    def add(entries: Ints, signs: list[float], low: float, high: float) -> None:
        count, width = entries.shape
        lengths.append(np.full(count, width))
        parts.append((entries.reshape(-1), np.tile(signs, count)))
        lower.append(np.full(count, low))
        upper.append(np.full(count, high))

    flow_columns = np.arange(arcs, arcs + flows.flows)
    add(np.stack((flow_columns, flows.arc_of_flow), axis=1), [1.0, -1.0], -np.inf, 0.0)
    both = np.arange(len(problem.pairs)) + arcs + flows.flows
    good, bad = problem.pair_scores > 0, problem.pair_scores < 0
    for end in (0, 1):
        below = np.stack((both[good], problem.pairs[good, end]), axis=1)
        add(below, [1.0, -1.0], -np.inf, 0.0)
    above = np.stack((problem.pairs[bad, 0], problem.pairs[bad, 1], both[bad]), axis=1)
    add(above, [1.0, 1.0, -1.0], -np.inf, 1.0)
    starts = _offsets(np.concatenate(lengths)).astype(np.int32)
    return Program(
        np.concatenate((problem.arc_scores, np.zeros(flows.flows), problem.pair_scores)),
        np.concatenate(lower),
        np.concatenate(upper),
        starts,
        np.concatenate([part for part, _ in parts]).astype(np.int32),
        np.concatenate([part for _, part in parts]),
        arcs,
    )


def highs_for(
    program: Program, exact: bool = False, presolve: bool = True
) -> tuple[Any, tuple[Any, ...]]:
    """Make a solver (dual simplex, one thread) and the arguments of its `passModel`."""
    import highspy

    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in (
        ("output_flag", False),
        ("solver", "choose" if exact else "simplex"),
        ("simplex_strategy", 1),
        ("presolve", "on" if presolve else "off"),
        ("parallel", "off"),
        ("threads", 1),
        ("mip_rel_gap", 0.0),
    ):
        highs.setOptionValue(name, value)
    columns = len(program.costs)
    integrality = np.zeros(columns, dtype=np.int32)
    if exact:
        integrality[: program.arcs] = int(highspy.HighsVarType.kInteger)
    return highs, (
        columns,
        len(program.row_lower),
        len(program.values),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        program.costs,
        np.zeros(columns),
        np.ones(columns),
        program.row_lower,
        program.row_upper,
        program.starts,
        program.columns,
        program.values,
        integrality,
    )


def run_highs(highs: Any, model: tuple[Any, ...]) -> float:
    """Pass the model and solve it; give the optimum."""
    highs.passModel(*model)
    highs.run()
    return float(highs.getInfo().objective_function_value)
