"""The words for factors over states: tables and chains; and for factors of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.blocks import Kind
from turbotree.graphs.literals import Links, read_links, read_literals, read_scores
from turbotree.graphs.store import Store

#: A user's factor: scores of its literals -> the best 0/1 array, or (array, its own score).
Oracle = Callable[[NDArray[np.float64]], Any]


class StructuredFactors(Store):
    """Each method adds one factor; tables and chains many, by an additional first axis."""

    def table(self, groups: Sequence[Any], scores: Any) -> None:
        """Score each combination of values of a few multi-valued variables (DENSE).

        Parameters
        ----------
        groups : sequence of arrays of literals
            The states of each multi-valued variable, of which exactly one is true; a single
            literal is a plain binary variable with the two states false and true.
        scores : array of shape (S1, S2, ...)
            One score a combination, ``-inf`` to forbid it; 2 along the axis of a binary variable.
            With one axis more in front, of length F, the groups have shape ``(F, S)``
            (``(F,)`` for a binary variable) and F factors are added.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> red, green, blue = graph.variables([0.0, 0.1, 0.2])
        >>> sunny = graph.variable(1.0)
        >>> graph.table([[red, green, blue], sunny], [[0, 3], [0, -1], [-float("inf"), 0]])
        >>> graph.value([1, 0, 0, 1]), graph.value([0, 0, 1, 0]), graph.value([1, 1, 0, 1])
        (4.0, -inf, -inf)
        """
        table = read_scores(scores, "table")
        states = [read_literals(group, "table") for group in _listed(groups, "table: groups")]
        if not states:
            raise InputError("table: a factor needs at least one variable, got none")
        many = table.ndim == len(states) + 1
        count = table.shape[0] if many else 1
        shaped = [
            (group.reshape(count, -1) if count and group.size else group.reshape(count, 0))
            if group.ndim <= 1 + many and (not many or group.shape[:1] == (count,))
            else _wrong_group(group, count if many else None)
            for group in states
        ]
        sizes = [group.shape[1] for group in shaped]
        if count and 0 in sizes:
            raise InputError(f"table: group {sizes.index(0)} is empty")
        expected = (count,) * many + tuple(2 if size == 1 else size for size in sizes)
        if count and table.shape != expected:
            raise InputError(f"table: scores: expected shape {expected}, got {table.shape}")
        if not count:
            return
        literals = np.concatenate(shaped, axis=1)
        shapes = np.tile(np.array(sizes, dtype=np.int32), count)
        links = Links(count, int(literals.shape[1]), literals.reshape(-1))
        flat = table.reshape(-1)
        self._append(Kind.DENSE, links, len(flat) // count, flat, len(sizes), shapes)

    def chain(self, states: Any, transitions: Any) -> None:
        """Exactly one state is true at each node; neighbouring states have scores (CHAIN).

        Parameters
        ----------
        states : sequence of T arrays of literals, or array of shape (T, S)
            The states of each node; an array of shape (F, T, S) is F chains.
        transitions : sequence of T - 1 arrays, or array of shape (T - 1, S, S) or (S, S)
            ``transitions[t][a, b]`` is added when node t is in its state a and node t + 1 in its
            state b; ``-inf`` forbids that. Of shape (S, S), the same everywhere. F chains have
            (F, T - 1, S, S), or share the above.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> states = graph.variables([[1.0, 0.0], [0.0, 0.5]])
        >>> graph.chain(states, [[0.0, 2.0], [0.0, 0.0]])
        >>> graph.value([1, 0, 0, 1]), graph.value([1, 1, 0, 1])
        (3.5, -inf)
        """
        array = _uniform_states(states)
        if array is not None:
            count, length, size = array.shape
            flat = _uniform_transitions(transitions, count, length, size)
            links = Links(count, length * size, array.reshape(-1))
            shapes = np.full(count * length, size, dtype=np.int32)
            step = (length - 1) * size * size
            self._append(Kind.CHAIN, links, step, flat, length, shapes)
            return
        nodes = [read_literals(node, "chain: states").reshape(-1) for node in states]
        sizes = [len(node) for node in nodes]
        if not nodes or 0 in sizes:
            raise InputError("chain: expected one node or more, each with at least one state")
        matrices = _listed(transitions, "chain: transitions")
        steps = [read_scores(step, "chain: transitions") for step in matrices]
        expected = list(pairwise(sizes))
        if [step.shape for step in steps] != expected:
            raise InputError(
                f"chain: transitions: expected shapes {expected}, "
                f"got {[step.shape for step in steps]}"
            )
        flat = np.concatenate([np.zeros(0), *(step.reshape(-1) for step in steps)])
        links = Links(1, sum(sizes), np.concatenate(nodes))
        shapes = np.array(sizes, dtype=np.int32)
        self._append(Kind.CHAIN, links, len(flat), flat, len(sizes), shapes)

    def custom(self, xs: Any, oracle: Oracle) -> None:
        """Add a factor known only by a Python function that solves it (CUSTOM).

        Parameters
        ----------
        xs : array of literals of shape (K,)
        oracle : callable
            Takes the K scores (finite float64) of its literals and gives the allowed 0/1 array
            with the largest score, or a pair of that array and the factor's own score for it.

        Examples
        --------
        >>> import numpy as np
        >>> from turbotree.graphs import FactorGraph
        >>> def all_or_none(scores):
        ...     return np.full(len(scores), scores.sum() > 0)
        >>> graph = FactorGraph()
        >>> graph.custom(graph.variables([1.0, 2.0]), all_or_none)
        >>> graph.value([1, 1]), graph.value([1, 0])
        (3.0, -inf)
        """
        if not callable(oracle):
            raise InputError(f"custom: oracle: expected a function, got {type(oracle).__name__}")
        links = read_links(xs, None, "custom")
        if np.ndim(xs) != 1:
            raise InputError(f"custom: xs: expected shape (K,), got {np.shape(xs)}")
        self._append(Kind.CUSTOM, links, oracles=(oracle,))


def _listed(things: Any, where: str) -> list[Any]:
    try:
        return list(things)
    except TypeError:
        raise InputError(f"{where}: expected a sequence, got {type(things).__name__}") from None


def _wrong_group(group: NDArray[Any], count: int | None) -> NDArray[np.int64]:
    expected = "a literal or shape (S,)" if count is None else f"shape ({count}, S) or ({count},)"
    raise InputError(f"table: groups: expected {expected}, got shape {group.shape}")


def _uniform_states(states: Any) -> NDArray[np.int64] | None:
    """States as (F, T, S), or None if the nodes differ in size."""
    if not isinstance(states, np.ndarray):
        nodes = [read_literals(node, "chain: states") for node in _listed(states, "chain: states")]
        if len({node.shape for node in nodes}) > 1:
            return None
    array = read_literals(states, "chain: states")
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or 0 in array.shape[1:]:
        raise InputError(
            "chain: states: expected one array of literals for each node, shape (T, S) or "
            f"(F, T, S), got {np.shape(states)}"
        )
    return array


def _uniform_transitions(
    transitions: Any, count: int, length: int, size: int
) -> NDArray[np.float64]:
    steps = read_scores(transitions, "chain: transitions")
    if length == 1 and steps.size == 0:
        return np.zeros(0)
    expected = ((size, size), (length - 1, size, size), (count, length - 1, size, size))
    if steps.shape not in expected:
        raise InputError(
            f"chain: transitions: expected shape {expected[0]}, {expected[1]} or {expected[2]}, "
            f"got {steps.shape}"
        )
    return np.array(np.broadcast_to(steps, expected[2])).reshape(-1)
