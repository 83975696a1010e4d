"""Second-order parsing problems for toulbar2: `pip install pytoulbar2`.

One variable per word, whose values are its candidate heads; a table for each pair of words. Cycles
are forbidden when they appear, as toulbar2 has no constraint for trees, and the problem is solved
again.
"""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from courses import Course, Watch
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
        new = _cycles(_chosen(answer[0], heads))
        if not new:
            return Found(-answer[1], ended - started, ended - asked, times)
        cycles += new


def course(problem: Problem, limit_seconds: float) -> Course:
    """Do the same, and read what it prints: what it knew, and when.

    Its bounds are bounds on trees, too; an assignment counts if it is a tree.
    """
    import pytoulbar2  # noqa: F401 - loading is not timed

    watch = Watch(limit_seconds)
    cycles: list[list[Arc]] = []
    while not watch.is_over():
        network, heads = _network(problem, cycles)
        network.Option.verbose = 0
        asked = watch.spent
        with _printed() as lines:
            answer = network.Solve(showSolutions=1, timeLimit=max(1, math.ceil(watch.left)))
        for seconds, value, bound in _told(lines, heads):
            watch.note(value, bound, asked + seconds)
        if answer is None or watch.is_over():
            break
        new = _cycles(_chosen(answer[0], heads))
        if not new:
            watch.note(-answer[1], -answer[1])
            return watch.course(True)
        cycles += new
    return watch.course(False)


_TIME = re.compile(r"([0-9.]+) seconds\)")
_BOUNDS = re.compile(r"^Optimality gap: \[([-+.0-9e]+), ")
_SOLUTION = re.compile(r"^New solution: ([-+.0-9e]+) ")


def _told(lines: list[str], heads: list[list[int]]) -> Iterator[tuple[float, float, float]]:
    """Give seconds, value and bound of each line that has them; a solution follows its line."""
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        found = _TIME.search(line)
        if found is None:
            continue
        seconds = float(found[1])
        if (bound := _BOUNDS.match(line)) is not None:
            yield seconds, -math.inf, -float(bound[1])
        elif (cost := _SOLUTION.match(line)) is not None and not _cycles(
            _chosen([int(number) for number in after.split()], heads)
        ):
            yield seconds, -float(cost[1]), math.inf


@contextmanager
def _printed() -> Iterator[list[str]]:
    """Collect what the block prints, from whatever language."""
    lines: list[str] = []
    sys.stdout.flush()
    with tempfile.TemporaryFile("w+") as file:
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield lines
        finally:
            os.dup2(before, 1)
            os.close(before)
        file.seek(0)
        lines += file.read().splitlines()


def _chosen(values: list[int], heads: list[list[int]]) -> list[int]:
    return [int(heads[word][value]) for word, value in enumerate(values)]


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
