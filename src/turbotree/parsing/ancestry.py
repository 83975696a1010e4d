"""Directed paths and non-projective arcs: parts that depend on more of a tree than a few arcs.

Word d descends from a if its head is a, or descends from a itself. The core writes that down as
logic over arcs and variables of its own, with nothing for pairs of words that are certain or
impossible; an arc is non-projective if some word between its ends does not descend from its head.
This serves every decomposition: flows, which the papers read paths off, are needed nowhere else
if the tree is a factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.features import Parts
from turbotree.graphs import FactorGraph
from turbotree.parsing import _core
from turbotree.parsing.families import Family


@dataclass(frozen=True, slots=True)
class Groups:
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
    sums: Groups
    ors: Groups

    def ands_of(self, sentence: int) -> IntArray:
        """Return a sentence's rows of variables that stand for two literals."""
        return self.ands[self.and_offsets[sentence] : self.and_offsets[sentence + 1]]


@dataclass(frozen=True, slots=True)
class AncestryFamily(Family):
    """Pairs of words, each with a literal that says whether it is there.

    Attributes
    ----------
    literals
        One a part.
    ancestry
        What the literals stand for.
    arcs
        The candidate arcs of the batch.
    lengths
        Words of each sentence.
    """

    literals: IntArray
    ancestry: Ancestry
    arcs: Parts
    lengths: IntArray

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


class PathFamily(AncestryFamily):
    """Directed paths: the second word descends from the first."""

    __slots__ = ()

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        ancestor, descendant = self.parts.rows[self.parts.places(sentence)].T
        has: BoolArray = self.descent(sentence, chosen)[ancestor, descendant]
        return has


class NonprojectiveFamily(AncestryFamily):
    """Arcs across words that do not descend from their head."""

    __slots__ = ()

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


def ancestry_families(lengths: IntArray, arcs: Parts, names: tuple[str, ...]) -> dict[str, Family]:
    """Find the directed paths and non-projective arcs of a batch, as far as names ask for them."""
    wanted = [name in names for name in ("path", "nonprojective")]
    paths, nonprojective, variables, ands, and_offsets, sums, ors = _core.ancestry(
        lengths, arcs.rows, arcs.offsets, *wanted
    )
    ancestry = Ancestry(variables, ands, and_offsets, Groups(*sums), Groups(*ors))
    families: dict[str, Family] = {}
    for name, found, kind in (
        ("path", paths, PathFamily),
        ("nonprojective", nonprojective, NonprojectiveFamily),
    ):
        if name in names:
            rows, offsets, literals = found
            families[name] = kind(Parts(rows, offsets), literals, ancestry, arcs, lengths)
    return families


def families_of_ancestry(families: Mapping[str, Family]) -> dict[str, AncestryFamily]:
    """Return the families whose parts are literals."""
    return {name: f for name, f in families.items() if isinstance(f, AncestryFamily)}


def ancestry_scores(
    families: Mapping[str, AncestryFamily],
    sentence: int,
    scores: Mapping[str, FloatArray],
    arcs: int,
) -> FloatArray:
    """Sum the scores of the parts that each arc or variable stands for, the arcs first."""
    ancestry = next(iter(families.values())).ancestry
    totals = np.zeros(arcs + int(ancestry.variables[sentence]))
    for name, family in families.items():
        np.add.at(totals, family.literals[family.parts.places(sentence)], scores[name])
    return totals


def renumbered(literals: IntArray, arcs: int, first: int) -> LongArray:
    """Renumber literals: arcs as they are, variables from `first` on."""
    wide = literals.astype(np.int64)
    shift = first - arcs
    # ~x of a variable is -x - 1: it moves the other way.
    moved: LongArray = wide + np.where(wide >= arcs, shift, 0) - np.where(~wide >= arcs, shift, 0)
    return moved


def add_ancestry(
    graph: FactorGraph,
    sentence: int,
    arcs: int,
    families: Mapping[str, AncestryFamily],
    scores: Mapping[str, FloatArray],
    *,
    exclusive: bool = True,
) -> None:
    """Add what paths and non-projective arcs stand for to a graph whose first variables are arcs.

    Parameters
    ----------
    graph
        Is given new variables and simple factors.
    sentence
        Which sentence of the batch.
    arcs
        How many arcs it has.
    families, scores
        Its families, and the scores of the sentence's parts.
    exclusive
        Say of a word's heads that only one holds, as the tree does. It tightens relaxations.
    """
    ancestry = next(iter(families.values())).ancestry
    totals = ancestry_scores(families, sentence, scores, arcs)
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
