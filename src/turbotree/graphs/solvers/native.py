"""Graphs on their way into the core, and the core's answers on their way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray
from turbotree.errors import InfeasibleError
from turbotree.graphs import _core, pictures
from turbotree.graphs.factors.blocks import Kind
from turbotree.graphs.factors.scores import ask_oracle
from turbotree.graphs.solution import Solution, Status, Trace, WarmStart

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: The core's numbers of how a solver ended.
_STATUS = (Status.OPTIMAL, Status.RELAXED, Status.LIMIT)
INFEASIBLE = 3
#: What one call of the core solves: many small graphs, and yet few in memory.
_GRAPHS_AT_ONCE = 64


def core_graph(graph: FactorGraph) -> _core.Graph:
    """Copy a graph into the core; variables that a score forbids are fixed to 0 there.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, -float("inf")]))
    >>> core_graph(graph).links
    2
    """
    scores, evidence, chunks = graph._joined_scores(), graph._evidence, graph._chunks
    if evidence is not None:
        clash = np.flatnonzero((evidence == 1) & (scores == -np.inf))
        if clash.size:
            name = graph.name(int(clash[0]))
            raise InfeasibleError(f"{name} is fixed to 1, but its score of -inf forbids that")
    if Kind.CUSTOM in chunks:
        asked = [
            chunk._replace(oracles=tuple(_core_oracle(oracle) for oracle in chunk.oracles))
            for chunk in chunks[Kind.CUSTOM]
        ]
        chunks = {**chunks, Kind.CUSTOM: asked}
    return _core.Graph(scores, evidence, chunks)


class Prepared(NamedTuple):
    """A solver of the core with its options, checked and ready for any number of graphs."""

    solver: _core.Solver
    #: Refuses graphs that the options do not fit.
    check: Callable[[FactorGraph, _core.Graph], None] | None = None

    def solve(
        self, graph: FactorGraph, report: Callable[[Solution], None] | None = None
    ) -> Solution:
        """Solve one graph; a solver that searches reports its best now and then."""
        compiled = core_graph(graph)
        if self.check is not None:
            self.check(graph, compiled)
        if report is None:
            return read_solution(graph, self.solver.solve(compiled))

        def told(value: float, bound: float, values: NDArray[np.uint8]) -> None:
            known = values.astype(np.bool_) if len(values) == len(graph) else None
            report(Solution(known, value, bound, Status.LIMIT, 0, 0.0))

        return read_solution(graph, self.solver.solve(compiled, told))

    def solve_in_turn(self, graphs: Iterable[FactorGraph]) -> Iterator[Solution]:
        """Solve graphs one after the other, a few with every call of the core."""
        waiting = iter(graphs)
        failure: Exception | None = None
        while failure is None:
            some: list[FactorGraph] = []
            compiled: list[_core.Graph] = []
            try:
                for graph in islice(waiting, _GRAPHS_AT_ONCE):
                    one = core_graph(graph)
                    if self.check is not None:
                        self.check(graph, one)
                    some.append(graph)
                    compiled.append(one)
            except Exception as error:
                failure = error  # unless a graph before this one fails
            if not some:
                break
            answers = self.solver.solve_in_turn(compiled)  # an infeasible one is the last
            yield from map(read_solution, some, answers)
        if failure is not None:
            raise failure

    def solve_many(
        self, graphs: Iterator[FactorGraph], threads: int
    ) -> tuple[list[Solution], FactorGraph | None]:
        """Solve graphs on threads of the core, which begin while later graphs are still copied.

        Returns
        -------
        list of Solution
            In the order of the graphs.
        FactorGraph or None
            The first graph with factors that are Python functions; these threads cannot ask them.
        """
        batch = _core.Batch(self.solver, threads)
        taken: list[FactorGraph] = []
        foreign = failure = None
        try:
            for graph in graphs:
                if graph.asks_python:
                    foreign = graph
                    break
                compiled = core_graph(graph)
                if self.check is not None:
                    self.check(graph, compiled)
                more = batch.add(compiled)
                taken.append(graph)
                if not more:
                    break
        except Exception as error:
            failure = error  # unless a graph before this one fails
        found = []
        for graph in taken:
            answer = batch.next()
            assert answer is not None
            found.append(read_solution(graph, answer))
        if failure is not None:
            raise failure
        return found, foreign


def read_solution(graph: FactorGraph, answer: _core.Answer) -> Solution:
    """Make a solution of the core's answer, or raise what it says."""
    if answer.status == INFEASIBLE:
        raise infeasible(graph, answer.impossible_factor)
    link_scores, consensus = answer.link_scores, answer.consensus
    trace = answer.take_trace()
    return Solution(
        answer.values,
        answer.value,
        answer.upper_bound,
        _STATUS[answer.status],
        answer.iterations,
        answer.seconds,
        answer.relaxed,
        None if trace is None else read_trace(trace),
        None
        if link_scores is None or consensus is None
        else WarmStart(link_scores, consensus, answer.penalty),
        None if answer.expectations is None else split_by_block(graph, answer.expectations),
        answer.tolerance,
    )


def read_trace(columns: Mapping[str, FloatArray]) -> Trace:
    """Give the trace in an answer; columns that the solver does not have are not known."""
    unknown = np.full(len(columns["iteration"]), np.nan)
    return Trace(**{name: columns.get(name, unknown) for name in Trace.__slots__})


def split_by_block(graph: FactorGraph, numbers: FloatArray) -> tuple[FloatArray, ...]:
    """Give each block its part of numbers that stand for the factor scores of all blocks."""
    chunks = graph._chunks
    ends = np.cumsum([sum(len(one.scores) for one in chunks[kind]) for kind in graph.kinds])
    return tuple(np.split(numbers, ends[:-1])) if len(ends) else ()


def infeasible(graph: FactorGraph, factor: int = -1) -> InfeasibleError:
    """Say that no assignment is allowed; name the factor that is to blame, if one is.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0], names="ab"))
    >>> print(infeasible(graph, 0))
    exactly_one(a, b) cannot hold together with the evidence and the other hard factors
    """
    if factor < 0:
        return InfeasibleError("no assignment satisfies all hard factors, evidence and scores")
    return InfeasibleError(
        f"{name_factor(graph, factor)} cannot hold together with the evidence and the other "
        "hard factors"
    )


def name_factor(graph: FactorGraph, factor: int) -> str:
    """Say what a factor says, by its number among those of all blocks."""
    for block in graph.blocks:
        if factor < len(block):
            return pictures.factor_text(graph, block, factor)
        factor -= len(block)
    raise IndexError(factor)


def _core_oracle(oracle: Callable[..., Any]) -> Callable[..., tuple[NDArray[np.uint8], float]]:
    def ask(scores: FloatArray) -> tuple[NDArray[np.uint8], float]:
        values, own = ask_oracle(oracle, scores)
        return values.astype(np.uint8), own

    return ask
