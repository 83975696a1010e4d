"""The words for larger factors: tables, trees, automata, chains, and factors of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.arcs import check_arcs
from turbotree.graphs.blocks import NO_EXTRAS, PROJECTIVE, SINGLE_ROOT, Kind
from turbotree.graphs.literals import (
    Links,
    read_links,
    read_literals,
    read_per_factor,
    read_scores,
    read_whole,
    side_by_side,
)
from turbotree.graphs.matrices import read_boxes, read_sibling_scores
from turbotree.graphs.store import Store

#: A user's factor: scores of its literals -> the best 0/1 array, or (array, its own score).
Oracle = Callable[[NDArray[np.float64]], Any]


class StructuredFactors(Store):
    """Each method adds one factor, or many by an additional first axis or by offsets."""

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

    def tree(
        self,
        heads: Any,
        modifiers: Any,
        xs: Any,
        *,
        words: Any = None,
        projective: bool = False,
        single_root: bool = False,
        offsets: Any = None,
    ) -> None:
        """The true arcs form a tree over words 1..n that hangs from the root 0 (TREE).

        Parameters
        ----------
        heads, modifiers : arrays of whole numbers
            The candidate arcs; ``heads[i]`` to ``modifiers[i]`` is chosen when ``xs[i]`` is true.
        xs : array of literals of the same shape
        words : int, optional
            The number of words; default: the largest modifier. One for each of many trees.
        projective : bool
            Only trees whose arcs do not cross.
        single_root : bool
            Exactly one word hangs from the root (default: at least one).
        offsets : array of shape (F + 1,), optional
            For many trees of different sizes, given flat.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([2.0, 1.0, 3.0, 3.0])
        >>> graph.tree([0, 0, 2, 1], [1, 2, 1, 2], arcs)
        >>> graph.value([1, 0, 0, 1]), graph.value([0, 0, 1, 1])
        (5.0, -inf)
        """
        links = read_links(xs, offsets, "tree")
        ends = [
            read_whole(values, f"tree: {name}")
            for values, name in ((heads, "heads"), (modifiers, "modifiers"))
        ]
        for values, name in zip(ends, ("heads", "modifiers"), strict=True):
            if values.shape != np.shape(xs):
                raise InputError(
                    f"tree: {name}: expected shape {np.shape(xs)} like xs, got {values.shape}"
                )
        flags = PROJECTIVE * bool(projective) + SINGLE_ROOT * bool(single_root)
        table = np.empty((len(links.literals) + 1, 2), dtype=np.int32)
        arcs = table[1:]
        arcs[:, 0], arcs[:, 1] = ends[0].reshape(-1), ends[1].reshape(-1)
        sizes = None
        if words is not None:
            sizes = read_per_factor(read_whole(words, "tree: words"), links.factors, "tree: words")
        sizes = check_arcs(arcs, links, sizes)
        if links.factors == 1:
            table[0] = sizes[0], flags
            self._append(Kind.TREE, links, 0, NO_EXTRAS, table.size, table.reshape(-1))
            return
        every = np.full(links.factors, flags)
        header = np.stack((sizes, every), axis=1).astype(np.int32).reshape(-1)
        shapes = side_by_side([(header, 2), (arcs.reshape(-1), links.lengths * 2)], links.factors)
        self._append(Kind.TREE, links, shape_lengths=links.lengths * 2 + 2, shapes=shapes)

    def siblings(self, xs: Any, scores: Any, *, offsets: Any = None) -> None:
        """Score consecutive modifiers of one head on one side (HEAD AUTOMATON).

        Parameters
        ----------
        xs : array of literals of shape (K,) or (F, K)
            The arcs to the candidate modifiers, outward from the head. Any set of them may be true.
        scores : array of shape (K + 1, K + 1) or (F, K + 1, K + 1)
            ``scores[i, j]``: after the i-th modifier (0: none yet) the next one is the (j + 1)-th;
            ``scores[i, K]``: no other follows. Only ``j >= i`` is read.
        offsets : array of shape (F + 1,), optional
            For factors of different sizes; the scores are then given flat too, one matrix
            after another.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([1.0, 1.0])
        >>> graph.siblings(arcs, [[0.1, 0.2, 0.4], [0, 0.8, 1.6], [0, 0, 3.2]])
        >>> graph.value([0, 0]), graph.value([1, 0]), graph.value([0, 1])  # start, arcs, stop
        (0.4, 2.7, 4.4)
        >>> round(graph.value([1, 1]), 6)
        6.1
        """
        links = read_links(xs, offsets, "siblings")
        flat = read_sibling_scores(scores, links, "siblings: scores", ragged=offsets is not None)
        self._append(Kind.HEAD_AUTOMATON, links, (links.lengths + 1) ** 2, flat)

    def grandparent_siblings(
        self,
        grandparents: Any,
        modifiers: Any,
        sibling_scores: Any = None,
        grandparent_scores: Any = None,
        grandsibling_scores: Any = None,
        *,
        offsets: tuple[Any, Any] | None = None,
    ) -> None:
        """Score a head's modifiers on one side together with its own head.

        The GRANDPARENT-SIBLING AUTOMATON: exactly one of the G arcs into the head is true, any
        of the K arcs to its modifiers are.

        Parameters
        ----------
        grandparents : array of literals of shape (G,) or (F, G)
        modifiers : array of literals of shape (K,) or (F, K)
            Outward from the head, as in :meth:`siblings`.
        sibling_scores : array of shape (K + 1, K + 1), optional
            As in :meth:`siblings`.
        grandparent_scores : array of shape (G, K), optional
            For each true modifier, with the true arc into the head.
        grandsibling_scores : array of shape (G, K + 1, K + 1), optional
            As the sibling scores, for each arc into the head.
        offsets : two arrays of shape (F + 1,), optional
            Those of the grandparents and of the modifiers, for factors of different sizes; the
            scores are then given flat too. Otherwise many factors have one axis more in front.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> into = graph.variables([1.0, 2.0])
        >>> out = graph.variables([0.0])
        >>> graph.grandparent_siblings(into, out, grandparent_scores=[[5.0], [7.0]])
        >>> graph.value([1, 0, 1]), graph.value([0, 1, 0]), graph.value([1, 1, 0])
        (6.0, 2.0, -inf)
        """
        where = "grandparent_siblings"
        ragged = offsets is not None
        above_offsets, below_offsets = (None, None) if offsets is None else offsets
        above = read_links(grandparents, above_offsets, f"{where}: grandparents")
        below = read_links(modifiers, below_offsets, f"{where}: modifiers")
        if above.factors != below.factors:
            raise InputError(
                f"{where}: {above.factors} factors by the grandparents, "
                f"{below.factors} by the modifiers"
            )
        count = above.factors
        parts: list[tuple[NDArray[Any], Any]] = [
            (
                read_sibling_scores(
                    sibling_scores, below, f"{where}: sibling_scores", ragged=ragged
                ),
                (below.lengths + 1) ** 2,
            ),
            (
                read_boxes(
                    grandparent_scores,
                    count,
                    (above.lengths, below.lengths),
                    f"{where}: grandparent_scores",
                    ragged=ragged,
                ),
                above.lengths * below.lengths,
            ),
        ]
        if grandsibling_scores is not None:
            flat = read_sibling_scores(
                grandsibling_scores,
                below,
                f"{where}: grandsibling_scores",
                ragged=ragged,
                copies=above.lengths,
            )
            parts.append((flat, above.lengths * (below.lengths + 1) ** 2))
        literals = [(part.literals, part.lengths) for part in (above, below)]
        links = Links(count, above.lengths + below.lengths, side_by_side(literals, count))
        shapes = np.array(np.broadcast_to(above.lengths, (count,)), dtype=np.int32)
        extra_lengths = sum(length for _, length in parts)
        extras = side_by_side(parts, count)
        self._append(Kind.GRANDPARENT_AUTOMATON, links, extra_lengths, extras, 1, shapes)

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
