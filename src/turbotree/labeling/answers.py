"""What a model says of a batch of sentences: the best labels, and probabilities on demand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from turbotree import chains
from turbotree.arrays import FloatArray, IntArray
from turbotree.labeling.choices import ChoiceModel, best_choices
from turbotree.labeling.model import ChainModel
from turbotree.scoring import Batch

Model = ChainModel | ChoiceModel

#: For each word of a batch, numbers of labels with their probabilities.
Distributions = list[dict[int, float]]


@dataclass(frozen=True)
class ChainAnswer:
    """What a chain says of a batch."""

    model: ChainModel
    lengths: IntArray
    nodes: FloatArray
    edges: FloatArray
    labels: IntArray
    scores: list[float]

    @classmethod
    def of(cls, model: ChainModel, batch: Batch) -> ChainAnswer:
        """Score a batch and find its best labels."""
        nodes, edges = model.score(batch, model.rows(batch.lengths))
        best = model.transitions.best(batch.lengths, nodes, edges)
        labels = model.labels_of(best.labels)
        return cls(model, batch.lengths, nodes, edges, labels, best.values.tolist())

    def of_sentence(self, sentence: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores of one sentence."""
        words = int(self.lengths[:sentence].sum())
        length = int(self.lengths[sentence])
        labels, pairs = self.model.transitions.labels, len(self.model.transitions.pairs)
        edge = (words - sentence) * pairs
        return (
            self.nodes[words * labels : (words + length) * labels],
            self.edges[edge : edge + (length - 1) * pairs],
        )

    def k_best(self, sentence: int, k: int) -> chains.BestLabels:
        """Return a sentence's best labellings."""
        found = self.model.transitions.k_best(*self.of_sentence(sentence), k)
        return chains.BestLabels(self.model.labels_of(found.labels), found.values)

    def distributions(self, sentence: int, temperature: float) -> tuple[Distributions, float]:
        """Probabilities of a sentence's labels, and the log-partition."""
        nodes, edges = self.of_sentence(sentence)
        found = self.model.transitions.marginals(
            self.lengths[sentence : sentence + 1], nodes / temperature, edges / temperature
        )
        rows = self.model.label_probabilities(found.node_probabilities).tolist()
        return [dict(enumerate(row)) for row in rows], float(found.log_partitions[0])


@dataclass(frozen=True)
class ChoiceAnswer:
    """What words that choose by themselves say."""

    model: ChoiceModel
    lengths: IntArray
    label_offsets: IntArray
    candidates: IntArray
    values: FloatArray
    labels: IntArray
    scores: list[float]

    @classmethod
    def of(cls, model: ChoiceModel, batch: Batch) -> ChoiceAnswer:
        """Score a batch and find its best labels."""
        parts = model.parts(batch.of(model.encoder))
        values = model.score(batch, parts)
        labels, best = best_choices(parts, values)
        sums = np.add.reduceat(best, parts.offsets[:-1])
        return cls(
            model,
            batch.lengths,
            parts.label_offsets,
            parts.labels,
            values,
            labels,
            sums.tolist(),
        )

    def distributions(self, sentence: int, temperature: float) -> tuple[Distributions, float]:
        """Probabilities of a sentence's labels, and the log-partition."""
        first = int(self.lengths[:sentence].sum())
        bounds = self.label_offsets[first : first + int(self.lengths[sentence]) + 1]
        at = slice(int(bounds[0]), int(bounds[-1]))
        offsets = bounds - bounds[0]
        found = chains.marginals(
            self.values[at] / temperature, offsets, np.zeros(0), np.zeros_like(offsets)
        )
        pairs = list(
            zip(self.candidates[at].tolist(), found.node_probabilities.tolist(), strict=True)
        )
        ends = offsets.tolist()
        rows = [dict(pairs[a:b]) for a, b in pairwise(ends)]
        return rows, found.log_partition


Answer = ChainAnswer | ChoiceAnswer


def answer(model: Model, batch: Batch) -> Answer:
    """Let a model label a batch of sentences."""
    if isinstance(model, ChainModel):
        return ChainAnswer.of(model, batch)
    return ChoiceAnswer.of(model, batch)
