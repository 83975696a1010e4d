"""Graphs on their way into the core, and the core's answers on their way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InfeasibleError
from turbotree.graphs import _core, pictures
from turbotree.graphs.kinds import ask_oracle
from turbotree.graphs.solution import Trace

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


def core_graph(graph: FactorGraph) -> _core.Graph:
    """Copy a graph into the core; variables that a score forbids are fixed to 0 there.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, -float("inf")]))
    >>> core_graph(graph).links
    2
    """
    scores = np.ascontiguousarray(graph.scores)
    pins = graph.evidence.copy()
    clash = np.flatnonzero((pins == 1) & (scores == -np.inf))
    if clash.size:
        name = graph.name(int(clash[0]))
        raise InfeasibleError(f"{name} is fixed to 1, but its score of -inf forbids that")
    pins[scores == -np.inf] = 0
    blocks = [
        (
            int(block.kind),
            block.offsets,
            block.variables,
            block.negated,
            block.extra_offsets,
            block.extras,
            block.shape_offsets,
            block.shapes,
            tuple(_core_oracle(oracle) for oracle in block.oracles),
        )
        for block in graph.blocks
    ]
    return _core.Graph(scores, pins, blocks)


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


def read_trace(answer: dict[str, Any]) -> Trace | None:
    """Give the trace in a solver's answer, if one was asked for."""
    return Trace(**answer["trace"]) if "trace" in answer else None


def read_values(answer: dict[str, Any], variables: int) -> NDArray[np.bool_] | None:
    """Give the assignment in a solver's answer, or None if it found none."""
    values: NDArray[np.uint8] = answer["values"]
    if answer["value"] == -np.inf or len(values) != variables:
        return None
    return values.astype(bool)


def _core_oracle(oracle: Callable[..., Any]) -> Callable[..., tuple[NDArray[np.uint8], float]]:
    def ask(scores: NDArray[np.float64]) -> tuple[NDArray[np.uint8], float]:
        values, own = ask_oracle(oracle, scores)
        return values.astype(np.uint8), own

    return ask
