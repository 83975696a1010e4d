"""What a parser says of a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.parsing.arcs import single_heads, smoothed
from turbotree.parsing.decoding import Certificate, PartMarginals, part_marginals
from turbotree.parsing.labels import LabelScores
from turbotree.parsing.parts import ScoredParts, ScoredSentence
from turbotree.text import Sentence


@dataclass(frozen=True)
class ParsedBatch:
    """What the parses of one batch share: scores, from which probabilities are made on demand.

    The model is not among it, so that a parse that is pickled does not carry it. A sentence may
    have several trees; `first_words` has the place of each one's first word in `label_scores`.
    """

    scored: ScoredParts
    arc_temperature: float
    first_words: IntArray
    label_scores: LabelScores
    label_temperature: float
    label_names: list[str]
    smoothing: float = 0.0
    lost_heads: float = 0.0

    def marginals(self, sentence: int, *, every_part: bool = False) -> PartMarginals:
        """Probability of each arc of a sentence, and the log-partition."""
        return part_marginals(self.scaled(sentence), every_part=every_part)

    def scaled(self, sentence: int) -> ScoredSentence:
        """A sentence with its scores in units of the temperature."""
        return self.scored.sentence(sentence).scaled(self.arc_temperature)

    @cached_property
    def label_distributions(self) -> list[dict[int, float]]:
        """Probabilities of the labels of each word of the batch, given its tree."""
        return self.label_scores.distributions(self.label_temperature)


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
        Sum of the scores of the tree's parts; comparable between trees of one sentence.
    certificate
        Whether the tree is proven to be the best, or by how much another might be better.
    rank
        Its place in a list of several trees of the sentence, from 1.
    """

    sentence: Sentence
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    score: float
    certificate: Certificate
    _batch: ParsedBatch = field(repr=False, compare=False)
    _index: int = field(repr=False, compare=False)
    _tree: int = field(repr=False, compare=False)
    rank: int = field(default=1, compare=False)

    @cached_property
    def marginals(self) -> PartMarginals:
        """Probabilities of the candidate arcs: exact for arc-factored models, else by belief
        propagation, which says whether it has converged."""
        return self._batch.marginals(self._index)

    @cached_property
    def arc_probabilities(self) -> FloatArray:
        """Probability of every arc, ``[head, modifier]``.

        They are the marginals, smoothed if development data have shown that these are too sure.
        Arcs that were pruned have 0, unless the pruner left a word a single head without being
        always right there: then the others share what it loses.
        """
        arcs, words = self._batch.scored.parts.arcs, len(self.heads)
        rows = arcs.rows[arcs.places(self._index)]
        matrix = np.zeros((words + 1, words + 1))
        chances = smoothed(rows[:, 1], self.marginals.arcs, self._batch.smoothing)
        matrix[rows[:, 0], rows[:, 1]] = chances
        lost, constraints = self._batch.lost_heads, self._batch.scored.constraints
        if lost and words > 1 and not (constraints and constraints[self._index]):
            heads, modifiers = single_heads(rows, words).T
            matrix[:, modifiers] = lost / (words - 1)
            matrix[modifiers, modifiers] = 0.0
            matrix[heads, modifiers] = 1.0 - lost
        return matrix

    @property
    def head_probabilities(self) -> tuple[float, ...]:
        """Probability of each word's chosen head."""
        words = np.arange(1, len(self.heads) + 1)
        return tuple(self.arc_probabilities[list(self.heads), words].tolist())

    @property
    def head_entropies(self) -> tuple[float, ...]:
        """How open each word's head is: the entropy of its distribution, in nats."""
        chances = np.clip(self.arc_probabilities[:, 1:], 0.0, 1.0)
        logs = np.log(chances, out=np.zeros_like(chances), where=chances > 0)
        return tuple((-(chances * logs).sum(axis=0)).tolist())

    @cached_property
    def entropy(self) -> float:
        """How open the whole tree is: the entropy of the distribution of trees, in nats.

        It is exact for arc-factored models, else the Bethe entropy of belief propagation, which
        may come out somewhat below 0 where there is no doubt.
        """
        found = self._batch.marginals(self._index, every_part=True)
        assert found.parts is not None
        scores = self._batch.scaled(self._index).scores
        expected = sum(float((found.parts[name] * own).sum()) for name, own in scores.items())
        return found.log_partition - expected

    @cached_property
    def label_distributions(self) -> tuple[dict[str, float], ...]:
        """Probabilities of each word's labels, given the tree."""
        batch = self._batch
        names = batch.label_names
        first, last = batch.first_words[self._tree : self._tree + 2]
        return tuple(
            {names[label]: p for label, p in distribution.items()}
            for distribution in batch.label_distributions[first:last]
        )

    @property
    def label_probabilities(self) -> tuple[float, ...]:
        """Probability of each word's chosen label, given the tree."""
        # A label that was given may be unknown to the model; it is certain all the same.
        return tuple(
            distribution.get(label, 1.0)
            for distribution, label in zip(self.label_distributions, self.labels, strict=True)
        )

    @property
    def probability(self) -> float:
        """Probability of the whole tree, its labels aside."""
        scaled = self.score / self._batch.arc_temperature
        return math.exp(min(0.0, scaled - self.marginals.log_partition))

    def to_sentence(self) -> Sentence:
        """Return the sentence with HEAD and DEPREL replaced by the predictions.

        What the certificate notes becomes a comment.
        """
        parsed = self.sentence.with_tree(self.heads, self.labels)
        note = self.certificate.note
        return parsed.with_comments([f"note = {note}"]) if note else parsed
