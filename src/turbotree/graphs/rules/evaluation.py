"""Truth values of formulas without variables of their own: predicates, comparisons, sets."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache

import numpy as np

from turbotree.arrays import BoolArray
from turbotree.errors import InputError
from turbotree.graphs.rules.circuit import FALSE, TRUE
from turbotree.graphs.rules.relations import Ints
from turbotree.graphs.rules.syntax import (
    Atom,
    Call,
    Compare,
    Constant,
    Member,
    Shifted,
    Term,
    Values,
    Variable,
)
from turbotree.graphs.rules.world import FIRST_TEXT, Bindings, World


class Evaluator:
    """Tells what holds in a world, for each row of a table of values."""

    def __init__(self, world: World) -> None:
        self.world = world

    def simple(self, formula: Atom | Compare | Member, bindings: Bindings) -> Ints:
        """Return the truth value of a formula for each row."""
        if isinstance(formula, Atom):
            return self._atom(formula, bindings)
        if isinstance(formula, Member):
            return _known(self._member(formula, bindings))
        return _known(self._compare(formula, bindings))

    def _atom(self, atom: Atom, bindings: Bindings) -> Ints:
        columns = self._arguments(atom, bindings)
        relation = self.world.relation(atom)
        if relation is None:
            return self.world.holds(atom, columns)
        if not columns:
            return np.repeat(relation.look_up(columns), bindings.size)
        return relation.look_up(columns)

    def _arguments(self, owner: Atom | Call, bindings: Bindings) -> list[Ints]:
        texts = self.world.texts(owner.name)
        return [
            self._term(argument, bindings)
            for place, argument in enumerate(owner.arguments)
            if place not in texts and not isinstance(argument, Values)
        ]

    def _term(self, term: Term, bindings: Bindings) -> Ints:
        if isinstance(term, Variable):
            return bindings.columns[term.name]
        if isinstance(term, Constant):
            return np.full(bindings.size, self.world.code(term.value), dtype=np.int64)
        if isinstance(term, Shifted):
            left, right = (self._term(side, bindings) for side in (term.left, term.right))
            found = left + term.sign * right
            if not all((np.abs(side) < FIRST_TEXT).all() for side in (left, right, found)):
                raise InputError(
                    f"line {term.at.line}, column {term.at.column} of the rules: '+' and '-' are "
                    "for numbers up to 2**40, not for texts"
                )
            return found
        return self.world.function(term, self._arguments(term, bindings))

    def _member(self, member: Member, bindings: Bindings) -> BoolArray:
        column = self._term(member.term, bindings)
        values, places = np.unique(column, return_inverse=True)
        wanted = member.values.values
        hit = np.array([self.world.decode(code) in wanted for code in values.tolist()], dtype=bool)
        return hit[places.reshape(-1)]

    def _compare(self, formula: Compare, bindings: Bindings) -> BoolArray:
        left = self._term(formula.left, bindings)
        if formula.operator == "like":
            assert isinstance(formula.right, Constant)
            matches = pattern(str(formula.right.value))
            values, places = np.unique(left, return_inverse=True)
            hit = [bool(matches.fullmatch(str(self.world.decode(c)))) for c in values.tolist()]
            return np.array(hit, dtype=bool)[places.reshape(-1)]
        right = self._term(formula.right, bindings)
        compare = {
            "=": np.equal,
            "!=": np.not_equal,
            "<": np.less,
            "<=": np.less_equal,
            ">": np.greater,
            ">=": np.greater_equal,
        }[formula.operator]
        found: BoolArray = compare(left, right)
        return found


def _known(values: BoolArray) -> Ints:
    return np.where(values, TRUE, FALSE)


@cache
def pattern(text: str) -> re.Pattern[str]:
    """Return a pattern in which ``*`` stands for anything, and nothing else is special.

    >>> bool(pattern("nsubj*").fullmatch("nsubj:pass"))
    True
    """
    return re.compile(translate(text.replace("[", "[[]").replace("?", "[?]")))
