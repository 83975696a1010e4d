"""Functions of a few multi-valued variables, as files give them: in full, or by exceptions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, LongArray
from turbotree.errors import InputError

#: A function with more combinations of values is kept as a list of exceptions.
LARGEST_TABLE = 1 << 16
#: All tables of a file together, in numbers of eight bytes.
MOST_ENTRIES = 1 << 24
#: Variables of a file, and values of all variables together.
MOST_VARIABLES = 1 << 20
MOST_VALUES = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One score for each combination of values.

    Attributes
    ----------
    scope : tuple of int
        The variables, in the order of the axes.
    scores : float64 array, one axis per variable
    """

    scope: tuple[int, ...]
    scores: FloatArray

    @property
    def best(self) -> float:
        """The largest score."""
        return float(self.scores.max())

    def without(self, floor: float) -> Table:
        """Forbid what is not above the floor."""
        return Table(self.scope, forbidden_up_to(self.scores, floor))


@dataclass(frozen=True, slots=True, eq=False)
class Exceptions:
    """One score for most combinations of values, and a list of others.

    Attributes
    ----------
    scope : tuple of int
    default : float
    tuples : int64 array of shape (T, K)
        Combinations that have other scores.
    scores : float64 array of shape (T,)
    everywhere : bool
        Whether there are no combinations beside those of the list.
    """

    scope: tuple[int, ...]
    default: float
    tuples: LongArray
    scores: FloatArray
    everywhere: bool

    @property
    def best(self) -> float:
        """The largest score."""
        listed = float(self.scores.max()) if len(self.scores) else -math.inf
        return listed if self.everywhere else max(listed, self.default)

    def without(self, floor: float) -> Exceptions:
        """Forbid what is not above the floor."""
        default = float(forbidden_up_to(np.array(self.default), floor))
        scores = forbidden_up_to(self.scores, floor)
        return Exceptions(self.scope, default, self.tuples, scores, self.everywhere)


Function = Table | Exceptions


def forbidden_up_to(scores: FloatArray, floor: float) -> FloatArray:
    """Give -inf for scores that are not above the floor."""
    return np.where(scores <= floor, -np.inf, scores)


class Budget:
    """How many numbers the tables of a file may still have.

    Examples
    --------
    >>> budget = Budget()
    >>> budget.spend([2, 3])
    6
    >>> budget.spend([10**6, 10**6])
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: a table of 1,000,000,000,000 entries; all tables of a file
        together may have 16,777,216
    """

    def __init__(self) -> None:
        self._left = MOST_ENTRIES

    def spend(self, sizes: Sequence[int]) -> int:
        """Count a table of a shape; return the number of its entries."""
        entries = math.prod(sizes)
        self._left -= entries
        if self._left < 0:
            raise InputError(
                f"a table of {entries:,} entries; all tables of a file together may have "
                f"{MOST_ENTRIES:,}"
            )
        return entries


def by_exceptions(
    scope: tuple[int, ...],
    sizes: Sequence[int],
    default: float,
    tuples: LongArray,
    scores: FloatArray,
    budget: Budget,
) -> Function:
    """Make a function of a default and exceptions: a table unless that is large.

    The values in `tuples` have been checked. Two exceptions for one combination are refused.
    """
    entries = math.prod(sizes)
    if entries <= LARGEST_TABLE or len(sizes) == 1:
        budget.spend(sizes)
        table = np.full(entries, default)
        places = np.zeros(len(tuples), dtype=np.int64)
        for axis, size in enumerate(sizes):
            places = places * size + tuples[:, axis]
        twice = _repeated(np.sort(places)[:, np.newaxis])
        if twice.any():
            raise InputError("two costs for one combination of values")
        table[places] = scores
        return Table(scope, table.reshape(tuple(sizes)))
    budget.spend([len(tuples), len(sizes)])
    order = np.lexsort(tuples.T[::-1]) if len(tuples) else np.zeros(0, dtype=np.int64)
    if _repeated(tuples[order]).any():
        raise InputError("two costs for one combination of values")
    return Exceptions(scope, default, tuples, scores, len(tuples) == entries)


def _repeated(rows: LongArray) -> BoolArray:
    repeated: BoolArray = (rows[1:] == rows[:-1]).all(axis=1)
    return repeated
