"""Costs that HiGHS can trust: its tolerances are absolute, users' scores come in any unit.

The counterpart of ``core/graphs/presolve/presolve.h`` for linear programs: where exactly one of
several columns is 1, the largest of their costs is subtracted from each; costs that outweigh all
smaller ones together are tamed; and all are divided by a power of two, so that a usual one is about
1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.graphs import _core
from turbotree.graphs.linear_program.model import Program

#: Values are compared up to this share of a usual cost, and to this share of the largest one. The
#: simplex method ends in a vertex, whose value differs from the bound by rounding alone; and where
#: most costs are masks, a usual one is a mask, of which a larger share would hide the other costs.
_RELATIVE_GAP = 1e-11
_ROUNDING = 1e-12
#: How much of a tamed column counts as some of it.
_SOME = 1e-6


class Presolved(NamedTuple):
    """A program with the same best solutions, and the way back to the costs as they were."""

    program: Program
    unit: float
    #: What was subtracted in all, in units.
    constant: float
    taming: _core.Taming
    tamed_columns: LongArray
    largest: float

    def trusts(self, columns: FloatArray) -> bool:
        """Tell whether a solution is one of the program as it was."""
        return self.taming.ordered or not (columns[self.tamed_columns] > _SOME).any()

    def tolerance(self, bound: float) -> float:
        """Return how near to a bound, in units, a value has to be to count as equal."""
        most = max(1.0, 0.5 * np.count_nonzero(self.program.costs))
        size = min(max(abs(bound), 1.0), most)
        return self.unit * (_RELATIVE_GAP * size + _ROUNDING * self.largest)


def presolve(program: Program, *, level: bool = False, floor: float = -math.inf) -> Presolved:
    """Give a program costs of about 1.

    Parameters
    ----------
    program
        The first columns are between 0 and 1, all with costs are.
    level
        Keep the order of solutions that cannot do without masks of different sizes.
    floor
        Then, solutions below this do not matter.

    Examples
    --------
    >>> from turbotree.graphs.linear_program.model import Model
    >>> model = Model()
    >>> first = model.add_columns(np.array([-1e9, 4e6, 4e6 + 64]))
    >>> model.add_rows([3], [0, 1, 2], np.ones(3), 1.0, 1.0)
    >>> found = presolve(model.finish())
    >>> found.program.costs, found.unit, found.constant
    (array([-4., -1.,  0.]), 64.0, 62501.0)
    """
    costs, constant = _shifted(program)
    tamed, taming, usual = _core.tame_costs(costs, level, floor - constant)
    columns = np.flatnonzero(tamed != costs) if taming.changed else np.zeros(0, dtype=np.int64)
    unit = 2.0 ** math.floor(math.log2(usual)) if usual > 0 else 1.0
    scaled = tamed / unit
    largest = float(np.abs(scaled).max(initial=0.0))
    return Presolved(
        program._replace(costs=scaled), unit, constant / unit, taming, columns, largest
    )


def _shifted(program: Program) -> tuple[FloatArray, float]:
    """Subtract the largest cost of columns of which exactly one is 1, from each of them."""
    costs = program.costs.copy()
    constant = 0.0
    lengths = np.diff(program.starts)
    is_choice = (program.row_lower == 1.0) & (program.row_upper == 1.0) & (lengths > 0)
    for row in np.flatnonzero(is_choice):
        entries = slice(program.starts[row], program.starts[row + 1])
        if (program.values[entries] != 1.0).any():
            continue
        own = program.columns[entries]
        own = own[program.column_upper[own] > 0.0]
        most = float(costs[own].max(initial=-math.inf))
        if math.isfinite(most) and most != 0.0:
            costs[own] -= most
            constant += most
    return costs, constant
