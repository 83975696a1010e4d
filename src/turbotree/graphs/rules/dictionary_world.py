"""Worlds made of dictionaries: rules for any graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs.rules.circuit import FALSE, TRUE
from turbotree.graphs.rules.relations import Ints, Relation
from turbotree.graphs.rules.syntax import Atom, Call, Member, Value
from turbotree.graphs.rules.vocabulary import ANY, Vocabulary
from turbotree.graphs.rules.world import FIRST_TEXT


class Codes:
    """Numbers for values: a whole number is its own, texts are numbered as they come.

    >>> codes = Codes()
    >>> codes.code(7), codes.decode(codes.code("ann"))
    (7, 'ann')
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []

    def code(self, value: Value) -> int:
        """Return the code of a value."""
        if not isinstance(value, str):
            if abs(value) >= FIRST_TEXT:
                raise InputError(f"rules know whole numbers up to 2**40, got {value}")
            return int(value)
        code = self._codes.get(value)
        if code is None:
            code = self._codes[value] = FIRST_TEXT + len(self._texts)
            self._texts.append(value)
        return code

    def decode(self, code: int) -> Value:
        """Return the value of a code."""
        return self._texts[code - FIRST_TEXT] if code >= FIRST_TEXT else code


class DictionaryWorld(Codes):
    """A world of predicates that are listed, for :meth:`turbotree.graphs.rules.Rules.apply`."""

    def __init__(
        self,
        variables: int,
        predicates: Mapping[str, Any],
        observed: Mapping[str, Any],
        functions: Mapping[str, Any],
        domains: Mapping[str, Iterable[Value]] | None,
    ) -> None:
        super().__init__()
        self._relations: dict[str, Relation] = {}
        self._functions: dict[str, dict[tuple[int, ...], int]] = {}
        self._seen: set[int] = set()
        columns: dict[str, list[set[int]]] = {}
        for name, given in predicates.items():
            columns[name] = self._add(name, given, variables)
        for name, given in observed.items():
            if name in columns:
                raise InputError(f"predicate {name!r} is both to be found and observed")
            columns[name] = self._add(name, given, None)
        for name, given in functions.items():
            columns[name] = self._add_function(name, given)
        self._domains = self._read_domains(domains)
        sorts = {name: tuple(map(self._sort, seen)) for name, seen in columns.items()}
        self.vocabulary = Vocabulary(
            {name: sorts[name] for name in self._relations},
            {name: sorts[name] for name in self._functions},
            tuple(self._domains),
        )

    def _add(self, name: str, given: Any, variables: int | None) -> list[set[int]]:
        """Read one predicate: a dictionary of literals, or true rows."""
        known = given if isinstance(given, Mapping) else dict.fromkeys(given, True)
        pairs = list(known.items())
        rows = [self._row(row) for row, _ in pairs]
        widths = {len(row) for row in rows}
        if len(widths) > 1:
            raise InputError(f"predicate {name!r}: rows of {min(widths)} and {max(widths)} values")
        truths = [self._truth(name, value, variables) for _, value in pairs]
        width = widths.pop() if widths else 0
        self._relations[name] = Relation.of(rows, truths, width)
        return [set(column) for column in zip(*rows, strict=True)]

    def _truth(self, name: str, value: Any, variables: int | None) -> int:
        if isinstance(value, bool | np.bool_):
            return TRUE if value else FALSE
        if variables is None or not isinstance(value, int | np.integer):
            expected = "True or False" if variables is None else "a literal of the graph"
            raise InputError(f"predicate {name!r}: expected {expected}, got {value!r}")
        literal = int(value)
        if not -variables <= literal < variables:
            raise InputError(
                f"predicate {name!r}: the graph has {variables} variables, got literal {literal}"
            )
        return literal

    def _add_function(self, name: str, given: Any) -> list[set[int]]:
        values = {self._row(row): self.code(value) for row, value in given.items()}
        self._functions[name] = values
        widths = {len(row) for row in values}
        if len(widths) > 1:
            raise InputError(f"function {name!r}: rows of {min(widths)} and {max(widths)} values")
        return [set(column) for column in zip(*values, strict=True)]

    def _row(self, row: Any) -> tuple[int, ...]:
        values = row if isinstance(row, tuple) else (row,)
        for value in values:
            if not isinstance(value, str | int | np.integer):
                raise InputError(f"expected names and whole numbers, got {value!r}")
        codes = tuple(self.code(value) for value in values)
        self._seen.update(codes)
        return codes

    def _read_domains(self, domains: Mapping[str, Iterable[Value]] | None) -> dict[str, Ints]:
        if domains is None:
            return {"thing": np.array(sorted(self._seen), dtype=np.int64)}
        return {
            name: np.unique(np.array([self.code(value) for value in values], dtype=np.int64))
            for name, values in domains.items()
        }

    def _sort(self, seen: set[int]) -> str:
        """Return the smallest domain that holds all values of an argument."""
        fitting = [name for name, values in self._domains.items() if seen <= set(values.tolist())]
        return min(fitting, key=lambda name: len(self._domains[name]), default=ANY)

    def domain(self, names: tuple[str, ...]) -> Ints:
        """Return the codes of the values that are in all of these domains."""
        values = self._domains[names[0]]
        for name in names[1:]:
            values = np.intersect1d(values, self._domains[name])
        return values

    def relation(self, atom: Atom) -> Relation | None:
        """Return the table of a predicate."""
        return self._relations[atom.name]

    def holds(self, atom: Atom, columns: Sequence[Ints]) -> Ints:
        """No predicate is computed: all are tables, so this is never asked for."""
        raise AssertionError(f"{atom.name} is a table")

    def function(self, call: Call, columns: Sequence[Ints]) -> Ints:
        """Return a function's values."""
        values = self._functions[call.name]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        try:
            return np.array([values[row] for row in rows], dtype=np.int64)
        except KeyError as error:
            things = ", ".join(repr(self.decode(code)) for code in error.args[0])
            raise InputError(f"{call.name}({things}) has no value") from None

    def members(self, member: Member) -> Relation | None:
        """Membership is looked up value by value."""
        return None

    def texts(self, name: str) -> tuple[int, ...]:
        """No argument has to be a text in quotes."""
        return ()
