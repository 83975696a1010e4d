"""From rules and what is known to ground formulas.

Values are found by joins: a table holds the bindings that are still of interest, one column per
variable. Conditions that are known cut it down before another variable is added, and predicates
that are listed bring only values for which they may hold.
"""

from __future__ import annotations

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs.rules.circuit import FALSE, TRUE, Circuit
from turbotree.graphs.rules.evaluation import Evaluator
from turbotree.graphs.rules.relations import Ints, Relation, join
from turbotree.graphs.rules.shapes import LATE, Signed, conjuncts, effort, prefix
from turbotree.graphs.rules.syntax import (
    And,
    Atom,
    Call,
    Constant,
    Formula,
    Member,
    Not,
    Or,
    Quantified,
    Rule,
    Variable,
    free_variables,
)
from turbotree.graphs.rules.world import Bindings, World

#: More bindings at once than this are a mistake.
MOST_BINDINGS = 20_000_000


class Grounder(Evaluator):
    """Grounds formulas in a world."""

    def __init__(self, world: World, circuit: Circuit | None = None) -> None:
        super().__init__(world)
        self.circuit = Circuit() if circuit is None else circuit

    def instances(self, rule: Rule) -> Bindings:
        """Return the instances of a rule that are not certain to hold, each with its negation.

        A rule ``forall x, y: ...`` has an instance for each x and y; any other rule has one.
        """
        formula = rule.formula
        if isinstance(formula, Quantified) and formula.for_all:
            variables, body = prefix(formula)
            return self._extend(_nothing(), variables, [(body, False)])
        return self._extend(_nothing(), {}, [(formula, False)])

    def broken(self, bindings: Bindings) -> list[int]:
        """Return for each instance that :meth:`instances` found the formula that it is broken."""
        return self._conjunctions(bindings)

    def again(self, rule: Rule, bindings: Bindings) -> Bindings:
        """Return the instances at some bindings, in this world."""
        formula = rule.formula
        if isinstance(formula, Quantified) and formula.for_all:
            _, formula = prefix(formula)
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
        return self.simple(formula, bindings)

    def _all(self, formula: Formula, sign: bool, bindings: Bindings) -> Ints:
        """Return the truth values of a conjunction: a formula, or its negation."""
        found = np.full(bindings.size, FALSE, dtype=np.int64)
        within = Bindings(bindings.columns, bindings.size)
        left = self._extend(within, {}, conjuncts(formula, sign))
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
        self, bindings: Bindings, variables: dict[str, tuple[str, ...]], parts: list[Signed]
    ) -> Bindings:
        """Bind variables in all ways in which a conjunction is not impossible."""
        todo = [one for formula, sign in parts for one in conjuncts(formula, sign)]
        free = {id(formula): free_variables(formula) for formula, _ in todo}
        new = dict(variables)
        # What is quick to say comes first; formulas with variables of their own come last.
        todo.sort(key=lambda one: effort(one[0]))
        while True:
            if not bindings.size:
                empty = np.zeros(0, dtype=np.int64)
                return Bindings(bindings.columns | dict.fromkeys(new, empty), 0, bindings.origin)
            bound = bindings.columns.keys()
            ready = next(
                (
                    one
                    for one in todo
                    if free[id(one[0])] <= bound and (not new or effort(one[0]) < LATE)
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
        todo: list[Signed],
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
        todo: list[Signed],
        free: dict[int, frozenset[str]],
    ) -> Bindings:
        """Bind one variable to all values that what is said of it alone allows."""
        candidates: list[tuple[int, str, Bindings, list[Signed]]] = []
        for name, sorts in new.items():
            values = self.world.domain(sorts)
            alone = Bindings({name: values}, len(values))
            own = [one for one in todo if free[id(one[0])] == {name} and effort(one[0]) < LATE]
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
        owner = formula.term if isinstance(formula, Member) else formula
        if not isinstance(owner, Atom | Call):
            return None
        for place, argument in enumerate(owner.arguments):
            if place in self.world.texts(owner.name):
                continue
            if not isinstance(argument, Variable | Constant):
                return None
        if isinstance(formula, Member):
            return self.world.members(formula)
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


def _nothing() -> Bindings:
    return Bindings({}, 1)
