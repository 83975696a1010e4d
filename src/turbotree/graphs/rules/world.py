"""What rules are grounded in, and the tables of their variables' values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from turbotree.arrays import BoolArray
from turbotree.graphs.rules.relations import Ints, Relation
from turbotree.graphs.rules.syntax import Atom, Call, Member, Value

#: Codes from here on are texts; those below are whole numbers.
FIRST_TEXT = 2**40


class World(Protocol):
    """What rules are about: values, and which predicates hold of them, as far as that is known.

    Values have codes: a whole number is its own.
    """

    def domain(self, names: tuple[str, ...]) -> Ints:
        """Return the codes of the values that are in all of these domains."""

    def relation(self, atom: Atom) -> Relation | None:
        """Return the table of a predicate, a column for each argument that is no text in quotes;
        None if it is computed."""

    def holds(self, atom: Atom, columns: Sequence[Ints]) -> Ints:
        """Return the truth values of a computed predicate."""

    def function(self, call: Call, columns: Sequence[Ints]) -> Ints:
        """Return a function's values."""

    def members(self, member: Member) -> Relation | None:
        """Return the bindings of a function's arguments that give one of the values, or None."""

    def code(self, value: Value) -> int:
        """Return the code of a value."""

    def decode(self, code: int) -> Value:
        """Return the value of a code."""

    def texts(self, name: str) -> tuple[int, ...]:
        """Return the places of the arguments that are texts in quotes."""


class Bindings:
    """A table of values of variables, with the row of the table around it that each came from."""

    def __init__(self, columns: dict[str, Ints], size: int, origin: Ints | None = None) -> None:
        self.columns = columns
        self.size = size
        self.origin = np.arange(size) if origin is None else origin
        self.truths: list[Ints] = []

    def chosen(self, rows: Ints | BoolArray) -> Bindings:
        """Return some of the rows."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        origin = self.origin[rows]
        other = Bindings(columns, len(origin), origin)
        other.truths = [truth[rows] for truth in self.truths]
        return other
