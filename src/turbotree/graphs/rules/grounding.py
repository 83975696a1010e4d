"""From rules and what is known to ground formulas.

Values are found by joins: a table holds the bindings that are still of interest, one column a
variable. Conditions that are known cut it down before another variable is added, and predicates
that are listed bring only values for which they may hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.rules.circuit import FALSE, TRUE, Circuit
from turbotree.graphs.rules.relations import Ints, Relation, join
from turbotree.graphs.rules.syntax import (
    And,
    Atom,
    Call,
    Compare,
    Constant,
    Formula,
    Member,
    Not,
    Or,
    Quantified,
    Rule,
    Shifted,
    Term,
    Value,
    Values,
    Variable,
    free_variables,
)

#: More bindings at once than this are a mistake.
MOST_BINDINGS = 20_000_000

#: A formula, and whether it is meant as it stands or negated.
_Signed = tuple[Formula, bool]


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

    def chosen(self, rows: Ints | NDArray[np.bool_]) -> Bindings:
        """Return some of the rows."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        origin = self.origin[rows]
        other = Bindings(columns, len(origin), origin)
        other.truths = [truth[rows] for truth in self.truths]
        return other


class Grounder:
    """Grounds formulas in a world."""

    def __init__(self, world: World, circuit: Circuit | None = None) -> None:
        self.world = world
        self.circuit = Circuit() if circuit is None else circuit

    def instances(self, rule: Rule) -> Bindings:
        """Return the instances of a rule that are not certain to hold, each with its negation.

        A rule ``forall x, y: ...`` has an instance for each x and y; any other rule has one.
        """
        formula = rule.formula
        if isinstance(formula, Quantified) and formula.for_all:
            variables, body = _prefix(formula)
            return self._extend(_nothing(), variables, [(body, False)])
        return self._extend(_nothing(), {}, [(formula, False)])

    def broken(self, bindings: Bindings) -> list[int]:
        """Return for each instance that :meth:`instances` found the formula that it is broken."""
        return self._conjunctions(bindings)

    def again(self, rule: Rule, bindings: Bindings) -> Bindings:
        """Return the instances at some bindings, in this world."""
        formula = rule.formula
        if isinstance(formula, Quantified) and formula.for_all:
            _, formula = _prefix(formula)
        return self._extend(Bindings(bindings.columns, bindings.size), {}, [(formula, False)])

    def truth(self, formula: Formula, bindings: Bindings) -> Ints:
        """Return the truth value of a formula for each row."""
        if isinstance(formula, Not):
            return ~self.truth(formula.formula, bindings)
        if isinstance(formula, And):
            return self._all(formula, True, bindings)
        if isinstance(formula, Or):
            return ~self._all(formula, False, bindings)
        if isinstance(formula, Quantified):
            return self._quantified(formula, bindings)
        if isinstance(formula, Atom):
            return self._atom(formula, bindings)
        if isinstance(formula, Member):
            return _known(self._member(formula, bindings))
        return _known(self._compare(formula, bindings))

    def _all(self, formula: Formula, sign: bool, bindings: Bindings) -> Ints:
        """Return the truth values of a conjunction: a formula, or its negation."""
        found = np.full(bindings.size, FALSE, dtype=np.int64)
        within = Bindings(bindings.columns, bindings.size)
        left = self._extend(within, {}, _conjuncts(formula, sign))
        found[left.origin] = self._conjunctions(left)
        return found

    def _quantified(self, formula: Quantified, bindings: Bindings) -> Ints:
        variables = dict(zip((v.name for v in formula.variables), formula.sorts, strict=True))
        around = Bindings(bindings.columns, bindings.size)
        if formula.for_all:
            left = self._extend(around, variables, [(formula.formula, False)])
        else:
            left = self._extend(around, variables, [(formula.formula, True)])
        values: list[list[int]] = [[] for _ in range(bindings.size)]
        for row, value in zip(left.origin.tolist(), self._conjunctions(left), strict=True):
            values[row].append(value)
        circuit = self.circuit
        found = np.empty(bindings.size, dtype=np.int64)
        for row, own in enumerate(values):
            if formula.for_all:
                found[row] = ~circuit.any_of(own)
                continue
            truth = TRUE
            if formula.least is not None:
                truth = circuit.at_least(formula.least, own)
            if formula.most is not None:
                truth = circuit.all_of((truth, ~circuit.at_least(formula.most + 1, own)))
            found[row] = truth
        return found

    def _conjunctions(self, bindings: Bindings) -> list[int]:
        """Return the conjunction of what was left open in each row."""
        if not bindings.truths:
            return [TRUE] * bindings.size
        if len(bindings.truths) == 1:
            one: list[int] = bindings.truths[0].tolist()
            return one
        rows = np.column_stack(bindings.truths).tolist()
        return [self.circuit.all_of(row) for row in rows]

    def _extend(
        self, bindings: Bindings, variables: dict[str, tuple[str, ...]], parts: list[_Signed]
    ) -> Bindings:
        """Bind variables in all ways in which a conjunction is not impossible."""
        todo = [one for formula, sign in parts for one in _conjuncts(formula, sign)]
        free = {id(formula): free_variables(formula) for formula, _ in todo}
        new = dict(variables)
        # What is quick to say comes first; formulas with variables of their own come last.
        todo.sort(key=lambda one: _effort(one[0]))
        while True:
            if not bindings.size:
                empty = np.zeros(0, dtype=np.int64)
                return Bindings(bindings.columns | dict.fromkeys(new, empty), 0, bindings.origin)
            bound = bindings.columns.keys()
            ready = next(
                (
                    one
                    for one in todo
                    if free[id(one[0])] <= bound and (not new or _effort(one[0]) < _LATE)
                ),
                None,
            )
            if ready is not None:
                todo.remove(ready)
                bindings = self._filtered(bindings, *ready)
            elif new:
                bindings = self._bind(bindings, new, todo, free)
            else:
                break
            if bindings.size > MOST_BINDINGS:
                raise InputError(
                    f"a rule has more than {MOST_BINDINGS} instances; say more of its variables"
                )
        return bindings

    def _filtered(self, bindings: Bindings, formula: Formula, sign: bool) -> Bindings:
        truth = self.truth(formula, bindings)
        if not sign:
            truth = ~truth
        possible = truth != FALSE
        if not possible.all():
            bindings, truth = bindings.chosen(possible), truth[possible]
        if not (truth == TRUE).all():
            bindings.truths.append(truth)
        return bindings

    def _bind(
        self,
        bindings: Bindings,
        new: dict[str, tuple[str, ...]],
        todo: list[_Signed],
        free: dict[int, frozenset[str]],
    ) -> Bindings:
        """Bind one variable or more, by the table that leaves fewest rows."""
        best: tuple[int, Atom | Member, Relation] | None = None
        for formula, sign in todo:
            wanted = free[id(formula)] & new.keys()
            if not sign or not wanted or not isinstance(formula, Atom | Member):
                continue
            relation = self._table(formula)
            if relation is None:
                continue
            # What is bound already leaves only some of the rows.
            shared = len(free[id(formula)]) > len(wanted)
            weight = len(relation.rows) // 4 if shared else len(relation.rows)
            if best is None or weight < best[0]:
                best = weight, formula, relation
        if best is None:
            return self._bind_domain(bindings, new, todo, free)
        _, chosen, table = best
        todo.remove((chosen, True))
        return self._bind_table(bindings, new, chosen, table)

    def _bind_domain(
        self,
        bindings: Bindings,
        new: dict[str, tuple[str, ...]],
        todo: list[_Signed],
        free: dict[int, frozenset[str]],
    ) -> Bindings:
        """Bind one variable to all values that what is said of it alone allows."""
        candidates: list[tuple[int, str, Bindings, list[_Signed]]] = []
        for name, sorts in new.items():
            values = self.world.domain(sorts)
            alone = Bindings({name: values}, len(values))
            own = [one for one in todo if free[id(one[0])] == {name} and _effort(one[0]) < _LATE]
            for one in own:
                alone = self._filtered(alone, *one)
            candidates.append((alone.size, name, alone, own))
        _, name, alone, own = min(candidates, key=lambda found: found[0])
        for one in own:
            todo.remove(one)
        del new[name]
        if bindings.size * alone.size > MOST_BINDINGS:
            raise InputError(
                f"a rule has more than {MOST_BINDINGS} instances; say more of its variables"
            )
        left, right = np.indices((bindings.size, alone.size)).reshape(2, -1)
        found = bindings.chosen(left)
        found.columns[name] = alone.columns[name][right]
        found.truths += [truth[right] for truth in alone.truths]
        return found

    def _table(self, formula: Atom | Member) -> Relation | None:
        if isinstance(formula, Member):
            return self.world.members(formula)
        for place, argument in enumerate(formula.arguments):
            if place in self.world.texts(formula.name):
                continue
            if not isinstance(argument, Variable | Constant):
                return None
        return self.world.relation(formula)

    def _bind_table(
        self,
        bindings: Bindings,
        new: dict[str, tuple[str, ...]],
        formula: Atom | Member,
        relation: Relation,
    ) -> Bindings:
        """Bind variables to the rows of a table."""
        arguments = self._columns_of(formula)
        keep = np.ones(len(relation.rows), dtype=bool)
        places: dict[str, int] = {}
        for place, argument in enumerate(arguments):
            column = relation.rows[:, place]
            if isinstance(argument, Constant):
                keep &= column == self.world.code(argument.value)
            elif argument.name in places:
                keep &= column == relation.rows[:, places[argument.name]]
            else:
                places[argument.name] = place
        for name in places.keys() & new.keys():
            values = self.world.domain(new[name])
            column = relation.rows[:, places[name]]
            if len(values) and values[-1] - values[0] == len(values) - 1:
                keep &= (column >= values[0]) & (column <= values[-1])
            else:
                keep &= np.isin(column, values)
        rows, truths = relation.rows[keep], relation.truths[keep]
        shared = [name for name in places if name in bindings.columns]
        left_columns = [bindings.columns[name] for name in shared]
        left_table = np.column_stack(left_columns) if shared else np.zeros((bindings.size, 0), int)
        left, right = join(left_table, rows[:, [places[name] for name in shared]])
        found = bindings.chosen(left)
        for name, place in places.items():
            if name in new:
                found.columns[name] = rows[right, place]
                del new[name]
        truth = truths[right]
        if not (truth == TRUE).all():
            found.truths.append(truth)
        return found

    def _columns_of(self, formula: Atom | Member) -> list[Variable | Constant]:
        owner = formula
        if isinstance(owner, Member):
            assert isinstance(owner.term, Call)
            owner = Atom(owner.term.name, owner.term.arguments, owner.at)
        texts = self.world.texts(owner.name)
        return [
            argument
            for place, argument in enumerate(owner.arguments)
            if place not in texts and isinstance(argument, Variable | Constant)
        ]

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
            return left + term.sign * right
        return self.world.function(term, self._arguments(term, bindings))

    def _member(self, member: Member, bindings: Bindings) -> NDArray[np.bool_]:
        column = self._term(member.term, bindings)
        values, places = np.unique(column, return_inverse=True)
        wanted = member.values.values
        hit = np.array([self.world.decode(code) in wanted for code in values.tolist()], dtype=bool)
        return hit[places.reshape(-1)]

    def _compare(self, formula: Compare, bindings: Bindings) -> NDArray[np.bool_]:
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
        found: NDArray[np.bool_] = compare(left, right)
        return found


@cache
def pattern(text: str) -> re.Pattern[str]:
    """Return a pattern in which ``*`` stands for anything, and nothing else is special.

    >>> bool(pattern("nsubj*").fullmatch("nsubj:pass"))
    True
    """
    return re.compile(translate(text.replace("[", "[[]").replace("?", "[?]")))


#: Formulas with variables of their own wait until all others have cut the table down.
_LATE = 10


def _effort(formula: Formula) -> int:
    if isinstance(formula, Compare | Member):
        return 0
    if isinstance(formula, Atom):
        return 1
    if isinstance(formula, Quantified):
        return _LATE
    inside = (formula.formula,) if isinstance(formula, Not) else formula.formulas
    return 2 + max(_effort(part) for part in inside)


def _conjuncts(formula: Formula, sign: bool) -> list[_Signed]:
    """Split a formula, or its negation, into what has to hold all at once."""
    if isinstance(formula, Not):
        return _conjuncts(formula.formula, not sign)
    if isinstance(formula, And if sign else Or):
        assert isinstance(formula, And | Or)
        return [one for part in formula.formulas for one in _conjuncts(part, sign)]
    return [(formula, sign)]


def _prefix(formula: Quantified) -> tuple[dict[str, tuple[str, ...]], Formula]:
    """Split a rule into the variables that it says "for all" of, and the rest."""
    variables: dict[str, tuple[str, ...]] = {}
    body: Formula = formula
    while isinstance(body, Quantified) and body.for_all:
        variables |= zip((v.name for v in body.variables), body.sorts, strict=True)
        body = body.formula
    return variables, body


def _nothing() -> Bindings:
    return Bindings({}, 1)


def _known(values: NDArray[np.bool_]) -> Ints:
    return np.where(values, TRUE, FALSE)
