"""Ground formulas as factors of a graph."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from turbotree.errors import InfeasibleError
from turbotree.graphs.rules.circuit import FALSE, TRUE, Circuit, Node

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


class Writer:
    """Adds ground formulas to a graph, hard or with a score.

    Clauses become OR factors with negated links, single literals evidence, counts budgets.
    Whatever else stands inside a formula gets a variable of its own, once for all formulas.

    Attributes
    ----------
    constant
        What the score of every assignment lacks in the graph: scores of formulas that are certain.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph, circuit = FactorGraph(), Circuit()
    >>> a, b, c = graph.variables([1.0, 1.0, 1.0], names="abc").tolist()
    >>> writer = Writer(graph, circuit)
    >>> writer.require(circuit.any_of([~a, circuit.all_of([b, ~c])]))
    >>> print(graph)
    4 variables, 2 factors
      1 at_least_one (2 links), 1 define_and (3 links)
    variables: a 1, b 1, c 1, x3 0
      at_least_one(x3, not a)
      define_and(x3 = not c and b)
    """

    def __init__(self, graph: FactorGraph, circuit: Circuit) -> None:
        self.graph = graph
        self.circuit = circuit
        self.constant = 0.0
        self._literals: dict[int, int] = {}
        self._required: set[int] = set()

    def require(self, value: int) -> None:
        """Say that a formula holds."""
        if value == TRUE or value in self._required:
            return
        if value == FALSE:
            raise InfeasibleError("a rule cannot be satisfied")
        self._required.add(value)
        node, negated = self.circuit.node(value), self.circuit.node(~value)
        if node is None and negated is None:
            self._fix(value)
        elif node is not None and node.conjunction:
            self._require_all(node)
        elif node is not None:
            # At least k of n: at most n - k of the negations.
            children = [~self.literal(child) for child in node.children]
            self._at_most(children, len(children) - node.least)
        elif negated is not None and negated.conjunction:
            self.graph.at_least_one([~self.literal(child) for child in negated.children])
        else:
            assert negated is not None
            self._at_most([self.literal(child) for child in negated.children], negated.least - 1)

    def _fix(self, literal: int) -> None:
        variable = literal if literal >= 0 else ~literal
        if self.graph.evidence[variable] == int(literal < 0):
            raise InfeasibleError("two rules say the contrary")
        self.graph.fix(literal)

    def _require_all(self, node: Node) -> None:
        """Require what a conjunction is made of; "at least one, at most one" is one factor."""
        children = set(node.children)
        for child in node.children:
            counted = self.circuit.node(~child)
            if counted is None or counted.least != 2 or counted.conjunction:
                continue
            some = self.circuit.any_of(counted.children)
            if some in children and len(set(counted.children)) == len(counted.children):
                children -= {child, some}
                self.graph.exactly_one([self.literal(one) for one in counted.children])
        for child in sorted(children):
            self.require(child)

    def _at_most(self, literals: list[int], most: int) -> None:
        counts = Counter(literals)
        if max(counts.values()) > 1:
            self.graph.knapsack(list(counts), list(counts.values()), most)
        elif most == 1:
            self.graph.at_most_one(literals)
        else:
            self.graph.at_most(literals, most)

    def score(self, value: int, score: float) -> None:
        """Add a score to all assignments in which a formula holds."""
        if value == FALSE or score == 0.0:
            return
        if value == TRUE:
            self.constant += score
            return
        node, negated = self.circuit.node(value), self.circuit.node(~value)
        if node is not None and node.conjunction and len(node.children) == 2:
            first, second = (self.literal(child) for child in node.children)
            self.graph.pair(first, second, score)
        elif negated is not None and negated.conjunction:
            self.constant += score
            self.score(~value, -score)
        else:
            literal = self.literal(value)
            variable = literal if literal >= 0 else ~literal
            if literal < 0:
                self.constant += score
                score = -score
            self.graph.set_scores(self.graph.scores[variable] + score, variable)

    def literal(self, value: int) -> int:
        """Return a literal of the graph that is true exactly when a formula holds."""
        if value < 0:
            return ~self.literal(~value)
        node = self.circuit.node(value)
        if node is None:
            return value
        literal = self._literals.get(value)
        if literal is None:
            literal = self._literals[value] = self._defined(node)
        return literal

    def _defined(self, node: Node) -> int:
        children = [self.literal(child) for child in node.children]
        defined = self.graph.variable()
        if node.conjunction:
            self.graph.define_and(defined, children)
            return defined
        counts = Counter(children)
        inputs, costs = list(counts), np.array(list(counts.values()))
        total, least = len(children), node.least
        # If defined, at least k hold: at most n - k do not. If not, at most k - 1 do.
        self.graph.knapsack([~x for x in inputs] + [defined], [*costs, least], total)
        self.graph.knapsack([*inputs, ~defined], [*costs, total - least + 1], total)
        return defined
