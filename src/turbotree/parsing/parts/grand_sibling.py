"""Consecutive siblings with their grandparent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, PairFamily, Told, register
from turbotree.parsing.parts.sibling import (
    IN_AUTOMATA,
    SiblingFamily,
    next_to_each_other,
    read_automata,
)
from turbotree.parsing.parts.steps import steps_between

if TYPE_CHECKING:
    from turbotree.parsing.parts.part_set import ScoredSentence


@register
@dataclass(frozen=True, slots=True)
class GrandSiblingFamily(PairFamily):
    """Consecutive siblings with their grandparent: only automata can score them.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    spans
        The links that each part jumps over: first, and the one after the last.
    siblings
        The automata.
    """

    name: ClassVar[str] = "grand_sibling"
    kind: ClassVar[PartKind] = PartKind(("g", "h", "m", "s"), {"side": 2})
    needs: ClassVar[tuple[str, ...]] = ("sibling", "grandparent")

    cells: IntArray
    spans: IntArray
    siblings: SiblingFamily

    @classmethod
    def find(cls, candidates: Candidates) -> GrandSiblingFamily:
        """Find the parts that candidate arcs form."""
        siblings: Any = candidates.found["sibling"]
        layout = [name in candidates.names for name in IN_AUTOMATA[1:]]
        found = _core.grand_siblings(*candidates.given, *layout)
        parts = Parts(found.rows, found.offsets)
        return cls(parts, found.arcs, found.cells, found.spans, siblings)

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        arcs = self.arcs[at]
        passed = self.siblings.chosen_before(sentence, chosen)
        next_to = next_to_each_other(chosen, arcs[:, 1:], passed[self.spans[at]])
        has: BoolArray = chosen[arcs[:, 0]] & next_to
        return has

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add nothing: the automata of siblings have them."""

    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add nothing: the automata of siblings have them."""

    def pairs(self, sentence: int, steps: Any) -> LongArray:
        """Return the arc above, and the step between the siblings."""
        arcs = self.arcs[self.parts.places(sentence)]
        step = steps_between(self.siblings, sentence, steps, arcs[:, 1:])
        pairs: LongArray = np.stack([arcs[:, 0].astype(np.int64), step], axis=1)
        return pairs

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has."""
        return read_automata(self.parts, self.cells, scored, told)

    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part."""
        return read_automata(self.parts, self.cells, scored, told)
