"""Ground formulas: what is left of a rule when its variables have values, shared where equal.

A truth value is a number, alone or in arrays: `TRUE`, `FALSE`, a literal of the graph, or the
number of a node of the circuit; ``~`` negates each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

#: What is certain; ``~TRUE`` is what is impossible.
TRUE = 2**62
FALSE = ~TRUE
#: Numbers from here on are nodes; those below are variables of the graph.
_FIRST_NODE = 2**48


class Node(NamedTuple):
    """At least so many of the children hold; all of them for a conjunction."""

    least: int
    children: tuple[int, ...]

    @property
    def conjunction(self) -> bool:
        """Whether all children have to hold."""
        return self.least == len(self.children)


class Circuit:
    """Nodes by number; the same formula has the same number.

    >>> circuit = Circuit()
    >>> a, b = 0, 1
    >>> circuit.all_of([a, b]) == circuit.all_of([b, a, TRUE])
    True
    >>> circuit.any_of([a, ~a]) == TRUE, circuit.any_of([a, FALSE]) == a
    (True, True)
    """

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}

    def node(self, number: int) -> Node | None:
        """Return a node that is not negated; None for a variable."""
        return self._nodes[number - _FIRST_NODE] if _FIRST_NODE <= number < TRUE else None

    def all_of(self, values: Iterable[int]) -> int:
        """Return the conjunction."""
        children: set[int] = set()
        todo = list(values)
        while todo:
            value = todo.pop()
            if value == FALSE or ~value in children:
                return FALSE
            if value == TRUE:
                continue
            inner = self.node(value)
            if inner is not None and inner.conjunction:
                todo.extend(inner.children)
            else:
                children.add(value)
        if not children:
            return TRUE
        if len(children) == 1:
            return children.pop()
        return self._number(Node(len(children), tuple(sorted(children))))

    def any_of(self, values: Iterable[int]) -> int:
        """Return the disjunction."""
        return ~self.all_of(~value for value in values)

    def at_least(self, least: int, values: Iterable[int]) -> int:
        """Say that at least so many hold; a value that is repeated counts as often."""
        counts: Counter[int] = Counter()
        for value in values:
            if value == TRUE:
                least -= 1
            elif value != FALSE and counts[~value]:
                counts[~value] -= 1  # one of the two holds
                least -= 1
            elif value != FALSE:
                counts[value] += 1
        open_values = list(counts.elements())
        if least <= 0:
            return TRUE
        if least > len(open_values):
            return FALSE
        if least == len(open_values):
            return self.all_of(open_values)
        if least == 1:
            return self.any_of(open_values)
        return self._number(Node(least, tuple(sorted(open_values))))

    def _number(self, node: Node) -> int:
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = _FIRST_NODE + len(self._nodes)
            self._nodes.append(node)
        return number
