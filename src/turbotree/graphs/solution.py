"""What solvers give back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import BoolArray, FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.literals import read_literals


class Status(Enum):
    """How a solver ended."""

    #: The assignment is proven to be the best one.
    OPTIMAL = "optimal"
    #: The relaxation is solved, but its solution is fractional: the value may be below the bound.
    RELAXED = "relaxed"
    #: Stopped by a limit on time or iterations.
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What happened in each round that was recorded; NaN where a solver has no such number.

    Attributes
    ----------
    iteration : int64 array
        The number of the round.
    upper_bound, value : float64 arrays
        The best bound and the best assignment's value so far.
    primal_residual, dual_residual : float64 arrays
        How far the factors disagree, and how far the agreement still moves.
    active : float64 array
        The share of factors solved in the round; of links, for ADMM.
    moving_variables, moving_factors, moving_links : float64 arrays
        For ADMM: the share of variables on which not all factors agree yet, or whose value has
        moved; of factors with such variables; and of these factors' links. The others would
        answer as in the round before.
    """

    iteration: LongArray
    upper_bound: FloatArray
    value: FloatArray
    primal_residual: FloatArray
    dual_residual: FloatArray
    active: FloatArray
    moving_variables: FloatArray
    moving_factors: FloatArray
    moving_links: FloatArray

    @classmethod
    def of_bounds(cls, iteration: list[int], upper_bound: list[float], value: list[float]) -> Trace:
        """Make the trace of a solver that has no residuals.

        >>> Trace.of_bounds([1, 2], [3.0, 2.0], [1.0, 2.0]).upper_bound
        array([3., 2.])
        """
        nothing = np.full(len(iteration), np.nan)
        return cls(
            np.array(iteration, dtype=np.int64),
            np.array(upper_bound, dtype=np.float64),
            np.array(value, dtype=np.float64),
            nothing,
            nothing,
            np.ones(len(iteration)),
            nothing,
            nothing,
            nothing,
        )

    def __len__(self) -> int:
        return len(self.iteration)

    def to_dict(self) -> dict[str, list[float | None]]:
        """Give lists, with None for what is not finite, so that JSON can hold them."""
        return {name: _listed(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True, eq=False)
class WarmStart:
    """Where a solver stopped: the links' shares of the scores, the consensus, the penalty.

    That of the subgradient method has the mean of its answers as its consensus, and no penalty, 0.
    """

    link_scores: FloatArray
    consensus: FloatArray
    penalty: float


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The answer of a solver to "which assignment is best?".

    Attributes
    ----------
    values : bool array of shape (N,), or None
        The best assignment found; None if none was.
    value : float
        Its score; ``-inf`` if there is none.
    upper_bound : float
        No assignment has a higher score than this.
    status : Status
    iterations : int
        Rounds, in the solver's own measure.
    seconds : float
        Wall-clock time of the solver.
    relaxed : float64 array of shape (N,), or None
        The solution of the relaxation, between 0 and 1, if the solver has one.
    trace : Trace or None
        What happened in each round, if asked for.
    warm_start : WarmStart or None
        What :func:`admm` can go on from.
    factor_marginals : tuple of float64 arrays, or None
        If asked for by ``factors=True``: one array per block of the graph, aligned with the
        block's ``scores``. Each entry says how often the relaxed solution uses that factor score.
    tolerance : float
        Values and bounds that differ by no more than this count as equal.

    Examples
    --------
    >>> solution = Solution(np.array([True, False]), 1.5, 1.5, Status.OPTIMAL, 3, 0.01)
    >>> solution.gap
    0.0
    >>> solution[0], solution[~0], solution[[0, ~1]]
    (True, False, array([ True,  True]))
    >>> print(solution)
    optimal: value 1.5, bound 1.5, gap 0, 1 of 2 variables true, 3 iterations, 0.01 s
    """

    values: BoolArray | None
    value: float
    upper_bound: float
    status: Status
    iterations: int
    seconds: float
    relaxed: FloatArray | None = None
    trace: Trace | None = None
    warm_start: WarmStart | None = None
    factor_marginals: tuple[FloatArray, ...] | None = None
    tolerance: float = 0.0

    def __getitem__(self, literals: Any) -> Any:
        """Give the value of a literal, or of each in an array."""
        if self.values is None:
            raise InputError("solution[...]: no assignment was found, so literals have no values")
        return _of_literals(self.values, ~self.values, literals, "solution[...]")

    __iter__ = None  # a literal is no position

    @property
    def gap(self) -> float:
        """How much better than this answer another one could be, at most."""
        if self.upper_bound == self.value:
            return 0.0
        return max(0.0, self.upper_bound - self.value)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, with None for what is not finite."""
        return {
            "status": self.status.value,
            "value": _plain(self.value),
            "upper_bound": _plain(self.upper_bound),
            "gap": _plain(self.gap),
            "values": None if self.values is None else self.values.tolist(),
            "relaxed": None if self.relaxed is None else _listed(self.relaxed),
            "iterations": self.iterations,
            "seconds": self.seconds,
            "trace": None if self.trace is None else self.trace.to_dict(),
        }

    def __str__(self) -> str:
        if self.values is None:
            found = "no assignment found"
        else:
            found = f"{int(self.values.sum())} of {len(self.values)} variables true"
        return (
            f"{self.status.value}: value {self.value:.6g}, bound {self.upper_bound:.6g}, "
            f"gap {self.gap:.3g}, {found}, {_counted(self.iterations)}, {self.seconds:.3g} s"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """The answer of a solver to "how probable is each variable?".

    Attributes
    ----------
    probabilities : float64 array of shape (N,)
        The (approximate) probability that each variable is 1.
    log_partition : float
        Logarithm of the sum of exp(score) over all assignments, or its approximation.
    entropy : float
        Of the distribution over assignments, in nats, or its approximation.
    converged : bool
        Whether the method converged; always true for exact ones.
    iterations : int
    seconds : float
        Wall-clock time.
    trace : Trace or None
    factor_marginals : tuple of float64 arrays, or None
        If asked for by ``factors=True``: one array per block of the graph, aligned with the
        block's ``scores``. Each entry is the (approximate) probability that the score counts:
        that both variables of a pair are 1, that two siblings are consecutive, that a table's cell
        or a transition is chosen. It is the derivative of the log partition.

    Examples
    --------
    >>> marginals = Marginals(np.array([0.25, 0.5]), 1.3863, 1.2555, True, 1, 0.002)
    >>> print(marginals)
    converged: log partition 1.3863, entropy 1.2555, 2 variables, 1 iteration, 0.002 s
    >>> marginals[0], marginals[~0], marginals[[0, ~1]]
    (0.25, 0.75, array([0.25, 0.5 ]))
    """

    probabilities: FloatArray
    log_partition: float
    entropy: float
    converged: bool
    iterations: int
    seconds: float
    trace: Trace | None = None
    factor_marginals: tuple[FloatArray, ...] | None = None
    tolerance: float = 0.0

    def __getitem__(self, literals: Any) -> Any:
        """Give the probability that a literal is true, or that each in an array is."""
        return _of_literals(
            self.probabilities, 1.0 - self.probabilities, literals, "marginals[...]"
        )

    __iter__ = None  # a literal is no position

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, with None for what is not finite."""
        return {
            "converged": self.converged,
            "log_partition": _plain(self.log_partition),
            "entropy": _plain(self.entropy),
            "probabilities": _listed(self.probabilities),
            "iterations": self.iterations,
            "seconds": self.seconds,
            "trace": None if self.trace is None else self.trace.to_dict(),
            "factor_marginals": (
                None
                if self.factor_marginals is None
                else [_listed(block) for block in self.factor_marginals]
            ),
        }

    def __str__(self) -> str:
        word = "converged" if self.converged else "not converged"
        return (
            f"{word}: log partition {self.log_partition:.6g}, entropy {self.entropy:.6g}, "
            f"{len(self.probabilities)} variables, {_counted(self.iterations)}, "
            f"{self.seconds:.3g} s"
        )


def recorded(solution: Solution) -> Trace:
    """Give the trace of a solution; an error if none was asked for.

    >>> recorded(Solution(None, -np.inf, np.inf, Status.LIMIT, 0, 0.0))
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: this solution has no trace; solve with trace=True
    """
    if solution.trace is None:
        raise InputError("this solution has no trace; solve with trace=True")
    return solution.trace


def _of_literals(true: NDArray[Any], false: NDArray[Any], literals: Any, where: str) -> Any:
    """Look literals up: one gives a plain value, an array an array of its shape."""
    read = read_literals(literals, where)
    negated = read < 0
    variables = np.where(negated, ~read, read)
    if variables.size and variables.max() >= len(true):
        wrong = read[variables >= len(true)].flat[0]
        raise InputError(
            f"{where}: expected variables from 0 to {len(true) - 1} or their negations, "
            + (f"got {wrong}" if wrong >= 0 else f"got ~{~wrong}")
        )
    found = np.where(negated, false[variables], true[variables])
    return found if found.ndim else found.item()


def _plain(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _listed(array: NDArray[Any]) -> list[float | None]:
    return [_plain(number) for number in array.tolist()]


def _counted(iterations: int) -> str:
    return f"{iterations} iteration" + "s" * (iterations != 1)
