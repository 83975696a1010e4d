"""The heads of two neighbouring words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph, Kind
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, PairFamily, Told, register

if TYPE_CHECKING:
    from turbotree.parsing.parts.part_set import ScoredSentence


@register
@dataclass(frozen=True, slots=True)
class HeadBigramFamily(PairFamily):
    """The heads of two neighbouring words: one chain for decoders, pairs of arcs elsewhere."""

    name: ClassVar[str] = "head_bigram"
    kind: ClassVar[PartKind] = PartKind(("g", "h", "m"))

    @classmethod
    def find(cls, candidates: Candidates) -> HeadBigramFamily:
        """Find the parts that candidate arcs form."""
        found = _core.head_bigrams(*candidates.given)
        return cls(Parts(found.rows, found.offsets), found.arcs)

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add a chain of heads; arcs are sorted by modifier, bigrams accordingly."""
        words, scores = scored.words, scored.scores[self.name]
        if words < 2:
            return
        modifiers = scored.arcs[:, 1]
        states = np.arange(len(modifiers), dtype=np.int32)
        sizes = np.bincount(modifiers, minlength=words + 1)[1:].astype(np.int32)
        graph.add_chunk(Kind.CHAIN, 1, len(states), states, len(scores), scores, words, sizes)

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has."""
        return told.of(Kind.CHAIN) if scored.words > 1 else None
