"""Three consecutive siblings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph, Kind
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, PairFamily, Told, register
from turbotree.parsing.parts.sibling import SiblingFamily
from turbotree.parsing.parts.steps import steps_between

if TYPE_CHECKING:
    from turbotree.parsing.parts.part_set import ScoredSentence


@register
@dataclass(frozen=True, slots=True)
class TriSiblingFamily(PairFamily):
    """Three consecutive siblings, with automata of their own.

    Attributes
    ----------
    cells
        The place of each part among the cubes of scores of its sentence's automata, of which those
        with a single link, or with very many, have none.
    spans
        The links between the first and the last of the three: first, and the one after the last.
    siblings
        The automata of two siblings.
    """

    name: ClassVar[str] = "tri_sibling"
    kind: ClassVar[PartKind] = PartKind(("h", "m", "s", "t"), {"side": 2})
    needs: ClassVar[tuple[str, ...]] = ("sibling",)

    cells: IntArray
    spans: IntArray
    siblings: SiblingFamily

    @classmethod
    def find(cls, candidates: Candidates) -> TriSiblingFamily:
        """Find the parts that candidate arcs form."""
        siblings: Any = candidates.found["sibling"]
        found = _core.tri_siblings(*candidates.given)
        parts = Parts(found.rows, found.offsets)
        return cls(parts, found.arcs, found.cells, found.spans, siblings)

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        passed, spans = self.siblings.chosen_before(sentence, chosen), self.spans[at]
        only_the_middle = passed[spans[:, 1]] - passed[spans[:, 0]] == 1
        # "None" stands for both ends of the row, which are always there.
        first, middle, last = np.append(chosen, True)[self.arcs[at]].T
        has: BoolArray = first & middle & last & only_the_middle
        return has

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add the automata that score something."""
        self._add(graph, scored, every_one=False)

    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add every automaton."""
        self._add(graph, scored, every_one=True)

    def pairs(self, sentence: int, steps: Any) -> LongArray:
        """Return the two steps between the siblings."""
        arcs = self.arcs[self.parts.places(sentence)]
        both = [steps_between(self.siblings, sentence, steps, arcs[:, i : i + 2]) for i in (0, 1)]
        pairs: LongArray = np.stack(both, axis=1)
        return pairs

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return nothing: automata that score nothing are not in the graph."""
        return None

    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part."""
        cells = self.cells[self.parts.places(scored.sentence)]
        found: FloatArray = told.of(Kind.TRIPLE_AUTOMATON)[cells]
        return found

    def _add(self, graph: FactorGraph, scored: ScoredSentence, *, every_one: bool) -> None:
        links, lengths = self._automata(scored.sentence)
        sizes = lengths**3
        cubes = np.zeros(int(sizes.sum()))
        cubes[self.cells[self.parts.places(scored.sentence)]] = scored.scores[self.name]
        if not every_one and len(lengths):
            matters = np.logical_or.reduceat(cubes != 0.0, np.cumsum(sizes) - sizes)
            links, cubes = links[np.repeat(matters, lengths)], cubes[np.repeat(matters, sizes)]
            lengths, sizes = lengths[matters], sizes[matters]
        if len(lengths):
            graph.add_chunk(Kind.TRIPLE_AUTOMATON, len(lengths), lengths, links, sizes, cubes)

    def _automata(self, sentence: int) -> tuple[IntArray, LongArray]:
        """Return the links of a sentence's automata that have a cube, and their lengths."""
        links, offsets = self.siblings.automata(sentence)
        lengths = np.diff(offsets).astype(np.int64)
        some = (lengths > 1) & (lengths <= _core.MOST_LINKS_OF_CUBES)
        return links[np.repeat(some, lengths)], lengths[some]
