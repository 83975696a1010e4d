"""The automata of a head's two sides as one, so that both have the same grandparent.

Left modifiers outward, followed by right ones outward, are one row of siblings. A step within a
side scores what it does there; one from the left side to the right is two at once: the last step
on the left, and the first on the right. So an automaton of one side, only longer, reads both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.graphs import FactorGraph, Kind
from turbotree.parsing.parts.sibling import SiblingFamily, automata_scores

if TYPE_CHECKING:
    from turbotree.parsing.parts.part_set import ScoredSentence


@dataclass(frozen=True, slots=True)
class BothSides:
    """The automata of one sentence's heads, made of those of their sides.

    Attributes
    ----------
    links
        The arcs to the modifiers of each head.
    into
        The arcs into it: none, if it is the root, which comes first.
    first, second
        Of each head's scores, the two of its sides that they are the sums of, by their places
        there. The place after the last is none.
    places
        How many scores the sides have.
    """

    links: list[IntArray]
    into: list[IntArray]
    first: list[LongArray]
    second: list[LongArray]
    places: int

    def add_to(self, graph: FactorGraph, of_sides: FloatArray, *, copied: bool = False) -> None:
        """Add an automaton per head to a graph whose first variables are the arcs.

        Parameters
        ----------
        graph
            Where to add them.
        of_sides
            The scores of the automata of the sides.
        copied
            Give each head copies of the arcs into it, which cost nothing.
        """
        for links, into, own in zip(self.links, self.into, self.scores(of_sides), strict=True):
            if not len(into):
                graph.add_chunk(Kind.HEAD_AUTOMATON, 1, len(links), links, len(own), own)
                continue
            above = graph.variables(np.zeros(len(into))) if copied else into
            variables = np.concatenate([above, links]).astype(np.int32)
            shape = np.array([len(into)], dtype=np.int32)
            graph.add_chunk(
                Kind.GRANDPARENT_AUTOMATON, 1, len(variables), variables, len(own), own, 1, shape
            )

    def scores(self, of_sides: FloatArray) -> list[FloatArray]:
        """Return the scores of each head's automaton, given those of the sides'."""
        padded = np.append(of_sides, 0.0)
        return [padded[a] + padded[b] for a, b in zip(self.first, self.second, strict=True)]

    def of_sides(self, expected: FloatArray) -> FloatArray:
        """Return how often the sides' scores count, given how often the heads' do."""
        counts = np.zeros(self.places + 1)
        for places in (self.first, self.second):
            counts += np.bincount(np.concatenate(places), expected, len(counts))
        return counts[:-1]


def both_sides(scored: ScoredSentence) -> BothSides:
    """Join the automata of the sides of a sentence's heads, which have grandparents."""
    families = scored.parts.families
    siblings = families["sibling"]
    assert isinstance(siblings, SiblingFamily)
    heads = scored.arcs[:, 0]
    zeroth, last = siblings.automaton_offsets[scored.sentence : scored.sentence + 2].tolist()
    offsets = siblings.link_offsets[zeroth : last + 1]
    own_scores = siblings.score_offsets[zeroth : last + 1]
    score_offsets = (own_scores - own_scores[0]).tolist()
    variable_offsets = siblings.variable_offsets[zeroth : last + 1]
    # The left side of a head, if it has one, comes just before the right one.
    owners = heads[siblings.links[offsets[:-1]]]
    changes = [*np.flatnonzero(np.diff(owners, prepend=-1)).tolist(), len(owners)]
    places = score_offsets[-1]
    found = BothSides([], [], [], [], places)
    for begin, end in pairwise(changes):
        above = int(siblings.above[zeroth + begin])
        into = siblings.variables[variable_offsets[begin] :][:above]
        found.links.append(siblings.links[offsets[begin] : offsets[end]])
        found.into.append(into)
        sides = [
            _Side(score_offsets[a], int(offsets[a + 1] - offsets[a]), above)
            for a in range(begin, end)
        ]
        boxes = np.hstack([side.box() for side in sides])
        pairs = [
            _joined([side.square() for side in sides], places),
            (boxes, np.full_like(boxes, places)),
        ]
        if "grand_sibling" in families:
            pairs += [_joined([side.square(g) for side in sides], places) for g in range(above)]
        found.first.append(np.concatenate([first.ravel() for first, _ in pairs]))
        found.second.append(np.concatenate([second.ravel() for _, second in pairs]))
    return found


@dataclass(frozen=True, slots=True)
class _Side:
    """Where the scores of an automaton lie; ``core/parsing/parts.h`` says how."""

    start: int
    links: int
    above: int

    def square(self, grandparent: int | None = None) -> LongArray:
        """Return the places of steps: rows of the one before, columns of the next."""
        size = (self.links + 1) ** 2
        at = self.start
        if grandparent is not None:
            at += size + self.above * self.links + grandparent * size
        return np.arange(at, at + size).reshape(self.links + 1, self.links + 1)

    def box(self) -> LongArray:
        """Return the places of modifiers (columns) with the head's own heads (rows)."""
        at = self.start + (self.links + 1) ** 2
        return np.arange(at, at + self.above * self.links).reshape(self.above, self.links)


def _joined(squares: Sequence[LongArray], none: int) -> tuple[LongArray, LongArray]:
    """Return the two places of each step along one side, or along both."""
    if len(squares) == 1:
        return squares[0], np.full_like(squares[0], none)
    left, right = squares
    p, q = len(left) - 1, len(right) - 1
    first = np.full((p + q + 1, p + q + 1), none)
    second = first.copy()
    first[: p + 1, :p] = left[:, :p]
    first[: p + 1, p:] = left[:, p:]  # the left side stops here,
    second[: p + 1, p:] = right[:1]  # and the right one starts
    first[p + 1 :, p:] = right[1:]
    return first, second


def heads_graph(scored: ScoredSentence) -> FactorGraph:
    """Write a sentence as a graph in which every head has one automaton, as Koo et al. have it.

    With grandparents, that is tighter than an automaton for each side; without, it is the same.
    """
    if not {"sibling", "grandparent"} <= scored.parts.families.keys():
        return scored.graph()
    graph = scored.graph(omit=("sibling",))
    both_sides(scored).add_to(graph, automata_scores(scored))
    return graph
