"""Directed paths and non-projective arcs: parts that depend on more of a tree than a few arcs.

Word d descends from a if its head is a, or descends from a itself. The core writes that down as
logic over arcs and variables of its own, with nothing for pairs of words that are certain or
impossible; an arc is non-projective if some word between its ends does not descend from its head.
This serves every decomposition but one: flows, which the papers read paths off, are needed nowhere
else if the tree is a factor. Where they are there (:mod:`turbotree.parsing.decoding.flows`), paths
are theirs, and non-projective arcs stand on these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, Family, Told, register

if TYPE_CHECKING:
    from turbotree.parsing.decoding.flows import Flows
    from turbotree.parsing.decoding.linear_program import ProgramWriter
    from turbotree.parsing.decoding.logic import LogicWriter
    from turbotree.parsing.parts.part_set import ScoredSentence


@dataclass(frozen=True, slots=True)
class LiteralGroups:
    """Variables that stand for several literals each, in a batch of sentences."""

    outputs: IntArray
    inputs: IntArray
    input_offsets: IntArray
    offsets: IntArray

    def of(self, sentence: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return a sentence's outputs, their inputs and the inputs' offsets."""
        first, last = self.offsets[sentence], self.offsets[sentence + 1]
        places = self.input_offsets[first : last + 1]
        inputs = self.inputs[places[0] : places[-1]]
        return self.outputs[first:last], inputs, places - places[0]


@dataclass(frozen=True, slots=True)
class Ancestry:
    """What the variables beyond arcs stand for, in a batch of sentences.

    Literals are numbers: the arcs of the sentence, then its variables, and ``~x`` for "not x".

    Attributes
    ----------
    variables
        How many each sentence has.
    ands, and_offsets
        Rows of a variable and two literals: it is true if both are.
    sums
        Variables that are true if one of their inputs is; never are two of these.
    ors
        Variables that are true if any of their inputs is.
    """

    variables: IntArray
    ands: IntArray
    and_offsets: IntArray
    sums: LiteralGroups
    ors: LiteralGroups

    @classmethod
    def of(cls, found: _core.Ancestry) -> Ancestry:
        """Take the arrays that the core has found."""
        sums, ors = (
            LiteralGroups(groups.outputs, groups.inputs, groups.input_offsets, groups.offsets)
            for groups in (found.sums, found.ors)
        )
        return cls(found.variables, found.ands, found.and_offsets, sums, ors)

    def ands_of(self, sentence: int) -> IntArray:
        """Return a sentence's rows of variables that stand for two literals."""
        return self.ands[self.and_offsets[sentence] : self.and_offsets[sentence + 1]]


@dataclass(frozen=True, slots=True)
class AncestryFamily(Family):
    """Pairs of words, each with a literal that says whether it is there.

    Attributes
    ----------
    literals
        One per part.
    ancestry
        What the literals stand for; all families of ancestry share it, and the first of them
        writes it down.
    arcs
        The candidate arcs of the batch.
    lengths
        Words of each sentence.
    """

    reducible: ClassVar[bool] = False
    of_all_pairs: ClassVar[bool] = True

    literals: IntArray
    ancestry: Ancestry
    arcs: Parts
    lengths: IntArray

    @classmethod
    def find(cls, candidates: Candidates) -> AncestryFamily:
        """Find the parts that candidate arcs form."""
        wanted = [name in candidates.names for name in ("path", "nonprojective")]
        found: _core.Ancestry = candidates.shared(
            "ancestry", lambda: _core.ancestry(*candidates.given, *wanted)
        )
        ancestry = candidates.shared("ancestry of both", lambda: Ancestry.of(found))
        pairs = found.paths if cls.name == "path" else found.nonprojective
        return cls(
            Parts(pairs.rows, pairs.offsets),
            pairs.literals,
            ancestry,
            candidates.arcs,
            candidates.lengths,
        )

    def descent(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell of every two words whether the second descends from the first."""
        heads = np.zeros(int(self.lengths[sentence]) + 1, dtype=np.int64)
        head, modifier = self.arcs.rows[self.arcs.places(sentence)][chosen].T
        heads[modifier] = head
        below = np.zeros((len(heads), len(heads)), dtype=bool)
        words, above = np.arange(len(heads)), heads
        while above.any():
            below[above, words] = True
            above = heads[above]
        return below

    def _writes(self, scored: ScoredSentence) -> bool:
        """Tell whether this is the first family of ancestry, which writes for the others too."""
        return self is next(iter(_ancestral(scored)))

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add variables and simple factors for what the literals stand for."""
        if self._writes(scored):
            add_ancestry(graph, scored, self.ancestry)

    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add them; that a word has one head is not said again: it would be counted again."""
        if self._writes(scored):
            add_ancestry(graph, scored, self.ancestry, exclusive=False)

    def add_to_logic(self, logic: LogicWriter) -> None:
        """Add them, or what flows do not have."""
        if logic.flows is None:
            self.add_to_graph(logic.graph, logic.scored)
        else:
            self.add_to_flows(logic, logic.flows)

    def add_to_flows(self, logic: LogicWriter, flows: Flows) -> None:
        """Add what stands on the paths of flows; their scores are there."""

    def add_to_flow_program(self, program: ProgramWriter, flows: Flows) -> None:
        """Add what stands on the paths of flows; their scores are there."""

    def prepare_program(self, program: ProgramWriter) -> None:
        """Bring the scores of literals that are arcs to the arcs."""
        if not program.has_flows and self._writes(program.scored):
            totals = literal_scores(program.scored, self.ancestry)
            program.arc_scores += totals[: len(program.arc_scores)]

    def add_to_program(self, program: ProgramWriter) -> None:
        """Add what paths and non-projective arcs stand for, a column per variable."""
        if program.has_flows:
            self.add_to_flow_program(program, program.flows())
            return
        if not self._writes(program.scored):
            return
        arcs, sentence = len(program.arc_scores), program.scored.sentence
        first = program.model.add_columns(literal_scores(program.scored, self.ancestry)[arcs:])
        ands = renumbered(self.ancestry.ands_of(sentence), arcs, first)
        size = len(ands)
        for one in (1, 2):
            pairs = ands[:, [0, one]].reshape(-1)
            program.add_literals(np.full(size, 2), pairs, np.tile([1.0, -1.0], size), -np.inf, 0.0)
        program.add_literals(
            np.full(size, 3), ands.reshape(-1), np.tile([-1.0, 1.0, 1.0], size), -np.inf, 1.0
        )
        for groups, lower in ((self.ancestry.sums, 0.0), (self.ancestry.ors, -np.inf)):
            outputs, inputs, offsets = groups.of(sentence)
            out, literals = (renumbered(part, arcs, first) for part in (outputs, inputs))
            starts, sizes = offsets[:-1], np.diff(offsets).astype(np.int64)
            program.add_literals(
                sizes + 1,
                np.insert(literals, starts, out),
                np.insert(-np.ones(len(literals)), starts, 1.0),
                lower,
                0.0,
            )
            if lower == 0.0:
                continue
            each = np.column_stack([literals, np.repeat(out, sizes)]).reshape(-1)
            signs = np.tile([1.0, -1.0], len(literals))
            program.add_literals(np.full(len(literals), 2), each, signs, -np.inf, 0.0)

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has."""
        return self.read_beliefs(scored, told)

    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part: all variables beyond arcs are theirs."""
        literals = self.literals[self.parts.places(scored.sentence)]
        found: FloatArray = told.variables[literals]
        return found


@register
class PathFamily(AncestryFamily):
    """Directed paths: the second word descends from the first."""

    __slots__ = ()
    name: ClassVar[str] = "path"
    kind: ClassVar[PartKind] = PartKind(("a", "d"))

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        ancestor, descendant = self.parts.rows[self.parts.places(sentence)].T
        has: BoolArray = self.descent(sentence, chosen)[ancestor, descendant]
        return has


@register
class NonprojectiveFamily(AncestryFamily):
    """Arcs across words that do not descend from their head."""

    __slots__ = ()
    name: ClassVar[str] = "nonprojective"
    kind: ClassVar[PartKind] = PartKind(("h", "m"))

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        head, modifier = self.parts.rows[self.parts.places(sentence)].T
        before = np.cumsum(self.descent(sentence, chosen), axis=1)
        low, high = np.minimum(head, modifier), np.maximum(head, modifier)
        inside = before[head, high - 1] - before[head, low]
        there = np.zeros((int(self.lengths[sentence]) + 1,) * 2, dtype=bool)
        there[tuple(self.arcs.rows[self.arcs.places(sentence)][chosen].T)] = True
        has: BoolArray = there[head, modifier] & (inside < high - low - 1)
        return has

    def add_to_flows(self, logic: LogicWriter, flows: Flows) -> None:
        """Add a variable per part: its arc, and some word between that does not descend."""
        arcs, between, offsets = self._on_paths(logic.scored, flows)
        graph = logic.graph
        some = graph.variables(np.zeros(len(arcs)))
        graph.define_or(some, ~between, offsets=offsets)
        both = graph.variables(logic.scored.scores[self.name])
        graph.define_and(both, np.column_stack([arcs, some]))

    def add_to_flow_program(self, program: ProgramWriter, flows: Flows) -> None:
        """Add a column per part, at most its arc and the sum of words that do not descend."""
        arcs, between, offsets = self._on_paths(program.scored, flows)
        sizes = np.diff(offsets)
        columns = program.model.add_columns(program.scored.scores[self.name]) + np.arange(len(arcs))
        program.add_at_most(columns, arcs)
        program.add_literals(
            sizes + 1,
            np.insert(~between, offsets[:-1], columns),
            np.insert(-np.ones(len(between)), offsets[:-1], 1.0),
            -np.inf,
            0.0,
        )
        # If the arc is there and a word does not descend, so is the part.
        rows = [np.repeat(arcs, sizes), between, np.repeat(columns, sizes)]
        signs = np.tile([1.0, -1.0, -1.0], len(between))
        program.model.add_rows(
            np.full(len(between), 3), np.column_stack(rows).reshape(-1), signs, -np.inf, 0.0
        )

    def _on_paths(
        self, scored: ScoredSentence, flows: Flows
    ) -> tuple[LongArray, LongArray, LongArray]:
        """Return each part's arc, and the paths from its head to the words between."""
        rows = self.parts.rows[self.parts.places(scored.sentence)]
        number = np.full((scored.words + 1, scored.words + 1), -1, dtype=np.int64)
        number[tuple(scored.arcs.T)] = np.arange(len(scored.arcs))
        between = [
            flows.paths[head, min(head, modifier) + 1 : max(head, modifier)]
            for head, modifier in rows.tolist()
        ]
        offsets = np.concatenate([[0], np.cumsum([len(own) for own in between], dtype=np.int64)])
        found = np.concatenate([np.zeros(0, dtype=np.int64), *between])
        return number[tuple(rows.T)], found, offsets


def _ancestral(scored: ScoredSentence) -> list[AncestryFamily]:
    return [own for own in scored.parts.families.values() if isinstance(own, AncestryFamily)]


def literal_scores(scored: ScoredSentence, ancestry: Ancestry) -> FloatArray:
    """Sum the scores of the parts that each arc or variable stands for, the arcs first."""
    totals = np.zeros(len(scored.arcs) + int(ancestry.variables[scored.sentence]))
    for own in _ancestral(scored):
        literals = own.literals[own.parts.places(scored.sentence)]
        np.add.at(totals, literals, scored.scores[own.name])
    return totals


def renumbered(literals: IntArray, arcs: int, first: int) -> LongArray:
    """Renumber literals: arcs as they are, variables from `first` on."""
    wide = literals.astype(np.int64)
    shift = first - arcs
    # ~x of a variable is -x - 1: it moves the other way.
    moved: LongArray = wide + np.where(wide >= arcs, shift, 0) - np.where(~wide >= arcs, shift, 0)
    return moved


def add_ancestry(
    graph: FactorGraph, scored: ScoredSentence, ancestry: Ancestry, *, exclusive: bool = True
) -> None:
    """Add what paths and non-projective arcs stand for to a graph whose first variables are arcs.

    Parameters
    ----------
    graph
        Is given new variables and simple factors.
    scored
        The sentence.
    ancestry
        What the literals of its batch stand for.
    exclusive
        Say of a word's heads that only one holds, as the tree does. It tightens relaxations.
    """
    totals, arcs, sentence = literal_scores(scored, ancestry), len(scored.arcs), scored.sentence
    first = len(graph)
    variables = graph.scores.copy()
    variables[:arcs] += totals[:arcs]
    graph.set_scores(variables)
    graph.variables(totals[arcs:])

    def of(literals: IntArray) -> LongArray:
        return renumbered(literals, arcs, first)

    ands = of(ancestry.ands_of(sentence))
    graph.define_and(ands[:, 0], ands[:, 1:])
    define_sum = graph.define_exactly_one if exclusive else graph.define_or
    for define, groups in ((define_sum, ancestry.sums), (graph.define_or, ancestry.ors)):
        outputs, inputs, offsets = groups.of(sentence)
        define(of(outputs), of(inputs), offsets=offsets)
