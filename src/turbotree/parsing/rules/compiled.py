"""Rules compiled for parsers, and the bundled ones."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from turbotree.errors import InputError
from turbotree.graphs.rules import Rules
from turbotree.graphs.rules.syntax import (
    And,
    Atom,
    Formula,
    Not,
    Or,
    Quantified,
    Rule,
    predicates_in,
)
from turbotree.graphs.rules.vocabulary import check
from turbotree.naming import nearest, suggest, unknown
from turbotree.parsing.rules.groundings import patterns_of
from turbotree.parsing.rules.words import LABELS, VOCABULARY

_ENDING = ".rules"


@dataclass(frozen=True)
class ParserRules:
    """Rules about trees, checked; one object serves any number of sentences and threads.

    Make them with :func:`compile_rules`.

    Attributes
    ----------
    rules
        One after another.
    source
        Where they came from.
    """

    rules: tuple[Rule, ...]
    source: str

    @cached_property
    def of_trees(self) -> tuple[Rule, ...]:
        """The rules that do not speak of labels."""
        return tuple(rule for rule in self.rules if not _speaks_of_labels(rule))

    @cached_property
    def of_labels(self) -> tuple[Rule, ...]:
        """The rules that do."""
        return tuple(rule for rule in self.rules if _speaks_of_labels(rule))

    def with_weights(self, weights: Mapping[str, float | None]) -> ParserRules:
        """Return the same rules with other weights; None makes a rule hard.

        >>> rules = compile_rules("rule one: exists unique m: arc(root, m)")
        >>> rules.with_weights({"one": 2.0}).rules[0].weight
        2.0
        """
        for name in weights:
            if name not in {rule.name for rule in self.rules}:
                hint = suggest(name, [rule.name for rule in self.rules])
                raise InputError(f"unknown rule {name!r}{hint}")
        changed = (
            replace(rule, weight=weights[rule.name], learn=False) if rule.name in weights else rule
            for rule in self.rules
        )
        return ParserRules(tuple(changed), self.source)

    def with_learnt(self, weights: Mapping[str, float]) -> ParserRules:
        """Return the same rules with learnt weights in place of ``[?]``."""
        missing = [rule for rule in self.rules if rule.learn and rule.name not in weights]
        if missing:
            at, name = missing[0].at, missing[0].name
            raise InputError(
                f"{self.source}:{at.line}:{at.column}: the model has no weight for rule {name}; "
                "give it one, or learn it with train --rules or learn_rule_weights"
            )
        learnt = {rule.name: weights[rule.name] for rule in self.rules if rule.learn}
        return self.with_weights(learnt) if learnt else self

    def check_labels(self, names: Sequence[str]) -> None:
        """Refuse labels that a parser does not know; patterns may match nothing."""
        known = set(names)
        for rule in self.rules:
            for atom in _label_atoms(rule.formula):
                for label in patterns_of(atom):
                    if "*" not in label and label not in known:
                        at = atom.arguments[2].at
                        raise InputError(
                            f"{self.source}:{at.line}:{at.column}: the model has no label "
                            f"{label!r}{suggest(label, known)}"
                        )


#: What rules may be given as.
RulesLike: TypeAlias = str | os.PathLike[str] | Rules | ParserRules | Sequence[str]


def compile_rules(rules: RulesLike) -> ParserRules:
    """Read and check rules for parsers.

    Parameters
    ----------
    rules
        The text of rules; the path of a rule file; the name of bundled rules (one of
        :func:`shipped_rules`); several paths and names with commas between; or rules already read.
        What has the look of neither a path nor a name is taken for a text.

    Raises
    ------
    InputError
        With file, line and column, if the rules say nothing that can be understood.

    Examples
    --------
    >>> compile_rules("one-root").rules[0].name
    'one_root'
    >>> compile_rules("forall h, m: ark(h, m) -> h < m")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: <rules>:1:14: unknown predicate 'ark'; did you mean 'arc'?
    >>> compile_rules("at most 1 m, arc")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: <rules>:1:17: expected ',', ':' or 'in', got the end
    """
    if isinstance(rules, ParserRules):
        return rules
    if isinstance(rules, Rules):
        return ParserRules(tuple(check(rules.rules, VOCABULARY, rules.source)), rules.source)
    if isinstance(rules, os.PathLike):
        return compile_rules(Rules.from_file(rules))
    if not isinstance(rules, str):
        return _joined([compile_rules(one) for one in rules])
    if "\n" not in rules and os.path.isfile(rules):
        return compile_rules(Path(rules))
    if not look_like_names(rules):
        return compile_rules(Rules.from_text(rules))
    names = [name.strip() for name in rules.split(",")]
    if len(names) > 1:
        return _joined([compile_rules(name) for name in names])
    if names[0] not in shipped_rules():
        hint = suggest(names[0], shipped_rules())
        raise InputError(f"rules {names[0]!r}: no such file, and no rules of that name{hint}")
    return bundled(names[0])


def look_like_names(rules: str) -> bool:
    """Tell whether a string has the look of names or paths, with commas between; else it is a text.

    >>> look_like_names("one-root, my.rules"), look_like_names("forall h, m: arc h m")
    (True, False)
    """
    if "\n" in rules or not rules.strip():
        return False
    return all(_looks_like_a_name(piece.strip()) for piece in rules.split(","))


def _looks_like_a_name(piece: str) -> bool:
    if piece.endswith(_ENDING):
        return True
    if set(piece) & set("()[]{}<>='\""):  # what a formula has, and hardly a path
        return False
    if "/" in piece or os.sep in piece:
        return True
    if ":" in piece:
        return False
    # White space parts the words of a formula; or of a name that somebody remembers so.
    return not re.search(r"\s", piece) or nearest(piece, shipped_rules()) is not None


def bundled(names: str) -> ParserRules:
    """Give bundled rules by name, or by several with commas between; no other file is looked at.

    >>> [rule.name for rule in bundled("one-root, determiners").rules]
    ['one_root', 'determiners']
    """
    several = [name.strip() for name in names.split(",")]
    for name in several:
        if name not in shipped_rules():
            raise unknown("rules", name, shipped_rules())
    return _joined([_bundled(name) for name in several])


def _bundled(name: str) -> ParserRules:
    with resources.as_file(_folder() / (name + _ENDING)) as path:
        return replace(compile_rules(Path(path)), source=path.name)


def shipped_rules() -> tuple[str, ...]:
    """Return the names of the bundled rules.

    >>> shipped_rules()
    ('determiners', 'names', 'one-root', 'one-subject', 'quotations')
    """
    files = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name[: -len(_ENDING)] for name in files if name.endswith(_ENDING)))


def label_patterns(rule: Rule) -> set[tuple[str, ...]]:
    """Return the sets of labels that a rule asks for."""
    return {patterns_of(atom) for atom in _label_atoms(rule.formula)}


def _folder() -> resources.abc.Traversable:
    return resources.files("turbotree.parsing.rules").joinpath("shipped")


def _joined(several: Sequence[ParserRules]) -> ParserRules:
    rules = tuple(rule for one in several for rule in one.rules)
    names = [rule.name for rule in rules]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"two rules have the name {twice[0]!r}")
    return ParserRules(rules, ",".join(one.source for one in several))


def _speaks_of_labels(rule: Rule) -> bool:
    return bool(predicates_in(rule.formula) & set(LABELS))


def _label_atoms(formula: Formula) -> list[Atom]:
    if isinstance(formula, Atom):
        return [formula] if formula.name in LABELS else []
    if isinstance(formula, Not | Quantified):
        return _label_atoms(formula.formula)
    if isinstance(formula, And | Or):
        return [atom for part in formula.formulas for atom in _label_atoms(part)]
    return []
