"""A factor graph as functions of multi-valued variables, for programs that know only such.

Groups of which a factor says that exactly one is true become one variable each; other variables
keep two values. A factor becomes the table of its scores over the variables that it touches,
whatever its kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.blocks import WITH_SCORES, WITH_SHAPES, Block, Factor, Kind
from turbotree.graphs.factors.scores import factor_scores
from turbotree.graphs.formats.functions import Exceptions, Function, Table
from turbotree.graphs.graph import FactorGraph

#: Takes a factor that has no table, as its block and its number there; says whether it can.
Beyond = Callable[[Block, int], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A graph as multi-valued variables and functions of their scores.

    Attributes
    ----------
    variables : tuple of tuples of int
        The graph's variables in each: one, which is false or true, or a group, whose states are
        the values.
    functions : list of Function
        At most one for each set of variables that is given in full.
    """

    variables: tuple[tuple[int, ...], ...]
    functions: list[Function]

    @property
    def sizes(self) -> list[int]:
        """The number of values of each variable."""
        return [max(2, len(group)) for group in self.variables]


def fold(
    graph: FactorGraph,
    *,
    max_entries: int,
    groups: bool = True,
    beyond: Beyond | None = None,
) -> Folded:
    """Make functions of a graph's scores, evidence and factors.

    Parameters
    ----------
    graph : FactorGraph
    max_entries : int
        The largest table for one factor.
    groups : bool
        Whether groups of which exactly one is true become one variable.
    beyond : function, optional
        Takes factors whose table would be larger, if it can.

    Raises
    ------
    InputError
        About a factor that is too large.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> a, b, c, d = graph.variables([1.0, 2.0, 3.0, 4.0])
    >>> graph.exactly_one([a, b, c])
    >>> graph.pair(b, d, 5.0)
    >>> folded = fold(graph, max_entries=100)
    >>> folded.variables
    ((0, 1, 2), (3,))
    >>> [function.scope for function in folded.functions]
    [(0,), (1,), (0, 1)]
    """
    return _Folder(graph, groups).folded(max_entries, beyond)


class _Folder:
    def __init__(self, graph: FactorGraph, groups: bool) -> None:
        self.graph = graph
        self.variables = self._grouped() if groups else [(v,) for v in range(len(graph))]
        #: For each variable of the graph, the one that it belongs to, and its value there.
        self.owner = np.zeros(len(graph), dtype=np.int64)
        self.state = np.ones(len(graph), dtype=np.int64)
        for number, group in enumerate(self.variables):
            self.owner[list(group)] = number
            if len(group) > 1:
                self.state[list(group)] = np.arange(len(group))
        self.sizes = [max(2, len(group)) for group in self.variables]
        self.tables: dict[tuple[int, ...], FloatArray] = {}
        self.listed: list[Function] = []

    def _grouped(self) -> list[tuple[int, ...]]:
        """Take groups of which exactly one is true, as long as they do not overlap."""
        first: dict[int, tuple[int, ...]] = {}
        taken: set[int] = set()
        for block in self.graph.blocks:
            for index in range(len(block)):
                factor = block.factor(index)
                for places in _choices(factor):
                    group = tuple(factor.variables[places].tolist())
                    if not factor.negated[places].any() and taken.isdisjoint(group):
                        taken.update(group)
                        first[min(group)] = group
        alone = ((v, (v,)) for v in range(len(self.graph)) if v not in taken)
        return [group for _, group in sorted([*first.items(), *alone])]

    def folded(self, max_entries: int, beyond: Beyond | None) -> Folded:
        self._add_scores()
        for block in self.graph.blocks:
            for index in range(len(block)):
                self._add_factor(block, index, max_entries, beyond)
        tables: list[Function] = [
            Table(scope, table)
            for scope, table in sorted(self.tables.items(), key=lambda item: len(item[0]))
            if table.any()
        ]
        return Folded(tuple(self.variables), [*tables, *self.listed])

    def _add_scores(self) -> None:
        scores, evidence = self.graph.scores, self.graph.evidence
        for number, group in enumerate(self.variables):
            own = np.array([0.0, scores[group[0]]]) if len(group) == 1 else scores[list(group)]
            for variable in group:
                fixed = int(evidence[variable])
                if fixed >= 0:
                    state = int(self.state[variable])
                    allowed = (np.arange(len(own)) == state) == bool(fixed)
                    own = np.where(allowed, own, -np.inf)
            self.tables[(number,)] = own

    def _add_factor(
        self, block: Block, index: int, max_entries: int, beyond: Beyond | None
    ) -> None:
        begin, end = int(block.offsets[index]), int(block.offsets[index + 1])
        links = block.variables[begin:end].astype(np.int64)
        scope = tuple(sorted(set(self.owner[links].tolist())))
        if math.prod(self.sizes[v] for v in scope) > max_entries:
            if beyond is not None and beyond(block, index):
                return
            listed = self._exceptions(block, index, links, scope)
            if listed is None:
                raise InputError(
                    f"a factor {block.kind.method} of {len(links)} links is too large for a table "
                    f"(at most {max_entries:,} entries)"
                )
            self.listed.append(listed)
            return
        table = self._table(block, index, links, scope)
        self.tables[scope] = self.tables[scope] + table if scope in self.tables else table

    def _table(
        self, block: Block, index: int, links: LongArray, scope: tuple[int, ...]
    ) -> FloatArray:
        """Score all combinations of values by the definition of the factor."""
        shape = [self.sizes[v] for v in scope]
        values = np.indices(shape).reshape(len(shape), -1).T
        places = np.searchsorted(np.array(scope), self.owner[links])
        chosen = values[:, places] == self.state[links]
        return factor_scores(_alone(block, index), chosen).reshape(shape)

    def _exceptions(
        self, block: Block, index: int, links: LongArray, scope: tuple[int, ...]
    ) -> Function | None:
        """List the combinations that matter, for hard kinds with few of them; None for others."""
        if len(scope) < len(links) or any(self.sizes[v] > 2 for v in scope):
            return None
        false = block.negated[int(block.offsets[index]) : int(block.offsets[index + 1])]
        one_true = np.eye(len(links), dtype=np.int64)
        none = np.zeros((1, len(links)), dtype=np.int64)
        lists = {
            Kind.NAND: (0.0, none + 1),
            Kind.OR: (0.0, none),
            Kind.XOR: (-np.inf, one_true),
            Kind.AT_MOST_ONE: (-np.inf, np.concatenate([none, one_true])),
        }
        if block.kind not in lists:
            return None
        default, truths = lists[block.kind]
        scores = np.full(len(truths), 0.0 if default else -np.inf)
        owners = tuple(self.owner[links].tolist())
        true = np.bitwise_xor(truths, false.astype(np.int64)) == 1
        # A variable of two values may be a pair of the graph's, the first of which is value 0.
        tuples: LongArray = np.where(true, self.state[links], 1 - self.state[links])
        return Exceptions(owners, default, tuples, scores, False)


def _choices(factor: Factor) -> Iterator[LongArray]:
    """Find the links of a factor of which exactly one is true, two or more at a time."""
    count = len(factor.variables)
    groups: list[LongArray] = []
    if factor.kind is Kind.XOR:
        groups = [np.arange(count)]
    elif factor.kind in (Kind.DENSE, Kind.CHAIN):  # a group of one in a table is no choice
        groups = np.split(np.arange(count), np.cumsum(factor.shape)[:-1])
    elif factor.kind is Kind.GRANDPARENT_AUTOMATON:
        groups = [np.arange(int(factor.shape[0]))]
    elif factor.kind is Kind.TREE:
        modifiers = factor.shape[3::2]
        groups = [np.flatnonzero(modifiers == word) for word in np.unique(modifiers)]
    yield from (group for group in groups if len(group) > 1)


def _alone(block: Block, index: int) -> Block:
    """Give one factor as a block, with its links numbered from 0."""
    factor = block.factor(index)
    count = len(factor.variables)
    offsets = np.array([0, count], dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    return Block(
        block.kind,
        offsets,
        np.arange(count, dtype=np.int32),
        factor.negated,
        np.array([0, len(factor.scores)]) if block.kind in WITH_SCORES else none,
        factor.scores,
        np.array([0, len(factor.shape)]) if block.kind in WITH_SHAPES else none,
        factor.shape,
        block.oracles[index : index + 1],
    )


def unfolded(variables: Iterable[tuple[int, ...]], values: Iterable[int], size: int) -> BoolArray:
    """Turn values of the multi-valued variables into those of the graph's variables.

    >>> unfolded([(0, 1, 2), (3,)], [2, 1], 4)
    array([False, False,  True,  True])
    """
    found = np.zeros(size, dtype=bool)
    for group, value in zip(variables, values, strict=True):
        if len(group) > 1:
            found[group[value]] = True
        else:
            found[group[0]] = bool(value)
    return found
