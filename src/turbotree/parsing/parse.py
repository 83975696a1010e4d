"""What a parser says of a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from turbotree.features import Parts
from turbotree.parsing.arcs import TreeShape, arc_marginals
from turbotree.parsing.labels import LabelScores
from turbotree.text import Sentence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ParsedBatch:
    """What the parses of one batch share: scores, from which probabilities are made on demand."""

    lengths: IntArray
    arcs: Parts
    arc_scores: FloatArray
    shape: TreeShape
    arc_temperature: float
    label_scores: LabelScores
    label_temperature: float
    label_names: list[str]

    @cached_property
    def arc_marginals(self) -> tuple[FloatArray, FloatArray]:
        """Probability of each arc of the batch, and log-partition of each sentence."""
        return arc_marginals(
            self.lengths, self.arcs, self.arc_scores / self.arc_temperature, self.shape
        )

    @cached_property
    def label_distributions(self) -> list[dict[int, float]]:
        """Probabilities of the labels of each word of the batch, given its tree."""
        return self.label_scores.distributions(self.label_temperature)

    @cached_property
    def first_words(self) -> IntArray:
        """Index of each sentence's first word among the words of the batch."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int32)


@dataclass(frozen=True)
class Parse:
    """A sentence's tree, with what the model thinks of it.

    Attributes
    ----------
    sentence
        The sentence as it was given.
    heads
        ``heads[m - 1]`` is the head of word ``m``; 0 is the root.
    labels
        The relation of each word to its head.
    score
        Sum of the tree's arc scores; comparable between trees of one sentence.
    """

    sentence: Sentence
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    score: float
    _batch: ParsedBatch = field(repr=False, compare=False)
    _index: int = field(repr=False, compare=False)

    @cached_property
    def arc_probabilities(self) -> FloatArray:
        """Probability of every arc, ``[head, modifier]``; 0 for arcs that were pruned."""
        batch, words = self._batch, len(self.heads)
        at = slice(batch.arcs.offsets[self._index], batch.arcs.offsets[self._index + 1])
        matrix = np.zeros((words + 1, words + 1))
        rows = batch.arcs.rows[at]
        matrix[rows[:, 0], rows[:, 1]] = batch.arc_marginals[0][at]
        return matrix

    @property
    def head_probabilities(self) -> tuple[float, ...]:
        """Probability of each word's chosen head."""
        words = np.arange(1, len(self.heads) + 1)
        return tuple(self.arc_probabilities[list(self.heads), words].tolist())

    @cached_property
    def label_distributions(self) -> tuple[dict[str, float], ...]:
        """Probabilities of each word's labels, given the tree."""
        batch = self._batch
        first, last = batch.first_words[self._index], batch.first_words[self._index + 1]
        return tuple(
            {batch.label_names[label]: p for label, p in distribution.items()}
            for distribution in batch.label_distributions[first:last]
        )

    @property
    def label_probabilities(self) -> tuple[float, ...]:
        """Probability of each word's chosen label, given the tree."""
        return tuple(
            distribution[label]
            for distribution, label in zip(self.label_distributions, self.labels, strict=True)
        )

    @property
    def probability(self) -> float:
        """Probability of the whole tree, its labels aside."""
        batch = self._batch
        log_partition = float(batch.arc_marginals[1][self._index])
        return min(1.0, math.exp(self.score / batch.arc_temperature - log_partition))

    def to_sentence(self) -> Sentence:
        """Return the sentence with HEAD and DEPREL replaced by the predictions."""
        return self.sentence.with_tree(self.heads, self.labels)
