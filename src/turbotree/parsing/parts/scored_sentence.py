"""A sentence with the scores of its parts: what every decoder takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.features import Parts
from turbotree.parsing.arcs import TreeShape, best_trees
from turbotree.parsing.parts.part_set import PartSet

if TYPE_CHECKING:
    from turbotree.parsing.constraints import Constraints


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """One sentence: candidate arcs, what they form, all their scores, and which trees may be.

    Attributes
    ----------
    parts, sentence
        The parts of a batch, and which of its sentences this is.
    scores
        The scores of this sentence's parts, by family.
    shape
        Which trees are allowed.
    constraints
        Spans that are subtrees. What constraints say of arcs is in the candidates.
    """

    parts: PartSet
    sentence: int
    scores: Mapping[str, FloatArray]
    shape: TreeShape = field(default_factory=TreeShape)
    constraints: Constraints | None = None

    @property
    def words(self) -> int:
        """The number of words."""
        return int(self.parts.lengths[self.sentence])

    @property
    def arcs(self) -> IntArray:
        """The candidate arcs: head and modifier."""
        arcs = self.parts.arcs
        return arcs.rows[arcs.places(self.sentence)]

    @property
    def part_count(self) -> int:
        """The number of all parts."""
        return sum(len(own) for own in self.scores.values())

    @property
    def has_spans(self) -> bool:
        """Whether some words have to be subtrees."""
        return self.constraints is not None and bool(self.constraints.spans)

    def scaled(self, temperature: float) -> ScoredSentence:
        """Return the sentence with all scores divided by a temperature."""
        if temperature == 1.0:
            return self
        return self.with_scores({name: own / temperature for name, own in self.scores.items()})

    def with_scores(self, scores: Mapping[str, FloatArray]) -> ScoredSentence:
        """Return the sentence with other scores."""
        return replace(self, scores=scores)

    def indicators(self, heads: IntArray) -> dict[str, BoolArray]:
        """Tell which parts a tree has, given by its heads."""
        return self.parts.indicators(self.sentence, heads)

    def score(self, heads: IntArray) -> float:
        """Return the score of a tree."""
        found = self.indicators(heads)
        return sum(float(self.scores[name][has].sum()) for name, has in found.items())

    def best_tree(self, arc_scores: FloatArray) -> IntArray:
        """Return the heads of the best tree by arcs alone, of the shape that is allowed."""
        lengths = self.parts.lengths[self.sentence : self.sentence + 1]
        return best_trees(lengths, Parts.of_one(self.arcs), arc_scores, self.shape)

    def arc_matrix(self, values: FloatArray) -> FloatArray:
        """Return numbers of the arcs as a matrix, with -inf where there is no arc."""
        matrix = np.full((self.words + 1, self.words + 1), -np.inf)
        matrix[tuple(self.arcs.T)] = values
        return matrix


@dataclass(frozen=True)
class ScoredParts:
    """The parts of a batch with their scores: what is known of its sentences without the model.

    Attributes
    ----------
    parts, scores
        The candidate arcs with what they form, and their scores by family.
    shape, constraints
        Which trees are allowed; constraints are one per sentence, if there are some.
    """

    parts: PartSet
    scores: Mapping[str, FloatArray]
    shape: TreeShape
    constraints: Sequence[Constraints] | None

    def sentence(self, index: int) -> ScoredSentence:
        """Return one sentence with its scores."""
        at = self.parts.sentence_slices(index)
        scores = {name: self.scores[name][where] for name, where in at.items()}
        constraints = self.constraints[index] if self.constraints is not None else None
        return ScoredSentence(self.parts, index, scores, self.shape, constraints)

    def __iter__(self) -> Iterator[ScoredSentence]:
        return map(self.sentence, range(len(self.parts.lengths)))

    @property
    def has_spans(self) -> bool:
        """Whether some sentence has spans that are subtrees."""
        return self.constraints is not None and any(own.spans for own in self.constraints)
