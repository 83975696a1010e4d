"""The automata of a head's two sides as one, so that both have the same grandparent.

Left modifiers outward, followed by right ones outward, are one row of siblings. A step within a
side scores what it does there; one from the left side to the right is two at once: the last step
on the left, and the first on the right. So an automaton of one side, only longer, reads both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.parsing.parts.sibling import SiblingFamily


@dataclass(frozen=True, slots=True)
class BothSides:
    """The automata of one sentence's heads, made of those of their sides.

    Attributes
    ----------
    links
        The arcs to the modifiers of each head.
    above
        How many candidate heads it has itself: none, if it is the root, which comes first.
    first, second
        Of each head's scores, the two of its sides that they are the sums of, by their places
        there. The place after the last is none.
    places
        How many scores the sides have.
    """

    links: list[IntArray]
    above: list[int]
    first: list[LongArray]
    second: list[LongArray]
    places: int

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


def both_sides(siblings: SiblingFamily, heads: IntArray, *, grand_siblings: bool) -> BothSides:
    """Join the automata of a single sentence's sides.

    Parameters
    ----------
    siblings
        The automata, with grandparents.
    heads
        The head of each candidate arc.
    grand_siblings
        Whether the automata score siblings together with the grandparent, too.
    """
    offsets, score_offsets = siblings.link_offsets, siblings.score_offsets.tolist()
    # The left side of a head, if it has one, comes just before the right one.
    owners = heads[siblings.links[offsets[:-1]]]
    changes = [*np.flatnonzero(np.diff(owners, prepend=-1)).tolist(), len(owners)]
    places = score_offsets[-1]
    found = BothSides([], [], [], [], places)
    for begin, end in pairwise(changes):
        above = int(siblings.above[begin])
        found.links.append(siblings.links[offsets[begin] : offsets[end]])
        found.above.append(above)
        sides = [
            _Side(score_offsets[a], int(offsets[a + 1] - offsets[a]), above)
            for a in range(begin, end)
        ]
        boxes = np.hstack([side.box() for side in sides])
        pairs = [
            _joined([side.square() for side in sides], places),
            (boxes, np.full_like(boxes, places)),
        ]
        if grand_siblings:
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
