"""Sentences as worlds for rules: a tree that is given, trees to be found, labels to be found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from turbotree.arrays import IntArray
from turbotree.features import Parts
from turbotree.graphs import FactorGraph
from turbotree.graphs.rules.circuit import FALSE, TRUE, Circuit
from turbotree.graphs.rules.evaluation import pattern
from turbotree.graphs.rules.relations import Ints, Relation
from turbotree.graphs.rules.syntax import Atom, Constant, Values
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.parts.ancestry import AncestryFamily, renumbered
from turbotree.parsing.rules.words import Words


class SentenceWorld(ABC):
    """What all worlds of a sentence share: its words."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._relations: dict[tuple[str, tuple[str, ...]], Relation] = {}
        self.domain = words.domain
        self.function = words.function
        self.holds = words.holds
        self.members = words.members
        self.code = words.code
        self.decode = words.decode
        self.texts = words.texts

    def relation(self, atom: Atom) -> Relation | None:
        """Return the table of a predicate; that of labels depends on which are asked for."""
        if atom.name == "between":
            return None
        if atom.name == "quoted":
            return self.words.quoted
        patterns = patterns_of(atom) if atom.name == "label" else ()
        found = self._relations.get((atom.name, patterns))
        if found is None:
            found = self.labelled(patterns) if patterns else self.made(atom.name)
            self._relations[atom.name, patterns] = found
        return found

    @abstractmethod
    def made(self, name: str) -> Relation:
        """Make the table of a predicate of trees."""

    @abstractmethod
    def labelled(self, patterns: tuple[str, ...]) -> Relation:
        """Make the table of the arcs that have one of some labels."""


def patterns_of(atom: Atom) -> tuple[str, ...]:
    """Return the labels that an atom asks for."""
    given = atom.arguments[2]
    if isinstance(given, Values):
        return tuple(sorted(str(value) for value in given.values))
    assert isinstance(given, Constant)
    return (str(given.value),)


def matches(label: str, patterns: Sequence[str]) -> bool:
    """Tell whether a label is one of some; ``*`` stands for anything.

    >>> matches("nsubj:pass", ("nsubj*", "csubj*"))
    True
    """
    return any(
        pattern(one).fullmatch(label) is not None if "*" in one else one == label
        for one in patterns
    )


class TreeWorld(SentenceWorld):
    """A tree that is given, with labels or without."""

    def __init__(self, words: Words, heads: IntArray, labels: Sequence[str] | None = None) -> None:
        super().__init__(words)
        self.heads = heads.astype(np.int64)
        self.labels = labels

    def made(self, name: str) -> Relation:
        """Make the table of a predicate of trees."""
        heads, modifiers = self.heads, np.arange(1, len(self.heads) + 1)
        if name == "arc":
            return Relation.of(np.column_stack([heads, modifiers]))
        if name == "sibling":
            return Relation.of(consecutive(heads.tolist()), columns=3)
        below = descent(heads)
        if name == "path":
            return Relation.of(np.argwhere(below))
        before = np.cumsum(below, axis=1)
        low, high = np.minimum(heads, modifiers), np.maximum(heads, modifiers)
        inside = before[heads, high - 1] - before[heads, low]
        crossing = (inside < high - low - 1) & (heads > 0)
        return Relation.of(np.column_stack([heads, modifiers])[crossing])

    def labelled(self, patterns: tuple[str, ...]) -> Relation:
        """Make the table of the arcs that have one of some labels."""
        assert self.labels is not None
        words = [w for w, label in enumerate(self.labels, 1) if matches(label, patterns)]
        modifiers = np.array(words, dtype=np.int64)
        return Relation.of(np.column_stack([self.heads[modifiers - 1], modifiers]))


def descent(heads: Ints) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Tell of the root and every word, and of every word, whether the second is below the first.

    >>> descent(np.array([2, 0]))[0].tolist(), descent(np.array([2, 0]))[2].tolist()
    ([False, True, True], [False, True, False])
    """
    size = len(heads) + 1
    below = np.zeros((size, size), dtype=bool)
    head = np.concatenate([[0], heads])
    words, above = np.arange(1, size), heads.copy()
    while len(words):
        below[above, words] = True
        inner = above > 0
        words, above = words[inner], head[above[inner]]
    return below


def consecutive(heads: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (h, m, s): s is the next modifier of h after m, on the same side, outward from h.

    >>> consecutive([2, 0, 2, 2])
    [(2, 3, 4)]
    """
    modifiers: dict[int, list[int]] = {}
    for word, head in enumerate(heads, 1):
        modifiers.setdefault(head, []).append(word)
    found = []
    for head, own in modifiers.items():
        left = [word for word in reversed(own) if word < head]
        right = [word for word in own if word > head]
        for side in (left, right):
            found += [(head, a, b) for a, b in pairwise(side)]
    return found


class ArcWorld(SentenceWorld):
    """Trees to be found: arcs are the first variables of a graph.

    Parameters
    ----------
    words
        The sentence.
    arcs
        Rows of the candidate arcs.
    graph
        Is given the variables of paths if a rule speaks of them.
    circuit
        Holds what is made of several arcs.
    labels
        Given arcs and patterns, the truth values of "this arc has one of these labels".
    """

    def __init__(
        self,
        words: Words,
        arcs: IntArray,
        graph: FactorGraph,
        circuit: Circuit,
        labels: Callable[[tuple[str, ...]], Ints] | None = None,
    ) -> None:
        super().__init__(words)
        self.arcs = arcs.astype(np.int64)
        self._graph = graph
        self._circuit = circuit
        self._labels = labels
        self._ancestry: dict[str, Relation] | None = None

    def made(self, name: str) -> Relation:
        """Make the table of a predicate of trees."""
        if name == "arc":
            return Relation.of(self.arcs, np.arange(len(self.arcs)))
        if name == "sibling":
            return self._siblings()
        if self._ancestry is None:
            self._ancestry = self._add_ancestry()
        return self._ancestry[name]

    def labelled(self, patterns: tuple[str, ...]) -> Relation:
        """Make the table of the arcs that may have one of some labels."""
        assert self._labels is not None
        truths = self._labels(patterns)
        possible = truths != FALSE
        return Relation.of(self.arcs[possible], truths[possible])

    def _siblings(self) -> Relation:
        """Two arcs of a head, and none of those between."""
        by_side: dict[tuple[int, bool], list[tuple[int, int]]] = {}
        for number, (head, modifier) in enumerate(self.arcs.tolist()):
            by_side.setdefault((head, modifier > head), []).append((modifier, number))
        rows, truths = [], []
        for (head, _), own in by_side.items():
            own.sort(key=lambda one: abs(one[0] - head))
            for first, (one, arc) in enumerate(own):
                for second in range(first + 1, len(own)):
                    other, next_arc = own[second]
                    between = [~skipped for _, skipped in own[first + 1 : second]]
                    rows.append((head, one, other))
                    truths.append(self._circuit.all_of([arc, next_arc, *between]))
        return Relation.of(rows, truths, columns=3)

    def _add_ancestry(self) -> dict[str, Relation]:
        lengths = np.array([self.words.size], dtype=np.int32)
        arcs = Parts.of_one(self.arcs.astype(np.int32))
        parts = PartSet.build(lengths, arcs, ("path", "nonprojective"))
        nothing = {name: np.zeros(len(own.rows)) for name, own in parts.items()}
        scored, first, count = ScoredSentence(parts, 0, nothing), len(self._graph), len(self.arcs)
        found = {}
        for name, family in parts.families.items():
            assert isinstance(family, AncestryFamily)
            family.add_to_graph(self._graph, scored)
            rows = family.parts.rows.astype(np.int64)
            truths = renumbered(family.literals, count, first)
            if name == "path":
                certain = self._certain_paths()
                rows = np.concatenate([rows, certain])
                truths = np.concatenate([truths, np.full(len(certain), TRUE)])
            found[name] = Relation.of(rows, truths, columns=2)
        return found

    def _certain_paths(self) -> Ints:
        """Return pairs whose second word descends from the first in every tree.

        Without the first word, no arcs lead from the root to the second.
        """
        size = self.words.size
        below: list[list[int]] = [[] for _ in range(size + 1)]
        for head, modifier in self.arcs.tolist():
            below[head].append(modifier)
        pairs = [(0, word) for word in range(1, size + 1)]
        for closed in range(1, size + 1):
            reached, todo = {0, closed}, [0]
            while todo:
                for word in below[todo.pop()]:
                    if word not in reached:
                        reached.add(word)
                        todo.append(word)
            pairs += [(closed, word) for word in range(1, size + 1) if word not in reached]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)


class LabelWorld(TreeWorld):
    """Labels to be found for a tree that is given.

    Parameters
    ----------
    words, heads
        The sentence and its tree.
    states
        For each word its labels, and the variable of each.
    circuit
        Holds what is made of several labels.
    """

    def __init__(
        self,
        words: Words,
        heads: IntArray,
        states: Sequence[tuple[Sequence[str], Sequence[int]]],
        circuit: Circuit,
    ) -> None:
        super().__init__(words, heads)
        self._states = states
        self._circuit = circuit

    def labelled(self, patterns: tuple[str, ...]) -> Relation:
        """Make the table of the arcs that may have one of some labels."""
        rows, truths = [], []
        for word, (labels, variables) in enumerate(self._states, 1):
            own = [
                variable
                for label, variable in zip(labels, variables, strict=True)
                if matches(label, patterns)
            ]
            if own:
                rows.append((int(self.heads[word - 1]), word))
                every = len(own) == len(labels)
                truths.append(TRUE if every else self._circuit.any_of(own))
        return Relation.of(rows, truths, columns=2)
