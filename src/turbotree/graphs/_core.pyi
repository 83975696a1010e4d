"""Hot loops of turbotree.graphs."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Graph:
    def __init__(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pins: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], blocks: Sequence[tuple[Any, ...]]) -> None: ...

    @property
    def links(self) -> int: ...

    @property
    def factors(self) -> int: ...

def factor_values(graph: Graph, chosen: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Own score of each factor for the values of its links."""

def maximise(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """Each factor's best value and assignment under scores of its links."""

def max_messages(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def sum_messages(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Log partitions, messages and expected own scores."""

def project(graph: Graph, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The quadratic subproblem of each factor, one row of targets after the other; the last answer is returned.
    """

def admm(graph: Graph, max_iterations: int, residual_threshold: float, penalty: float, adapt_penalty: bool, step: float, extrapolate: bool, relative_gap: float, time_limit_seconds: float, trace: bool, start: tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float] | None) -> dict[str, Any]: ...

def branch_and_bound(graph: Graph, max_nodes: int, max_rounds_per_node: int, relative_gap: float, time_limit_seconds: float, trace: bool) -> dict[str, Any]: ...

def belief_propagation(graph: Graph, sums: bool, schedule: int, max_iterations: int, tolerance: float, damping: float, time_limit_seconds: float, trace: bool) -> dict[str, Any]: ...

def bethe_entropy(graph: Graph, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, max_steps: int) -> dict[str, Any]: ...

def subgradient(graph: Graph, rule: int, step: float, max_iterations: int, relative_gap: float, time_limit_seconds: float, trace: bool) -> dict[str, Any]: ...
