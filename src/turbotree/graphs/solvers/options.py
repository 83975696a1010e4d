"""The options of each solver as types, and the clock of the limits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict

from turbotree.quantities import as_count, read_time_limit

if TYPE_CHECKING:
    from turbotree.graphs.solution import Solution


class LimitOptions(TypedDict, total=False):
    """What every solver of best assignments takes."""

    time_limit_seconds: float | None
    trace: bool


class AdmmOptions(LimitOptions, total=False):
    """The keywords of :func:`turbotree.graphs.admm`."""

    max_iterations: int
    residual_threshold: float
    penalty: float | None
    adapt_penalty: bool
    step: float
    extrapolate: bool
    literal: bool
    tolerance: float
    warm_start: Solution | None
    factors: bool


class SubgradientOptions(LimitOptions, total=False):
    """The keywords of :func:`turbotree.graphs.subgradient`."""

    max_iterations: int
    step: str | float
    tree_share: float | None
    literal: bool
    projected: bool
    tolerance: float


class BranchAndBoundOptions(LimitOptions, total=False):
    """The keywords of :func:`turbotree.graphs.branch_and_bound`."""

    max_nodes: int
    max_rounds_per_node: int
    tolerance: float


class Toulbar2Options(LimitOptions, total=False):
    """The keywords of :func:`turbotree.integrations.toulbar2.toulbar2`."""

    tolerance: float


class BruteForceOptions(LimitOptions, total=False):
    """The keywords of :func:`turbotree.graphs.brute_force`."""

    max_iterations: int | None
    max_variables: int


class LinearProgramOptions(LimitOptions, total=False):
    """The keywords of :func:`turbotree.graphs.linear_program`."""

    exact: bool
    max_iterations: int | None


class MaxProductOptions(LimitOptions, total=False):
    """The keywords of :func:`turbotree.graphs.max_product`."""

    max_iterations: int
    tolerance: float
    damping: float
    schedule: str


class SumProductOptions(MaxProductOptions, total=False):
    """The keywords of :func:`turbotree.graphs.sum_product`."""

    factors: bool


class BruteForceMarginalsOptions(TypedDict, total=False):
    """The keywords of :func:`turbotree.graphs.brute_force_marginals`."""

    max_variables: int
    factors: bool


class Limits:
    """A clock that starts when it is made, and the limits to hold it against.

    Examples
    --------
    >>> limits = Limits(time_limit_seconds=60, max_iterations=10)
    >>> limits.reached(9), limits.reached(10)
    (False, True)
    """

    def __init__(
        self, time_limit_seconds: float | None = None, max_iterations: int | None = None
    ) -> None:
        self.started = time.perf_counter()
        self.time_limit_seconds = read_time_limit(time_limit_seconds)
        self.max_iterations = (
            None if max_iterations is None else as_count(max_iterations, "max_iterations", 0)
        )

    @property
    def seconds(self) -> float:
        """Wall-clock time since the start."""
        return time.perf_counter() - self.started

    def reached(self, iteration: int = 0) -> bool:
        """Whether a limit is reached after so many rounds."""
        if self.max_iterations is not None and iteration >= self.max_iterations:
            return True
        return self.seconds >= self.time_limit_seconds
