"""From functions of multi-valued variables to factors of binary ones.

A variable with two values is one binary variable; one with more is a group of which exactly one is
true. A function of one variable is scores of variables. A function of two binary variables is a
score of each and one of the pair; other functions are tables, or, where that would be a large
table, clauses and auxiliary variables for the combinations that a file lists.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.graphs.formats.functions import Exceptions, Function, Table
from turbotree.graphs.formats.network import Measure, Network, Variable
from turbotree.graphs.graph import FactorGraph

#: How exactly a table of two binary variables has to be the sum of its three scores, relative to
#: its smallest entry: next to a mask, small scores would be lost.
_EXACTNESS = 1e-12


def encode(
    names: Sequence[str],
    values: Sequence[Sequence[str | int]],
    functions: Sequence[Function],
    measure: Measure,
    *,
    floor: float = -math.inf,
    whole: bool = False,
) -> Network:
    """Make the network of a file.

    Parameters
    ----------
    names : sequence of str
        Of the variables.
    values : sequence of sequences
        The names of each variable's values.
    functions : sequence of Function
        Scores, which are to be maximised.
    measure : str
        What the file measures; see :class:`Network`.
    floor : float
        Only assignments with a score above this count.
    whole : bool
        Whether all costs are whole numbers.

    Returns
    -------
    Network
    """
    functions = _within(functions, floor, whole)
    return _Encoder([len(own) for own in values], functions).network(
        names, values, measure, floor, whole
    )


def _within(functions: Sequence[Function], floor: float, whole: bool) -> list[Function]:
    """Forbid what no assignment above the floor can have."""
    if floor == -math.inf:
        return list(functions)
    best = [function.best for function in functions]
    total = sum(best)
    if total <= floor:  # nothing counts, which the answer will say
        return list(functions)
    # Decimal fractions are rounded; whole numbers are not.
    slack = 0.0 if whole else 1e-9 * max(1.0, abs(floor), abs(total))
    return [
        function.without(floor - total + own + slack)
        for function, own in zip(functions, best, strict=True)
    ]


class _Encoder:
    """Collects what a graph is made of; factors alike are added in one call."""

    def __init__(self, sizes: list[int], functions: Sequence[Function]) -> None:
        self.sizes = sizes
        self.offset = 0.0
        self.unary = [np.zeros(size) for size in sizes]
        self.pairs: list[tuple[int, int, float]] = []
        self.tables: dict[tuple[int, ...], FloatArray] = {}
        self.exceptions: list[Exceptions] = []
        for function in functions:
            if isinstance(function, Table):
                self._sort(function)
            else:
                self.exceptions.append(function)
        for scope in list(self.tables):
            if len(scope) == 2 and all(sizes[v] == 2 for v in scope):
                self._split(scope)

    def _sort(self, function: Table) -> None:
        """Put a table where it belongs: tables of the same variables are one."""
        axes = [axis for axis, v in enumerate(function.scope) if self.sizes[v] > 1]
        table = function.scores.reshape([function.scores.shape[axis] for axis in axes])
        scope = [function.scope[axis] for axis in axes]
        if not scope:
            self.offset += float(table)
        elif len(scope) == 1:
            self.unary[scope[0]] = self.unary[scope[0]] + table
        else:
            order = sorted(range(len(scope)), key=scope.__getitem__)
            table = table.transpose(order)
            key = tuple(scope[axis] for axis in order)
            self.tables[key] = self.tables[key] + table if key in self.tables else table

    def _split(self, scope: tuple[int, ...]) -> None:
        """Make a table of two binary variables their scores and one of the pair, if that is exact.

        Forbidden combinations, and scores that would drown, stay in a table.
        """
        table = self.tables[scope]
        if not np.isfinite(table).all():
            return
        (none, second), (first, both) = table.tolist()
        joint = both - first - second + none
        parts = (first - none, second - none)
        rebuilt = np.array([[none, none + parts[1]], [none + parts[0], none + sum(parts) + joint]])
        sizes = np.abs(table[table != 0.0])
        allowed = _EXACTNESS * float(sizes.min()) if sizes.size else 0.0
        if np.abs(rebuilt - table).max() > allowed:
            return
        del self.tables[scope]
        self.offset += none
        for v, part in zip(scope, parts, strict=True):
            self.unary[v] = self.unary[v] + np.array([0.0, part])
        if joint != 0.0:
            self.pairs.append((scope[0], scope[1], joint))

    def network(
        self,
        names: Sequence[str],
        values: Sequence[Sequence[str | int]],
        measure: Measure,
        floor: float,
        whole: bool,
    ) -> Network:
        graph = FactorGraph()
        self.literals = self._add_variables(graph, names, values)
        if self.offset == -math.inf:
            self.offset = 0.0
            _forbid_all(graph, "a combination that the file forbids")
        if self.pairs:
            firsts, seconds, scores = zip(*self.pairs, strict=True)
            graph.pair(
                [self.literals[v][1] for v in firsts],
                [self.literals[v][1] for v in seconds],
                scores,
            )
        self._add_tables(graph)
        for function in self.exceptions:
            self._add_exceptions(graph, function)
        variables = tuple(
            Variable(name, own, literals)
            for name, own, literals in zip(names, values, self.literals, strict=True)
        )
        return Network(graph, variables, measure, self.offset, floor, whole)

    def _add_variables(
        self, graph: FactorGraph, names: Sequence[str], values: Sequence[Sequence[str | int]]
    ) -> list[tuple[int, ...]]:
        scores: list[float] = []
        labels: list[str] = []
        literals: list[tuple[int, ...]] = []
        forced: list[int] = []
        for name, size, own, labelled in zip(names, self.sizes, self.unary, values, strict=True):
            at = len(scores)
            if size == 1:
                self.offset += float(own[0])
                literals.append(())
            elif size == 2:
                zero, one = own.tolist()
                if zero == -math.inf:
                    forced.append(at)  # and if the other value is forbidden, too, solvers say so
                    zero = 0.0
                self.offset += zero
                scores.append(one - zero)
                labels.append(name)
                literals.append((~at, at))
            else:
                scores += own.tolist()
                labels += [f"{name}={label}" for label in labelled]
                literals.append(tuple(range(at, at + size)))
        graph.variables(np.array(scores, dtype=np.float64), labels)
        if forced:
            graph.fix(forced)
        groups = [group for group in literals if len(group) > 2]
        if groups:
            offsets = np.cumsum([0, *(len(group) for group in groups)])
            graph.exactly_one(
                np.concatenate([np.array(group) for group in groups]), offsets=offsets
            )
        return literals

    def _add_tables(self, graph: FactorGraph) -> None:
        alike: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for scope, table in self.tables.items():
            if table.min() < table.max():
                alike.setdefault(table.shape, []).append(scope)
            elif table.max() == -math.inf:
                _forbid_all(graph, "a combination that the file forbids")
            else:
                self.offset += float(table.max())
        for shape, scopes in alike.items():
            groups = [
                np.array([self._states(scope[axis]) for scope in scopes]).reshape(len(scopes), -1)
                for axis in range(len(shape))
            ]
            graph.table(groups, np.stack([self.tables[scope] for scope in scopes]))

    def _states(self, v: int) -> tuple[int, ...]:
        """The literals that a table's axis is made of; of a binary variable one."""
        return self.literals[v][1:] if self.sizes[v] == 2 else self.literals[v]

    def _add_exceptions(self, graph: FactorGraph, function: Exceptions) -> None:
        """Add clauses for forbidden combinations, auxiliary variables for those with a score."""
        axes = [axis for axis, v in enumerate(function.scope) if self.sizes[v] > 1]
        links = [
            np.array(self.literals[function.scope[axis]])[function.tuples[:, axis]] for axis in axes
        ]
        rows = np.stack(links, axis=1)
        if function.default == -math.inf or function.everywhere:
            allowed = function.scores > -math.inf
            rows, scores = rows[allowed], function.scores[allowed]
            if not len(rows):
                _forbid_all(graph, "a function without an allowed combination")
                return
            chosen = graph.variables(scores)
            graph.exactly_one(chosen)
            graph.implies(np.repeat(chosen, rows.shape[1]), rows.reshape(-1))
            return
        self.offset += function.default
        forbidden = function.scores == -math.inf
        if forbidden.any():
            graph.not_all(rows[forbidden])
        other = ~forbidden & (function.scores != function.default)
        if other.any():
            chosen = graph.variables(function.scores[other] - function.default)
            graph.define_and(chosen, rows[other])


def _forbid_all(graph: FactorGraph, why: str) -> None:
    """Say that no assignment is allowed, so that solvers say so too."""
    graph.fix(graph.variable(-math.inf, name=why))
