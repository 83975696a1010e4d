"""What rules may speak of, and whether they do so rightly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

from turbotree.errors import InputError
from turbotree.graphs.rules import syntax
from turbotree.naming import suggest

#: Sorts of arguments that are no domains: a text in quotes (or a set of such), and anything.
TEXT, ANY = "text", ""

#: The variables around a formula, with the domains that it puts them in.
Bound: TypeAlias = dict[str, set[str]]


@dataclass(frozen=True)
class Vocabulary:
    """Names that rules may use.

    Attributes
    ----------
    predicates, functions
        The sorts of each one's arguments: a domain, `TEXT` or `ANY`.
    domains
        What variables may range over; the first is that of variables of which nothing is known.
    constants
        Names of values.
    """

    predicates: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    domains: tuple[str, ...] = ("thing",)
    constants: Mapping[str, syntax.Value] = field(default_factory=dict)


def check(rules: Iterable[syntax.Rule], vocabulary: Vocabulary, source: str) -> list[syntax.Rule]:
    """Return rules whose names all mean something, with the domains of all variables.

    Raises
    ------
    InputError
        With line and column: an unknown name, a wrong number of arguments, a variable that
        nothing binds.

    Examples
    --------
    >>> from turbotree.graphs.rules.reading import read_rules
    >>> vocabulary = Vocabulary({"likes": ("thing", "thing")})
    >>> check(read_rules("forall x: lieks(x, x)"), vocabulary, "rules.txt")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: rules.txt:1:11: unknown predicate 'lieks'; did you mean 'likes'?
    """
    checker = _Checker(vocabulary, source)
    return [replace(rule, formula=checker.formula(rule.formula, {})) for rule in rules]


class _Checker:
    def __init__(self, vocabulary: Vocabulary, source: str) -> None:
        self.vocabulary = vocabulary
        self.source = source

    def fail(self, at: syntax.Place, reason: str) -> NoReturn:
        raise InputError(f"{at.in_file(self.source)}: {reason}")

    def formula(self, formula: syntax.Formula, bound: Bound) -> syntax.Formula:
        """Check a formula; `bound` collects the domains of the variables around it."""
        if isinstance(formula, syntax.And | syntax.Or):
            return type(formula)(tuple(self.formula(part, bound) for part in formula.formulas))
        if isinstance(formula, syntax.Not):
            return syntax.Not(self.formula(formula.formula, bound))
        if isinstance(formula, syntax.Quantified):
            return self.quantified(formula, bound)
        if isinstance(formula, syntax.Member):
            return replace(formula, term=self.term(formula.term, ANY, bound))
        if isinstance(formula, syntax.Compare):
            return self.compare(formula, bound)
        return replace(formula, arguments=self.arguments(formula, bound))

    def compare(self, formula: syntax.Compare, bound: Bound) -> syntax.Formula:
        left = self.term(formula.left, ANY, bound)
        right = self.term(formula.right, ANY, bound)
        if formula.operator not in ("=", "!=", "like"):
            for side in (left, right):
                if isinstance(side, syntax.Constant) and isinstance(side.value, str):
                    self.fail(side.at, f"{formula.operator!r} compares numbers, not texts")
        return replace(formula, left=left, right=right)

    def quantified(self, formula: syntax.Quantified, bound: Bound) -> syntax.Formula:
        inner = dict(bound)
        for variable, sorts in zip(formula.variables, formula.sorts, strict=True):
            name = variable.name
            if name in inner:
                self.fail(variable.at, f"variable {name!r} is bound already")
            if name in self.vocabulary.constants:
                self.fail(variable.at, f"{name!r} is a constant, not a variable")
            for sort in sorts:
                if sort not in self.vocabulary.domains:
                    hint = suggest(sort, self.vocabulary.domains)
                    self.fail(variable.at, f"unknown domain {sort!r}{hint}")
            inner[name] = set(sorts)
        checked = self.formula(formula.formula, inner)
        found = []
        for variable in formula.variables:
            domains = inner[variable.name] or {self.vocabulary.domains[0]}
            found.append(tuple(sorted(domains)))
        return replace(formula, formula=checked, sorts=tuple(found))

    def sorts_of(self, owner: syntax.Atom | syntax.Call) -> tuple[str, ...]:
        """Look up what a predicate or a function takes."""
        known, others = self.vocabulary.predicates, self.vocabulary.functions
        what, mistaken = "predicate", "it is a function: compare it with something"
        if isinstance(owner, syntax.Call):
            known, others = others, known
            what, mistaken = "function", "it is a predicate: it has no value to compare"
        if owner.name not in known:
            hint = f"; {mistaken}" if owner.name in others else suggest(owner.name, known)
            self.fail(owner.at, f"unknown {what} {owner.name!r}{hint}")
        return known[owner.name]

    def arguments(
        self, owner: syntax.Atom | syntax.Call, bound: Bound
    ) -> tuple[syntax.Argument, ...]:
        sorts = self.sorts_of(owner)
        if len(owner.arguments) != len(sorts):
            expected = f"{len(sorts)} argument" + "s" * (len(sorts) != 1)
            self.fail(owner.at, f"{owner.name} takes {expected}, got {len(owner.arguments)}")
        if isinstance(owner, syntax.Call):
            for argument in owner.arguments:
                if isinstance(argument, syntax.Values):
                    self.fail(argument.at, f"{owner.name} takes no set")
        return tuple(
            self.argument(argument, sort, bound)
            for argument, sort in zip(owner.arguments, sorts, strict=True)
        )

    def argument(self, argument: syntax.Argument, sort: str, bound: Bound) -> syntax.Argument:
        if sort == TEXT and not (
            isinstance(argument, syntax.Values)
            or (isinstance(argument, syntax.Constant) and isinstance(argument.value, str))
        ):
            self.fail(argument.at, "expected a text in quotes here, or a set of such")
        if isinstance(argument, syntax.Values):
            if sort != TEXT:
                self.fail(argument.at, "a set cannot stand here; write 'x in {...}'")
            return argument
        return self.term(argument, sort, bound)

    def term(self, term: syntax.Term, sort: str, bound: Bound) -> syntax.Term:
        if isinstance(term, syntax.Variable):
            if term.name in self.vocabulary.constants:
                return syntax.Constant(self.vocabulary.constants[term.name], term.at)
            if term.name not in bound:
                hint = suggest(term.name, [*bound, *self.vocabulary.constants])
                self.fail(term.at, f"variable {term.name!r} is not bound{hint}")
            if sort not in (ANY, TEXT):
                bound[term.name].add(sort)
            return term
        if isinstance(term, syntax.Shifted):
            left, right = (self.term(side, ANY, bound) for side in (term.left, term.right))
            return replace(term, left=left, right=right)
        if isinstance(term, syntax.Call):
            return replace(term, arguments=self.arguments(term, bound))
        return term
