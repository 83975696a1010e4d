"""toulbar2 as a solver: exact search on cost function networks (extra ``toulbar2``)."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from turbotree.arrays import BoolArray
from turbotree.errors import InfeasibleError, InputError, MissingExtraError
from turbotree.graphs import FactorGraph, Solution, Status, Trace
from turbotree.graphs.factors.blocks import Block, Factor, Kind
from turbotree.graphs.formats.folding import Folded, fold, unfolded
from turbotree.graphs.formats.functions import Exceptions
from turbotree.graphs.formats.writing import WholeCosts, whole_costs
from turbotree.graphs.solvers.options import Limits
from turbotree.integrations._linear_sums import Sum, broken_trees, logic_sums, tree_sums
from turbotree.interrupts import check
from turbotree.quantities import as_flag, as_positive

#: All costs together: far below what toulbar2 and floating point can count.
_MOST_COST = 2**48
_MOST_ENTRIES = 1 << 16


def toulbar2(
    graph: FactorGraph,
    *,
    tolerance: float = 1e-6,
    time_limit_seconds: float | None = None,
    trace: bool = False,
) -> Solution:
    """Find the best assignment and prove it, by toulbar2 (``pip install 'turbotree[toulbar2]'``).

    Groups of which exactly one is true become one variable each, small factors tables, large
    factors of logic linear constraints. Trees are kept by constraints against the cycles that
    appear. toulbar2 counts in whole costs, so scores are rounded; the bound allows for that.

    Parameters
    ----------
    graph : FactorGraph
    tolerance : float
        OPTIMAL when value and bound differ by no more than this fraction of the bound, or of the
        mean size of the scores if that is larger. If scores differ so much in size that their
        rounding is coarser, the status is RELAXED and the bound says what is known.
    time_limit_seconds : float, optional
        Of toulbar2's processor time, in whole seconds.
    trace : bool
        Record bound and value of each run.

    Returns
    -------
    Solution
        `iterations` is the number of nodes of the search.

    Raises
    ------
    MissingExtraError
        Without the package pytoulbar2.
    InfeasibleError
        When no assignment is allowed.
    InputError
        When a factor is too large for a table, and none of logic.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.5, 2.0]))
    >>> solution = graph.solve("toulbar2")
    >>> solution.value, solution.status.name
    (2.5, 'OPTIMAL')
    """
    if importlib.util.find_spec("pytoulbar2") is None:
        raise MissingExtraError(
            "the solver toulbar2 needs pytoulbar2: pip install 'turbotree[toulbar2]'"
        )
    share = as_positive(tolerance, "tolerance")
    limits = Limits(time_limit_seconds)
    return _Search(graph, share, limits).solution(as_flag(trace, "trace"))


class _Search:
    def __init__(self, graph: FactorGraph, share: float, limits: Limits) -> None:
        self.graph = graph
        self.limits = limits
        self.share = share
        self.sums: list[Sum] = []
        self.trees: list[Factor] = []
        self.folded = fold(graph, max_entries=_MOST_ENTRIES, beyond=self._take)
        if any(isinstance(function, Exceptions) for function in self.folded.functions):
            raise InputError("toulbar2: a factor that is too large for a table")
        self.costs = _scaled(self.folded)
        self.sums += [cut for tree in self.trees for cut in tree_sums(tree)]

    def _take(self, block: Block, index: int) -> bool:
        factor = block.factor(index)
        if factor.kind is Kind.TREE:
            self.trees.append(factor)
            return True
        found = logic_sums(factor)
        self.sums += found
        return bool(found)

    def solution(self, trace: bool) -> Solution:
        best: BoolArray | None = None
        value, bound, nodes = -math.inf, math.inf, 0
        status = Status.LIMIT
        bounds: list[float] = []
        with _worker() as ask:
            while not self.limits.reached():
                seconds = self.limits.time_limit_seconds - self.limits.seconds
                answer = ask(self._problem(), seconds)
                if answer is None or (answer["status"] == "limit" and "values" not in answer):
                    break
                if answer["status"] == "infeasible":
                    raise InfeasibleError(
                        "no assignment satisfies all hard factors, evidence and scores"
                    )
                nodes += answer["nodes"]
                values = unfolded(self.folded.variables, answer["values"], len(self.graph))
                own = float(self.graph.value(values))
                if self._cost(answer["values"]) == answer["cost"] >= answer["bound"]:
                    bound = min(bound, self._score(answer["bound"]))
                if own > value:
                    best, value = values, own
                bounds.append(bound)
                cuts = [cut for tree in self.trees for cut in broken_trees(tree, values)]
                self.sums += cuts
                if not cuts or answer["status"] == "limit":
                    status = Status.LIMIT if answer["status"] == "limit" else Status.RELAXED
                    break
        bound = max(bound, value)
        allowed = self._tolerance(bound)
        if best is not None and bound - value <= allowed:
            status = Status.OPTIMAL
        rounds = list(range(1, len(bounds) + 1))
        return Solution(
            best,
            value,
            bound,
            status,
            nodes,
            self.limits.seconds,
            trace=Trace.of_bounds(rounds, bounds, [value] * len(bounds)) if trace else None,
            tolerance=allowed,
        )

    def _tolerance(self, bound: float) -> float:
        numbers = [self.graph.scores, *(block.scores for block in self.graph.blocks)]
        sizes = np.abs(np.concatenate(numbers))
        sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
        usual = float(sizes.mean()) if sizes.size else 0.0
        return self.share * max(usual, abs(bound) if math.isfinite(bound) else 0.0)

    def _score(self, cost: int) -> float:
        """Give a score that no assignment of at least this cost is above."""
        costs = self.costs
        score = costs.offset - cost / costs.scale + costs.error
        # Sums of scores are rounded, here and in the graph's value.
        largest = [
            np.abs(function.scores[function.scores > -np.inf]).max(initial=0.0)
            for function in costs.functions
        ]
        return score + float(np.finfo(float).eps) * (len(largest) + 10) * float(sum(largest))

    def _cost(self, values: list[int]) -> int | None:
        """Sum the costs of an assignment; None if it is forbidden."""
        total = 0
        for function, costs in zip(self.costs.functions, self.costs.costs, strict=True):
            own = int(costs[tuple(values[v] for v in function.scope)])
            if own < 0:
                return None
            total += own
        return total

    def _problem(self) -> dict[str, Any]:
        places = {v: (n, s) for n, g in enumerate(self.folded.variables) for s, v in enumerate(g)}
        alone = {group[0] for group in self.folded.variables if len(group) == 1}
        sums = []
        for terms, sign, number in self.sums:
            shown = []
            for literal, coefficient in terms:
                variable = literal if literal >= 0 else ~literal
                owner, state = places[variable]
                if literal < 0:  # 1 - x
                    number -= coefficient
                    coefficient = -coefficient
                shown.append((owner, 1 if variable in alone else state, coefficient))
            sums.append((shown, sign, number))
        return {
            "sizes": self.folded.sizes,
            "tables": [
                (
                    function.scope,
                    [None if cost < 0 else cost for cost in costs.reshape(-1).tolist()],
                )
                for function, costs in zip(self.costs.functions, self.costs.costs, strict=True)
            ],
            "sums": sums,
        }


def _scaled(folded: Folded) -> WholeCosts:
    """Make costs whole: by 1 if scores are whole numbers, else as finely as there is room for."""
    spans = []
    whole = True
    for function in folded.functions:
        finite = function.scores[function.scores > -np.inf]
        if finite.size:
            spans.append(float(finite.max() - finite.min()))
            whole = whole and bool((finite == np.rint(finite)).all())
    total = sum(spans)
    if whole and total < _MOST_COST:
        return whole_costs(folded.functions, 1.0)
    # A power of two, so that multiplying rounds nothing.
    scale = 2.0 ** math.floor(math.log2(_MOST_COST / total)) if total > 0 else 1.0
    return whole_costs(folded.functions, min(scale, 2.0**60))


@contextmanager
def _worker() -> Iterator[Any]:
    """Yield a function that has toulbar2 solve a problem in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "turbotree.integrations._toulbar2_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: SimpleQueue[str] = SimpleQueue()
    stdin, stdout = process.stdin, process.stdout

    def listen() -> None:
        for line in stdout:
            lines.put(line)
        lines.put("")

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()

    def answer(limits: Limits) -> dict[str, Any] | None:
        while not limits.reached():
            check()
            try:
                line = lines.get(timeout=0.02)
            except Empty:
                continue
            if not line:
                raise InputError("toulbar2 ended without an answer; the graph may be too large")
            found: dict[str, Any] = json.loads(line)
            return found
        return None

    def ask(problem: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        limit = None if math.isinf(seconds) else max(1, math.ceil(seconds))
        stdin.write(json.dumps({**problem, "seconds": limit}) + "\n")
        stdin.flush()
        # It counts processor time, which passes more slowly; beyond that, it is given up.
        return answer(Limits(None if limit is None else 2 * limit + 5))

    try:
        answer(Limits(60))
        yield ask
    finally:
        process.kill()
        process.wait()
        thread.join()
        stdin.close()
        stdout.close()
