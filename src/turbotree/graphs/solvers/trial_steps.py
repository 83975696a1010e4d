"""The first step of the subgradient method by trial, for each graph (Martins et al. 2011).

The paper takes the eta_0 that decreases the dual most within 20 rounds, and does not say among
which. Here they are the largest score of the graph, a half of it, a quarter, and so on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from turbotree.graphs.solution import Solution, Status

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: Rounds of a trial.
TRIAL_ROUNDS = 20
#: Steps that are tried, as shares of the largest score.
SHARES = tuple(2.0**-k for k in range(11))


@dataclass(frozen=True)
class TrialSteps:
    """The subgradient method with its options, but for the step.

    Attributes
    ----------
    prepare
        Makes a solver of the options, a step and a time limit.
    options
        The others.
    time_limit_seconds
        For one graph, trials included.
    """

    prepare: Callable[..., Any]
    options: Mapping[str, Any]
    time_limit_seconds: float

    def __post_init__(self) -> None:
        self._solver(1.0, self.time_limit_seconds)  # says what is wrong with the options

    def solve(
        self, graph: FactorGraph, report: Callable[[Solution], None] | None = None
    ) -> Solution:
        """Choose the step for a graph, and solve it."""
        started = time.perf_counter()
        chosen = self.choose(graph)
        solution: Solution = self._solver(chosen, self._left(started)).solve(graph)
        return solution

    def choose(self, graph: FactorGraph) -> float:
        """Return the step that lowers the bound most; of equals, the one that proves sooner."""
        started = time.perf_counter()
        best = None
        for step in steps_to_try(graph):
            left = self._left(started)
            found = self._solver(step, left, max_iterations=TRIAL_ROUNDS, trace=False).solve(graph)
            key = (found.upper_bound, found.status is not Status.OPTIMAL, found.iterations)
            if best is None or key < best[0]:
                best = key, step
        return 1.0 if best is None else best[1]

    def solve_in_turn(self, graphs: Iterable[FactorGraph]) -> Iterator[Solution]:
        """Solve graphs one after the other."""
        return map(self.solve, graphs)

    def solve_many(
        self, graphs: Iterator[FactorGraph], threads: int
    ) -> tuple[list[Solution], FactorGraph | None]:
        """Solve none in the core; the first graph is for threads of Python to begin with."""
        return [], next(graphs, None)

    def _left(self, started: float) -> float:
        return max(0.0, self.time_limit_seconds - (time.perf_counter() - started))

    def _solver(self, step: float, seconds: float, **more: Any) -> Any:
        limit = None if np.isinf(seconds) else seconds
        return self.prepare(**{**self.options, **more}, step=step, time_limit_seconds=limit)


def steps_to_try(graph: FactorGraph) -> list[float]:
    """Return the steps that a trial compares; none if nothing has a score.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.pair(*graph.variables([1.0, -2.0]), 0.5)
    >>> steps_to_try(graph)[:3]
    [2.0, 1.0, 0.5]
    """
    scores = [graph.scores, *(block.scores for block in graph.blocks)]
    finite = [np.abs(own[np.isfinite(own)]) for own in scores]
    largest = max((float(own.max(initial=0.0)) for own in finite), default=0.0)
    return [largest * share for share in SHARES] if largest > 0.0 else []


def trial_step(graph: FactorGraph, options: Mapping[str, Any]) -> float:
    """Return the step that a trial chooses for a graph, given the solver's options.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([1.0, 0.5])
    >>> graph.exactly_one([a, b])
    >>> graph.pair(a, b, 2.0)
    >>> trial_step(graph, {"literal": True, "projected": True}) in steps_to_try(graph)
    True
    """
    from turbotree.graphs.solvers.subgradient import prepare, subgradient

    usual = {**(subgradient.__kwdefaults__ or {}), **options, "step": "trial"}
    tried = prepare(**usual)
    assert isinstance(tried, TrialSteps)
    return tried.choose(graph)
