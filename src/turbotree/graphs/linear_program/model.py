"""A linear program that grows by arrays: columns, then rows over columns or their negations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from turbotree.arrays import FloatArray, IntArray, LongArray

Ints = LongArray


class Program(NamedTuple):
    """The finished program: maximise costs . x with bounds on columns and rows (CSR)."""

    costs: FloatArray
    column_lower: FloatArray
    column_upper: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    starts: IntArray
    columns: IntArray
    values: FloatArray


class Model:
    """Columns and rows in chunks.

    Examples
    --------
    Maximise x0 + 2 x1 where exactly one of x0 and "not x1" holds:

    >>> model = Model()
    >>> first = model.add_columns(np.array([1.0, 2.0]))
    >>> model.add_rows(np.array([2]), np.array([0, 1]), np.ones(2), 1.0, 1.0, np.array([0, 1]))
    >>> program = model.finish()
    >>> program.values, program.row_lower, program.row_upper
    (array([ 1., -1.]), array([0.]), array([0.]))
    """

    def __init__(self) -> None:
        self.columns = 0
        self._columns: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        self._rows: list[tuple[Ints, Ints, FloatArray, FloatArray, FloatArray]] = []

    def add_columns(self, costs: FloatArray, lower: Any = 0.0, upper: Any = 1.0) -> int:
        """Add columns; a cost of -inf pins a column to 0. Give the first one's number."""
        forbidden = costs == -np.inf
        first = self.columns
        bounds = (np.broadcast_to(bound, costs.shape) for bound in (lower, upper))
        low, high = (np.where(forbidden, 0.0, bound) for bound in bounds)
        self._columns.append((np.where(forbidden, 0.0, costs), low, high))
        self.columns += len(costs)
        return first

    def add_rows(
        self,
        lengths: Any,
        columns: Any,
        values: FloatArray,
        lower: Any,
        upper: Any,
        negated: Any = None,
    ) -> None:
        """Add rows one after another: ``lower <= sum of values * columns <= upper``.

        Where ``negated``, the column x stands for 1 - x: its value changes sign and goes to the
        bounds.
        """
        count = len(lengths)
        if not count:
            return
        low = np.array(np.broadcast_to(lower, (count,)), dtype=np.float64)
        high = np.array(np.broadcast_to(upper, (count,)), dtype=np.float64)
        if negated is not None and np.any(negated):
            row = np.repeat(np.arange(count), lengths)
            constant = np.bincount(row, weights=values * negated, minlength=count)
            low -= constant
            high -= constant
            values = np.where(negated, -values, values)
        self._rows.append((np.asarray(lengths), np.asarray(columns), values, low, high))

    def finish(self) -> Program:
        """Join everything."""
        lengths, columns, values, low, high = (
            np.concatenate([np.zeros(0), *(part[at] for part in self._rows)]) for at in range(5)
        )
        costs, lower, upper = (
            np.concatenate([np.zeros(0), *(part[at] for part in self._columns)]) for at in range(3)
        )
        starts = np.zeros(len(lengths) + 1, dtype=np.int32)
        starts[1:] = np.cumsum(lengths)
        return Program(costs, lower, upper, low, high, starts, columns.astype(np.int32), values)
