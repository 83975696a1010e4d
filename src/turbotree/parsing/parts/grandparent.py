"""Chains of two arcs: a word, its head, and the head's head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from turbotree.arrays import FloatArray, IntArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, PairFamily, Told, register
from turbotree.parsing.parts.sibling import IN_AUTOMATA, read_automata

if TYPE_CHECKING:
    from turbotree.parsing.parts.part_set import ScoredSentence


@register
@dataclass(frozen=True, slots=True)
class GrandparentFamily(PairFamily):
    """Chains of two arcs; the automata of siblings score them, where there are such.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    """

    name: ClassVar[str] = "grandparent"
    kind: ClassVar[PartKind] = PartKind(("g", "h", "m"))

    cells: IntArray

    @classmethod
    def find(cls, candidates: Candidates) -> GrandparentFamily:
        """Find the parts that candidate arcs form."""
        layout = [name in candidates.names for name in IN_AUTOMATA[1:]]
        found = _core.grandparents(*candidates.given, *layout)
        return cls(Parts(found.rows, found.offsets), found.arcs, found.cells)

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add pairs of arcs, unless automata have them already."""
        if "sibling" not in scored.parts.families:
            PairFamily.add_to_graph(self, graph, scored)

    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add pairs of arcs, unless automata have them already."""
        if "grand_sibling" not in scored.parts.families:
            PairFamily.add_to_beliefs(self, graph, scored)

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has."""
        if "sibling" in scored.parts.families:
            return read_automata(self.parts, self.cells, scored, told)
        return PairFamily.read_graph(self, scored, told)

    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part."""
        if "grand_sibling" in scored.parts.families:
            return read_automata(self.parts, self.cells, scored, told)
        return PairFamily.read_beliefs(self, scored, told)
