"""Hot loops of turbotree.graphs."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Graph:
    def __init__(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], evidence: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chunks: dict[Any, Any]) -> None:
        """
        Join chunks, by the numbers of their kinds. Variables with a score of -inf are fixed to 0, which evidence must not contradict.
        """

    @property
    def links(self) -> int: ...

    @property
    def factors(self) -> int: ...

def factor_values(graph: Graph, chosen: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Factor score of each factor for the values of its links."""

def maximise(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """Each factor's best value and assignment under scores of its links."""

def max_messages(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def sum_messages(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Log partitions, messages and expected factor scores."""

def expectations(graph: Graph, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """How often each of the factor scores counts."""

def project(graph: Graph, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The quadratic subproblem of each factor, one row of targets after the other; the last answer is returned.
    """

class Answer:
    @property
    def status(self) -> int: ...

    @property
    def impossible_factor(self) -> int: ...

    @property
    def iterations(self) -> int: ...

    @property
    def value(self) -> float: ...

    @property
    def upper_bound(self) -> float: ...

    @property
    def seconds(self) -> float: ...

    @property
    def tolerance(self) -> float: ...

    @property
    def values(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))] | None: ...

    @property
    def all_values(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))] | None: ...

    @property
    def all_scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

    @property
    def relaxed(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

    @property
    def link_scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

    @property
    def consensus(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

    @property
    def penalty(self) -> float: ...

    @property
    def probabilities(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

    @property
    def expectations(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

    @property
    def log_partition(self) -> float: ...

    @property
    def entropy(self) -> float: ...

    @property
    def converged(self) -> bool: ...

    def take_trace(self) -> dict[str, Any] | None:
        """The columns of the trace, once."""

class Solver:
    def solve(self, graph: Graph, report: Any | None = None) -> Answer: ...

    def solve_in_turn(self, graphs: Sequence[Graph]) -> list[Answer]:
        """
        The answers of some graphs in their order, up to the first infeasible one.
        """

class Batch:
    def __init__(self, solver: Solver, threads: int) -> None: ...

    def add(self, graph: Graph) -> bool:
        """
        Hand over a graph; false if an earlier one has failed and no more are needed.
        """

    def next(self) -> Answer | None:
        """The answer of the next graph in their order; None after the last one."""

class Taming:
    @property
    def changed(self) -> bool: ...

    @property
    def ordered(self) -> bool: ...

    @property
    def margin(self) -> float: ...

    @property
    def most_lost(self) -> float: ...

def tame_costs(costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], level: bool, floor: float = float('-inf')) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Taming, float]:
    """
    Costs without masks that outweigh the rest, how they differ, and their usual size.
    """

def admm(max_iterations: int, residual_threshold: float, penalty: float, adapt_penalty: bool, step: float, extrapolate: bool, literal: bool, relative_gap: float, expectations: bool, time_limit_seconds: float, trace: bool, start: tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float] | None) -> Solver: ...

def branch_and_bound(max_nodes: int, max_rounds_per_node: int, relative_gap: float, time_limit_seconds: float, trace: bool, count: int = 1, keys: int = -1, same_size: bool = False, floor: float = float('-inf')) -> Solver: ...

def losses(graph: Graph, link_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """A bound, and how far it falls for each variable if that is 1, or 0."""

def values(graph: Graph, assignments: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The value of each assignment."""

def subgradient(rule: int, step: float, max_iterations: int, relative_gap: float, tree_share: float, literal: bool, projected: bool, time_limit_seconds: float, trace: bool) -> Solver: ...

def belief_propagation(sums: bool, schedule: int, max_iterations: int, tolerance: float, damping: float, expectations: bool, time_limit_seconds: float, trace: bool) -> Solver: ...

class SparsemapResult:
    @property
    def point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def expectations(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def multipliers(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def iterations(self) -> int: ...

    @property
    def converged(self) -> bool: ...

def sparsemap(graph: Graph, max_iterations: int, threshold: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> SparsemapResult: ...

def bethe_entropy(graph: Graph, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, max_steps: int) -> tuple[float, int]:
    """The entropy, and the factor that has no such belief or -1."""
