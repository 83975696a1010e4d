"""Formulas taken apart: what has to hold at once, what a rule says "for all" of, what is quick."""

from __future__ import annotations

from typing import TypeAlias

from turbotree.graphs.rules.syntax import (
    And,
    Atom,
    Compare,
    Formula,
    Member,
    Not,
    Or,
    Quantified,
)

#: A formula, and whether it is meant as it stands or negated.
Signed: TypeAlias = tuple[Formula, bool]

#: Formulas with variables of their own wait until all others have cut the table down.
LATE = 10


def effort(formula: Formula) -> int:
    """Return how late a formula is looked at."""
    if isinstance(formula, Compare | Member):
        return 0
    if isinstance(formula, Atom):
        return 1
    if isinstance(formula, Quantified):
        return LATE
    inside = (formula.formula,) if isinstance(formula, Not) else formula.formulas
    return 2 + max(effort(part) for part in inside)


def conjuncts(formula: Formula, sign: bool) -> list[Signed]:
    """Split a formula, or its negation, into what has to hold all at once."""
    if isinstance(formula, Not):
        return conjuncts(formula.formula, not sign)
    if (isinstance(formula, And) and sign) or (isinstance(formula, Or) and not sign):
        return [one for part in formula.formulas for one in conjuncts(part, sign)]
    return [(formula, sign)]


def prefix(formula: Quantified) -> tuple[dict[str, tuple[str, ...]], Formula]:
    """Split a rule into the variables that it says "for all" of, and the rest."""
    variables: dict[str, tuple[str, ...]] = {}
    body: Formula = formula
    while isinstance(body, Quantified) and body.for_all:
        variables |= zip((v.name for v in body.variables), body.sorts, strict=True)
        body = body.formula
    return variables, body
