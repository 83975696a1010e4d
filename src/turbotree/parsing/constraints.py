"""What is known of a sentence's tree before it is parsed: arcs, labels and spans."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from turbotree.arrays import BoolArray, IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph
from turbotree.parsing.arcs import TreeShape
from turbotree.text import Sentence, find_cycle


class Arc(NamedTuple):
    """A head and its modifier."""

    head: int
    modifier: int


@dataclass(frozen=True)
class Constraints:
    """What the tree of one sentence has to obey; see :meth:`Parser.parse`.

    Attributes
    ----------
    heads
        The head of each modifier that is given one.
    forbidden
        Arcs that the tree must not have.
    labels
        The label of each modifier that is given one.
    forbidden_labels
        Labels that an arc must not have: head (None for any), modifier and label.
    spans
        First and last word of each span that is a subtree.
    """

    heads: dict[int, int] = field(default_factory=dict)
    forbidden: frozenset[Arc] = frozenset()
    labels: dict[int, str] = field(default_factory=dict)
    forbidden_labels: frozenset[tuple[int | None, int, str]] = frozenset()
    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        require: Iterable[Sequence[Any]] = (),
        forbid: Iterable[Sequence[Any]] = (),
        spans: Iterable[Sequence[int]] = (),
    ) -> Constraints:
        """Read constraints as :meth:`Parser.parse` takes them.

        >>> birds = Sentence.from_words(["Birds", "sing"])
        >>> Constraints.of(birds, require=[(2, 1, "nsubj")], forbid=[(0, 1)]).labels
        {1: 'nsubj'}
        """
        heads: dict[int, int] = {}
        labels: dict[int, str] = {}
        for head, modifier, label in _read(sentence, require, "require"):
            if head is not None and heads.setdefault(modifier, head) != head:
                raise InfeasibleError(
                    f"{place(sentence)}: {word(sentence, modifier)} is required to have two "
                    f"heads: {word(sentence, heads[modifier])} and {word(sentence, head)}"
                )
            if label is not None and labels.setdefault(modifier, label) != label:
                raise InfeasibleError(
                    f"{place(sentence)}: {word(sentence, modifier)} is required to have two "
                    f"labels: {labels[modifier]} and {label}"
                )
        out = list(_read(sentence, forbid, "forbid"))
        # A word with a label of its own is not where that is forbidden.
        forbidden = (
            Arc(head, m)
            for head, m, label in out
            if head is not None
            and (label is None or (label == labels.get(m) and heads.get(m) != head))
        )
        return cls(
            heads,
            frozenset(forbidden),
            labels,
            frozenset((head, m, label) for head, m, label in out if label is not None),
            tuple(_read_spans(sentence, spans)),
        )

    @classmethod
    def given(cls, sentence: Sentence) -> Constraints:
        """Take the heads and labels that a sentence has; ``_`` is left open.

        >>> partial = Sentence.from_words(["Birds", "sing"], heads=[None, 0], labels=["_", "root"])
        >>> Constraints.given(partial).heads
        {2: 0}
        """
        heads: dict[int, int] = {}
        for modifier, head in enumerate(sentence.heads, 1):
            if head is None:
                continue
            if head > len(sentence) or head == modifier:
                wrong = "its own head" if head == modifier else f"under word {head}, which is none"
                path, line = sentence.place(modifier)
                raise InputError.at(path, line, f"word {modifier} is {wrong}")
            heads[modifier] = head
        labels = {m: label for m, label in enumerate(sentence.labels, 1) if label != "_"}
        return cls(heads, frozenset(), labels)

    def settled(self, sentence: Sentence, names: Sequence[str], root: str) -> Constraints:
        """Say of arcs what follows from labels, if words have one label just under the root.

        Parameters
        ----------
        sentence
            The sentence, for messages.
        names
            All labels.
        root
            The one that a word has if and only if its head is the root.

        Examples
        --------
        >>> birds = Sentence.from_words(["Birds", "sing"])
        >>> asked = Constraints.of(birds, require=[(None, 2, "root")])
        >>> asked.settled(birds, ["nsubj", "root"], "root").heads
        {2: 0}
        """
        where = place(sentence)
        heads, forbidden = dict(self.heads), set(self.forbidden)
        for modifier, label in self.labels.items():
            head = heads.get(modifier)
            if head is not None and (head == 0) != (label == root):
                raise InfeasibleError(
                    f"{where}: {word(sentence, modifier)} is required under "
                    f"{word(sentence, head)} with label {label}, but "
                    + (
                        f"words under the root have label {root}"
                        if head == 0
                        else f"only words under the root have label {root}"
                    )
                )
            if label == root:
                heads[modifier] = 0
            else:
                forbidden.add(Arc(0, modifier))
        others = set(names) - {root}
        for modifier in {m for _, m, _ in self.forbidden_labels}:
            out: dict[int | None, set[str]] = {None: set()}
            for head, m, label in self.forbidden_labels:
                if m == modifier:
                    out.setdefault(head, set()).add(label)
            anywhere = out.pop(None)
            if root in anywhere | out.pop(0, set()):
                forbidden.add(Arc(0, modifier))
            if others <= anywhere:
                if root in anywhere:
                    raise InfeasibleError(
                        f"{where}: all labels of {word(sentence, modifier)} are forbidden"
                    )
                forbidden |= {Arc(h, modifier) for h in range(1, len(sentence) + 1)}
            forbidden |= {
                Arc(head, modifier)
                for head, labels in out.items()
                if head is not None and others <= labels | anywhere
            }
        return replace(self, heads=heads, forbidden=frozenset(forbidden))

    def __bool__(self) -> bool:
        return any((self.heads, self.forbidden, self.labels, self.forbidden_labels, self.spans))

    def check(self, sentence: Sentence, shape: TreeShape) -> None:
        """Refuse constraints that no tree at all obeys, and say which ones clash."""
        where = place(sentence)

        def arc(head: int, modifier: int) -> str:
            return f"{word(sentence, modifier)} under {word(sentence, head)}"

        for modifier, head in self.heads.items():
            if (head, modifier) in self.forbidden:
                clash = arc(head, modifier)
                raise InfeasibleError(f"{where}: {clash} is both required and forbidden")
        for modifier, label in self.labels.items():
            for above in (None, self.heads.get(modifier)):
                if (above, modifier, label) in self.forbidden_labels:
                    raise InfeasibleError(
                        f"{where}: label {label} of {word(sentence, modifier)} is both required "
                        "and forbidden"
                    )
        cycle = find_cycle([self.heads.get(m, 0) for m in range(1, len(sentence) + 1)])
        if cycle:
            arcs = ", ".join(arc(self.heads[m], m) for m in cycle)
            raise InfeasibleError(f"{where}: required arcs form a cycle: {arcs}")
        roots = [m for m, head in self.heads.items() if head == 0]
        if shape.single_root and len(roots) > 1:
            raise InfeasibleError(
                f"{where}: {word(sentence, roots[0])} and {word(sentence, roots[1])} are both "
                "required to be the root, and only one root is allowed"
            )
        if shape.projective:
            for one, other in combinations(self.heads.items(), 2):
                if _cross(one, other):
                    raise InfeasibleError(
                        f"{where}: required arcs cross, and the tree has to be projective: "
                        f"{arc(*one[::-1])}, {arc(*other[::-1])}"
                    )
        for first, last in self.spans:
            outside = [
                m
                for m in range(first, last + 1)
                if m in self.heads and not first <= self.heads[m] <= last
            ]
            if len(outside) > 1:
                arcs = ", ".join(arc(self.heads[m], m) for m in outside[:2])
                raise InfeasibleError(
                    f"{where}: words {first} to {last} are required to be one subtree, and two "
                    f"of them to have heads outside: {arcs}"
                )

    def allowed(self, words: int) -> BoolArray:
        """Tell which arcs are allowed, ``[head, modifier]``."""
        matrix = np.ones((words + 1, words + 1), dtype=np.bool_)
        matrix[:, 0] = False
        np.fill_diagonal(matrix, False)
        for modifier, head in self.heads.items():
            matrix[:, modifier] = False
            matrix[head, modifier] = True
        for head, modifier in self.forbidden:
            matrix[head, modifier] = False
        return matrix

    def add_spans(self, graph: FactorGraph, rows: IntArray) -> None:
        """Say in a graph, whose first variables are these arcs, that spans are subtrees."""
        for first, last in self.spans:
            inside = (rows >= first) & (rows <= last)
            graph.exactly_one(np.flatnonzero(inside[:, 1] & ~inside[:, 0]))

    def has_spans(self, heads: Sequence[int]) -> bool:
        """Tell whether each span of a tree is a subtree."""
        return all(
            sum(not first <= head <= last for head in heads[first - 1 : last]) == 1
            for first, last in self.spans
        )


def place(sentence: Sentence) -> str:
    """Name a sentence in a message: its file and line, its name if it has one."""
    name = f" ({sentence.sent_id})" if sentence.sent_id else ""
    return f"{sentence.path}:{sentence.line}{name}"


def word(sentence: Sentence, number: int) -> str:
    """Name a word in a message.

    >>> word(Sentence.from_words(["Birds", "sing"]), 2)
    "2 'sing'"
    """
    return f"{number} {sentence.forms[number - 1]!r}" if number else "the root"


def _read(
    sentence: Sentence, arcs: Iterable[Sequence[Any]], name: str
) -> Iterable[tuple[int | None, int, str | None]]:
    words = len(sentence)
    for arc in arcs:
        try:
            head, modifier, label = arc if len(arc) == 3 else (*arc, None)
            head = None if head is None else operator.index(head)
            modifier = operator.index(modifier)
        except (TypeError, ValueError):
            head = modifier = label = None
        # Without a head, there has to be a label.
        if modifier is None or (head is None and label is None):
            raise InputError(
                f"{name}: expected (head, modifier) or (head, modifier, label), got {arc!r}"
            )
        if not (label is None or isinstance(label, str)):
            raise InputError(f"{name}: expected a label that is a string, got {label!r}")
        at = 0 if head is None else head
        if not (0 <= at <= words and 1 <= modifier <= words) or head == modifier:
            raise InputError(
                f"{name}: arc ({head}, {modifier}) does not exist: the head is one of 0 to "
                f"{words}, the modifier another one of 1 to {words}"
            )
        yield head, modifier, label


def _read_spans(sentence: Sentence, spans: Iterable[Sequence[int]]) -> Iterable[tuple[int, int]]:
    for span in spans:
        try:
            first, last = map(operator.index, span)
        except (TypeError, ValueError):
            raise InputError(f"spans: expected (first, last), got {span!r}") from None
        if not 1 <= first <= last <= len(sentence):
            raise InputError(f"spans: ({first}, {last}) is no span of words 1 to {len(sentence)}")
        yield first, last


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((sorted(one), sorted(other)))
    return a < c < b < d
