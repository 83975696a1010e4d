"""Rules as trees: what the grammar reads, and what is grounded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

#: What variables stand for and functions give: words, numbers, names.
Value: TypeAlias = str | int


class Place(NamedTuple):
    """Where something stands in a rule file."""

    line: int
    column: int

    def in_file(self, name: str) -> str:
        """Give the place as messages do.

        >>> Place(2, 7).in_file("rules.txt")
        'rules.txt:2:7'
        """
        return f"{name}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, or a constant's name until the rules are checked."""

    name: str
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A text in quotes, or a number."""

    value: Value
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Values:
    """A set of texts or numbers; `source` is the file that it came from."""

    values: frozenset[Value]
    at: Place = field(compare=False)
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function's value: ``upos(x)``."""

    name: str
    arguments: tuple[Argument, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Shifted:
    """A sum or a difference: ``x + 1``."""

    left: Term
    sign: int
    right: Term
    at: Place = field(compare=False)


Term: TypeAlias = Variable | Constant | Call | Shifted
Argument: TypeAlias = Term | Values


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate of some things: ``arc(h, m)``."""

    name: str
    arguments: tuple[Argument, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """Two terms compared: ``x < y``; "like" compares with a pattern."""

    operator: str
    left: Term
    right: Term
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A term in a set: ``lemma(x) in {'be', 'have'}``."""

    term: Term
    values: Values
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class And:
    """All of them."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One or more of them; ``a -> b`` is ``not a or b``."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """For so many values of the variables the formula holds.

    Attributes
    ----------
    least, most
        How many; None for no limit. ``forall`` has both None.
    variables
        What is counted.
    sorts
        The domains that each variable is in; several if it has to be in all of them.
    formula
        What has to hold.
    """

    least: int | None
    most: int | None
    variables: tuple[Variable, ...]
    sorts: tuple[tuple[str, ...], ...]
    formula: Formula
    at: Place = field(compare=False)

    @property
    def for_all(self) -> bool:
        """Whether this is ``forall``."""
        return self.least is None and self.most is None


Formula: TypeAlias = Atom | Compare | Member | Not | And | Or | Quantified


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a file.

    Attributes
    ----------
    name
        As given, or ``rule`` and its number.
    weight
        What each broken instance costs; None if none may be broken.
    formula
        What is said.
    at
        Where it stands.
    learn
        Whether the weight is still to be learnt, written ``[?]``.
    """

    name: str
    weight: float | None
    formula: Formula
    at: Place = field(compare=False)
    learn: bool = False


def free_variables(formula: Formula | Argument) -> frozenset[str]:
    """Return the variables that something outside has to bind."""
    if isinstance(formula, Variable):
        return frozenset((formula.name,))
    if isinstance(formula, Constant | Values):
        return frozenset()
    if isinstance(formula, Not):
        return free_variables(formula.formula)
    if isinstance(formula, Quantified):
        return free_variables(formula.formula) - {v.name for v in formula.variables}
    inside: tuple[Formula | Argument, ...]
    if isinstance(formula, And | Or):
        inside = formula.formulas
    elif isinstance(formula, Atom | Call):
        inside = formula.arguments
    elif isinstance(formula, Member):
        inside = (formula.term,)
    else:
        inside = (formula.left, formula.right)
    return frozenset().union(*(free_variables(part) for part in inside))


def predicates_in(formula: Formula) -> frozenset[str]:
    """Return the names of the predicates that a formula speaks of."""
    if isinstance(formula, Atom):
        return frozenset((formula.name,))
    if isinstance(formula, Not | Quantified):
        return predicates_in(formula.formula)
    if isinstance(formula, And | Or):
        return frozenset().union(*(predicates_in(part) for part in formula.formulas))
    return frozenset()
