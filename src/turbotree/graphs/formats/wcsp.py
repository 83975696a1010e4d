"""WCSP files, the classic format of toulbar2: whole costs, and a limit that they stay below."""

from __future__ import annotations

import math

import numpy as np

from turbotree.arrays import LongArray
from turbotree.errors import InputError
from turbotree.graphs.formats.arithmetic import PARAMETERS, arithmetic, refuse
from turbotree.graphs.formats.encoding import encode
from turbotree.graphs.formats.functions import (
    MOST_VARIABLES,
    Budget,
    Exceptions,
    Function,
    Table,
    by_exceptions,
)
from turbotree.graphs.formats.network import Network
from turbotree.graphs.formats.uai import read_scope, read_sizes
from turbotree.graphs.formats.words import Words

_COST = "a cost, a whole number from 0"
_VALUE = "a value"


def read_wcsp(path: str) -> Network:
    """Read a network; the score of an assignment is its cost, negated."""
    words = Words(path)
    words.word("the problem's name")
    variables = words.count("a number of variables", 0, MOST_VARIABLES)
    words.whole("the largest number of values")
    functions = words.count("a number of cost functions", 0, MOST_VARIABLES * 16)
    top = float(words.numbers(1, "the upper bound, a whole number")[0])
    if top < 0 or not top.is_integer():
        raise words.wrong(f"expected the upper bound, a whole number from 0, got {top:.15g}")
    sizes = read_sizes(words, variables)
    reader = _Reader(words, sizes, top)
    found = [reader.function() for _ in range(functions)]
    words.end()
    return encode(
        [str(v) for v in range(variables)],
        [range(size) for size in sizes],
        found,
        "cost",
        floor=-top,
        whole=True,
    )


class _Reader:
    """Reads functions; those that begin with a negative arity can be used again."""

    def __init__(self, words: Words, sizes: list[int], top: float) -> None:
        self.words = words
        self.sizes = sizes
        self.top = top
        self.budget = Budget()
        self.shared: list[Function] = []

    def function(self) -> Function:
        words = self.words
        variables = len(self.sizes)
        arity = words.count("a number of variables of a function", -variables, variables)
        scope = read_scope(words, abs(arity), variables)
        sizes = [self.sizes[v] for v in scope]
        default = words.whole("a default cost, or -1")
        try:
            if default == -1:
                return self._formula(scope, sizes)
            if default < 0:
                raise words.wrong(f"expected a default cost from 0, or -1, got {default}")
            count = words.whole("a number of tuples")
            if count < 0:
                return self._again(-count, scope, sizes)
            found = self._listed(scope, sizes, -self._cost(float(default)), count)
        except MemoryError:
            raise words.wrong("a table too large for the memory") from None
        if arity < 0:
            self.shared.append(found)
        return found

    def _cost(self, cost: float) -> float:
        return math.inf if cost >= self.top else cost

    def _listed(
        self, scope: tuple[int, ...], sizes: list[int], default: float, count: int
    ) -> Function:
        words = self.words
        if count > math.prod(sizes):
            raise words.wrong(f"{count} tuples, and there are {math.prod(sizes)} combinations")
        self._spend(count, len(scope) + 1)
        numbers = words.numbers(count * (len(scope) + 1), "a value or a cost, whole numbers")
        rows = numbers.reshape(count, len(scope) + 1)
        wrong = rows != np.floor(rows)
        wrong |= (rows < 0) | (rows >= np.array([*sizes, np.inf]))
        if wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            what = f"{_VALUE} from 0 to {sizes[column] - 1}" if column < len(sizes) else _COST
            raise words.wrong(
                f"expected {what}, got {rows[row, column]:.15g}",
                min((count - row) * rows.shape[1] - column, numbers.size),
            )
        costs = np.where(rows[:, -1] >= self.top, np.inf, rows[:, -1])
        tuples: LongArray = rows[:, :-1].astype(np.int64)
        try:
            return by_exceptions(scope, sizes, default, tuples, -costs, self.budget)
        except InputError as error:
            raise words.wrong(str(error)) from None

    def _spend(self, *sizes: int) -> None:
        try:
            self.budget.spend(sizes)
        except InputError as error:
            raise self.words.wrong(str(error)) from None

    def _again(self, number: int, scope: tuple[int, ...], sizes: list[int]) -> Function:
        """Use a function for other variables."""
        if number > len(self.shared):
            raise self.words.wrong(
                f"function {number} of those to share; {len(self.shared)} have been defined"
            )
        found = self.shared[number - 1]
        if [self.sizes[v] for v in found.scope] != sizes:
            raise self.words.wrong(f"shared function {number} has variables of other sizes")
        if isinstance(found, Table):
            return Table(scope, found.scores)
        return Exceptions(scope, found.default, found.tuples, found.scores, found.everywhere)

    def _formula(self, scope: tuple[int, ...], sizes: list[int]) -> Function:
        words = self.words
        name = words.word("the name of a global cost function")
        if name not in PARAMETERS or len(scope) != 2:
            raise words.wrong(str(refuse(name)))
        parameters = [
            float(words.numbers(1, f"a parameter of {name}")[0]) for _ in range(PARAMETERS[name])
        ]
        self._spend(*sizes)
        costs = arithmetic(name, (sizes[0], sizes[1]), parameters)
        if (costs < 0).any() or not (np.isinf(costs) | (costs == np.floor(costs))).all():
            raise words.wrong(f"{name}: expected parameters that are whole numbers")
        return Table(scope, -np.where(costs >= self.top, np.inf, costs))
