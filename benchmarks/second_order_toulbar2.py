"""Second-order parsing problems for toulbar2: `pip install pytoulbar2`.

One variable per word, whose values are its candidate heads; a table for each pair of words. Cycles
are forbidden when they appear, as toulbar2 has no constraint for trees, and the problem is solved
again.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from second_order import Problem

#: Digits of scores that count.
DIGITS = 6
_TOP = 10**6


@dataclass(frozen=True)
class Found:
    """What toulbar2 says: a proven optimum or none, and the CPU seconds that it took."""

    optimum: float | None
    seconds: float
    #: Of the last time it was asked, when it knew of all cycles that matter.
    last_seconds: float
    times_asked: int


Arc = tuple[int, int]


def solve(problem: Problem, limit_seconds: float) -> Found:
    """Find the best tree, and prove it."""
    cycles: list[list[Arc]] = []
    started = asked = time.process_time()
    times = 0
    while True:
        left = limit_seconds - (time.process_time() - started)
        if left <= 0:
            return Found(None, time.process_time() - started, math.nan, times)
        asked = time.process_time()
        network, heads = _network(problem, cycles)
        network.Option.verbose = -1
        answer = network.Solve(timeLimit=max(1, math.ceil(left)))
        times += 1
        ended = time.process_time()
        if answer is None or ended - started > limit_seconds:
            return Found(None, ended - started, math.nan, times)
        chosen = [int(heads[word][value]) for word, value in enumerate(answer[0])]
        new = _cycles(chosen)
        if not new:
            return Found(-answer[1], ended - started, ended - asked, times)
        cycles += new


def _network(problem: Problem, cycles: list[list[Arc]]) -> tuple[Any, list[list[int]]]:
    import pytoulbar2

    network = pytoulbar2.CFN(_TOP, resolution=DIGITS)
    heads: list[list[int]] = [[] for _ in range(problem.words)]
    costs: list[list[float]] = [[] for _ in range(problem.words)]
    place: list[Arc] = []
    for head, modifier, score in zip(
        problem.heads, problem.modifiers, problem.arc_scores, strict=True
    ):
        word = int(modifier) - 1
        place.append((word, len(heads[word])))
        heads[word].append(int(head))
        costs[word].append(-float(score))
    for word, own in enumerate(costs):
        network.AddVariable(f"w{word}", range(len(own)))
    for word, own in enumerate(costs):
        network.AddFunction([f"w{word}"], own)
    tables: dict[tuple[int, int], Any] = {}
    for (one, two), score in zip(problem.pairs, problem.pair_scores, strict=True):
        (i, a), (j, b) = sorted((place[int(one)], place[int(two)]))
        if i != j:
            table = tables.setdefault((i, j), np.zeros((len(heads[i]), len(heads[j]))))
            table[a, b] -= score
    for (i, j), table in tables.items():
        network.AddFunction([f"w{i}", f"w{j}"], table.reshape(-1).tolist())
    for cycle in cycles:
        terms = [(f"w{m - 1}", heads[m - 1].index(h), 1) for h, m in cycle]
        network.AddGeneralizedLinearConstraint(terms, "<=", len(cycle) - 1)
    return network, heads


def _cycles(heads: list[int]) -> list[list[Arc]]:
    """Find the cycles among chosen heads."""
    found: list[list[Arc]] = []
    seen: set[int] = set()
    for start in range(1, len(heads) + 1):
        path: list[int] = []
        at = start
        while at != 0 and at not in path and at not in seen:
            path.append(at)
            at = heads[at - 1]
        if at in path:
            found.append([(heads[m - 1], m) for m in path[path.index(at) :]])
        seen.update(path)
    return found
