"""Families of parts: which arcs each part is made of, and where automata take its score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import BoolArray, IntArray, LongArray
from turbotree.features import Parts
from turbotree.parsing import _core


@dataclass(frozen=True, slots=True)
class Family(ABC):
    """The parts of one family in a batch of sentences.

    Attributes
    ----------
    parts
        Words of each part, as the family's kind has them.
    """

    parts: Parts

    @abstractmethod
    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""


@dataclass(frozen=True, slots=True)
class ArcFamily(Family):
    """Parts that are there if all of their arcs are.

    Attributes
    ----------
    arcs
        The arcs that a part is made of, numbered within their sentence; -1 for none.
    """

    arcs: IntArray

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        arcs = self.arcs[self.parts.places(sentence)]
        has: BoolArray = chosen[arcs[:, 0]] & chosen[arcs[:, 1]]
        return has


@dataclass(frozen=True, slots=True)
class SiblingFamily(ArcFamily):
    """Consecutive siblings; the arcs of one head and side form an automaton.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    spans
        The links that each part jumps over: first, and the one after the last.
    links, link_offsets
        The arcs of each automaton, outward from the head.
    automaton_offsets
        The automata of each sentence; that of the root comes first.
    variables, variable_offsets, above, score_offsets
        The automata as factors: the arcs of each, of which the first so many lead into the head;
        and their scores.
    """

    cells: IntArray
    spans: IntArray
    links: IntArray
    link_offsets: IntArray
    automaton_offsets: IntArray
    variables: IntArray
    above: IntArray
    variable_offsets: LongArray
    score_offsets: LongArray

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        return self.next_to_each_other(sentence, chosen, self.arcs[at], self.spans[at])

    def next_to_each_other(
        self, sentence: int, chosen: BoolArray, arcs: IntArray, spans: IntArray
    ) -> BoolArray:
        """Tell for pairs of arcs of an automaton whether a tree has both and none between."""
        passed = self.chosen_before(sentence, chosen)
        # "None" stands for both ends of the row, which are always there.
        with_none = np.append(chosen, True)
        none_between = passed[spans[:, 0]] == passed[spans[:, 1]]
        has: BoolArray = with_none[arcs[:, 0]] & with_none[arcs[:, 1]] & none_between
        return has

    def automata(self, sentence: int) -> tuple[IntArray, IntArray]:
        """Return the links of a sentence's automata and their offsets."""
        first, last = self.automaton_offsets[sentence], self.automaton_offsets[sentence + 1]
        offsets = self.link_offsets[first : last + 1]
        return self.links[offsets[0] : offsets[-1]], offsets - offsets[0]

    def chosen_before(self, sentence: int, chosen: BoolArray) -> LongArray:
        """Count, for each link of a sentence's automata and the end, the chosen ones before it."""
        links, _ = self.automata(sentence)
        return np.concatenate([[0], np.cumsum(chosen[links])])

    def square_cells(self, sentence: int) -> LongArray:
        """Return the place of each part among squares alone, one an automaton.

        That is where scores lie if the automata score siblings and nothing else.
        """
        first, last = self.automaton_offsets[sentence : sentence + 2]
        sides = np.diff(self.link_offsets[first : last + 1]).astype(np.int64) + 1
        squares = np.concatenate([[0], np.cumsum(sides**2)])
        shifts = squares[:-1] - (self.score_offsets[first:last] - self.score_offsets[first])
        cells: LongArray = self.cells[self.parts.places(sentence)] + np.repeat(
            shifts, sides * (sides + 1) // 2
        )
        return cells


@dataclass(frozen=True, slots=True)
class GrandparentFamily(ArcFamily):
    """Chains of two arcs.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    """

    cells: IntArray


@dataclass(frozen=True, slots=True)
class GrandSiblingFamily(ArcFamily):
    """Consecutive siblings with their grandparent.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    spans
        The links that each part jumps over: first, and the one after the last.
    siblings
        The automata.
    """

    cells: IntArray
    spans: IntArray
    siblings: SiblingFamily

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        arcs = self.arcs[at]
        next_to = self.siblings.next_to_each_other(sentence, chosen, arcs[:, 1:], self.spans[at])
        has: BoolArray = chosen[arcs[:, 0]] & next_to
        return has


@dataclass(frozen=True, slots=True)
class TriSiblingFamily(ArcFamily):
    """Three consecutive siblings.

    Attributes
    ----------
    cells
        The place of each part among the cubes of scores of its sentence's automata, of which those
        with a single link, or with very many, have none.
    spans
        The links between the first and the last of the three: first, and the one after the last.
    siblings
        The automata.
    """

    cells: IntArray
    spans: IntArray
    siblings: SiblingFamily

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        passed, spans = self.siblings.chosen_before(sentence, chosen), self.spans[at]
        only_the_middle = passed[spans[:, 1]] - passed[spans[:, 0]] == 1
        # "None" stands for both ends of the row, which are always there.
        first, middle, last = np.append(chosen, True)[self.arcs[at]].T
        has: BoolArray = first & middle & last & only_the_middle
        return has

    def automata(self, sentence: int) -> tuple[IntArray, LongArray]:
        """Return the links of a sentence's automata that have a cube, and their lengths."""
        links, offsets = self.siblings.automata(sentence)
        lengths = np.diff(offsets).astype(np.int64)
        several = (lengths > 1) & (lengths <= _core.MOST_LINKS_OF_CUBES)
        return links[np.repeat(several, lengths)], lengths[several]
