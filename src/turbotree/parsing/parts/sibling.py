"""Consecutive siblings: the arcs of one head and side form an automaton.

The automata read a head's modifiers, together with grandparents and grand-siblings where a model
has them. Graphs are made for every sentence in every round of training, so automata are written as
whole chunks of factors, in the layout in which the core finds the parts, not factor by factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph, Kind
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, Family, Told, register
from turbotree.parsing.parts.siblings_by_pairs import add_siblings_by_pairs, own_columns
from turbotree.parsing.parts.steps import sibling_steps

if TYPE_CHECKING:
    from turbotree.parsing.decoding.linear_program import ProgramWriter
    from turbotree.parsing.decoding.logic import LogicWriter
    from turbotree.parsing.parts.part_set import ScoredSentence


#: The families that automata score together if all of them are there; else the first two, or one.
#: How scores are laid out depends on which of the others there are.
IN_AUTOMATA = ("sibling", "grandparent", "grand_sibling")
#: The kinds of their factors in graphs, that of the root first.
AUTOMATA = (Kind.HEAD_AUTOMATON, Kind.GRANDPARENT_AUTOMATON)


@register
@dataclass(frozen=True, slots=True)
class SiblingFamily(Family):
    """Consecutive siblings.

    Attributes
    ----------
    arcs
        The two arcs of each part, numbered within their sentence; -1 for none.
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
    variable_counts, score_counts
        How many arcs and scores each of them has.
    """

    name: ClassVar[str] = "sibling"
    kind: ClassVar[PartKind] = PartKind(("h", "m", "s"), {"side": 2})

    arcs: IntArray
    cells: IntArray
    spans: IntArray
    links: IntArray
    link_offsets: IntArray
    automaton_offsets: IntArray
    variables: IntArray
    above: IntArray
    variable_offsets: LongArray
    score_offsets: LongArray
    variable_counts: LongArray
    score_counts: LongArray

    @classmethod
    def find(cls, candidates: Candidates) -> SiblingFamily:
        """Find the parts that candidate arcs form."""
        layout = [name in candidates.names for name in IN_AUTOMATA[1:]]
        found = _core.consecutive_siblings(*candidates.given, *layout)
        return cls(
            Parts(found.rows, found.offsets),
            found.arcs,
            found.cells,
            found.spans,
            found.links,
            found.link_offsets,
            found.automaton_offsets,
            found.variables,
            found.above,
            found.variable_offsets,
            found.score_offsets,
            np.diff(found.variable_offsets),
            np.diff(found.score_offsets),
        )

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        passed = self.chosen_before(sentence, chosen)
        return next_to_each_other(chosen, self.arcs[at], passed[self.spans[at]])

    def automata(self, sentence: int) -> tuple[IntArray, IntArray]:
        """Return the links of a sentence's automata and their offsets."""
        first, last = self.automaton_offsets[sentence], self.automaton_offsets[sentence + 1]
        offsets = self.link_offsets[first : last + 1]
        return self.links[offsets[0] : offsets[-1]], offsets - offsets[0]

    def chosen_before(self, sentence: int, chosen: BoolArray) -> LongArray:
        """Count, for each link of a sentence's automata and the end, the chosen ones before it."""
        links, _ = self.automata(sentence)
        return np.concatenate([[0], np.cumsum(chosen[links])])

    def constant(self, rows: IntArray) -> BoolArray:
        """Tell which rows are those of a head without modifiers."""
        empty: BoolArray = (rows[:, 1] < 0) & (rows[:, 2] < 0)
        return empty

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add the automata, with grandparents and grand-siblings where there are some."""
        families = scored.parts.families
        first, last = self.automaton_offsets[scored.sentence : scored.sentence + 2].tolist()
        offsets, score_offsets = self.variable_offsets, self.score_offsets
        counts, score_counts = self.variable_counts[first:last], self.score_counts[first:last]
        laid_out = automata_scores(scored)
        variables = self.variables[offsets[first] : offsets[last]]
        if "grandparent" not in families:
            graph.add_chunk(
                Kind.HEAD_AUTOMATON, last - first, counts, variables, score_counts, laid_out
            )
            return
        # The root has nobody above it; its automaton comes first, if it may head a word at all.
        roots = int(self.above[first] == 0)
        link, cell = (int(o[first + roots] - o[first]) for o in (offsets, score_offsets))
        if roots:
            graph.add_chunk(Kind.HEAD_AUTOMATON, 1, link, variables[:link], cell, laid_out[:cell])
        if last - first > roots:
            graph.add_chunk(
                Kind.GRANDPARENT_AUTOMATON,
                last - first - roots,
                counts[roots:],
                variables[link:],
                score_counts[roots:],
                laid_out[cell:],
                1,
                self.above[first + roots : last],
            )

    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add automata of siblings alone, unless others can be scored only together with them."""
        if "grand_sibling" in scored.parts.families:
            self.add_to_graph(graph, scored)
            return
        links, offsets = self.automata(scored.sentence)
        lengths = np.diff(offsets).astype(np.int64)
        sizes = (lengths + 1) ** 2
        squares = np.zeros(int(sizes.sum()))
        squares[self._square_cells(scored.sentence)] = scored.scores[self.name]
        graph.add_chunk(Kind.HEAD_AUTOMATON, len(lengths), lengths, links, sizes, squares)

    def add_to_logic(self, logic: LogicWriter) -> None:
        """Add the steps from one modifier to the next."""
        graph, scores = logic.graph, logic.scored.scores[self.name]
        steps = logic.steps = sibling_steps(self, logic.scored.sentence, len(graph))
        graph.variables(scores[steps.new])
        # A step that is an arc brings its score to the arc.
        totals = graph.scores.copy()
        np.add.at(totals, steps.variables[~steps.new], scores[~steps.new])
        graph.set_scores(totals)
        graph.exactly_one(steps.first, offsets=steps.first_offsets)
        graph.define_exactly_one(steps.of_arc, steps.steps, offsets=steps.step_offsets)

    def prepare_program(self, program: ProgramWriter) -> None:
        """Lay out the steps; one that is an arc brings its score to the arc."""
        scores = program.scored.scores[self.name]
        if program.siblings_by_pairs:
            program.steps = own_columns(self, program.scored.sentence, len(program.arc_scores))
            return
        steps = program.steps = sibling_steps(
            self, program.scored.sentence, len(program.arc_scores)
        )
        np.add.at(program.arc_scores, steps.variables[~steps.new], scores[~steps.new])

    def add_to_program(self, program: ProgramWriter) -> None:
        """Add the steps."""
        steps = program.steps
        assert steps is not None
        if program.siblings_by_pairs:
            add_siblings_by_pairs(self, program)
            return
        program.model.add_columns(program.scored.scores[self.name][steps.new])
        program.add_choices(steps.first, steps.first_offsets)
        program.add_balance(
            steps.steps, steps.step_offsets, steps.of_arc, np.arange(len(steps.of_arc) + 1)
        )

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has."""
        return read_automata(self.parts, self.cells, scored, told)

    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part."""
        if "grand_sibling" in scored.parts.families:
            return read_automata(self.parts, self.cells, scored, told)
        found: FloatArray = told.of(Kind.HEAD_AUTOMATON)[self._square_cells(scored.sentence)]
        return found

    def _square_cells(self, sentence: int) -> LongArray:
        """Return the place of each part among squares alone, one per automaton.

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


def next_to_each_other(chosen: BoolArray, arcs: IntArray, passed: LongArray) -> BoolArray:
    """Tell for pairs of arcs of an automaton whether a tree has both and none between.

    Parameters
    ----------
    chosen
        Which arcs the tree has.
    arcs
        The pairs; -1 stands for both ends of the row, which are always there.
    passed
        The chosen arcs before each end of the links that a pair jumps over.
    """
    first, second = np.append(chosen, True)[arcs].T
    has: BoolArray = first & second & (passed[:, 0] == passed[:, 1])
    return has


def automata_scores(scored: ScoredSentence) -> FloatArray:
    """Lay the scores of a sentence's automata out as they read them."""
    families: Any = scored.parts.families
    siblings = families["sibling"]
    first, last = siblings.automaton_offsets[scored.sentence : scored.sentence + 2].tolist()
    laid_out = np.zeros(int(siblings.score_offsets[last] - siblings.score_offsets[first]))
    for name in IN_AUTOMATA:
        if name in families:
            own = families[name]
            laid_out[own.cells[own.parts.places(scored.sentence)]] = scored.scores[name]
    return laid_out


def read_automata(parts: Parts, cells: IntArray, scored: ScoredSentence, told: Told) -> FloatArray:
    """Return what a solver tells of the parts of a family that automata score."""
    found: FloatArray = told.of(*AUTOMATA)[cells[parts.places(scored.sentence)]]
    return found
