"""What the learner is told of rows of labels: their training problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.features import AnyWeights, Encoded, Weights
from turbotree.features._core import Gradient
from turbotree.labeling.model import ChainModel
from turbotree.labeling.noise import WordNoise
from turbotree.learning import Expectation
from turbotree.scoring import Batch, PartScorer
from turbotree.scoring.part_scorer import score_every


class ChainProblem:
    """One training sentence: its labels, then the pairs of neighbouring ones."""

    def __init__(self, model: ChainModel, encoded: Encoded, labels: IntArray) -> None:
        self._model = model
        self._rows = rows = model.rows(encoded.lengths)
        self._scorer = model.sparse
        self._prepared = self._scorer.prepare(encoded)
        self._split = len(rows.nodes.labels)
        self.gold = self._indicator(labels)
        self.cost = 1.0 - self.gold
        self.cost[self._split :] = 0.0

    @property
    def gold_is_allowed(self) -> bool:
        """Always: the labels of spans keep the rules of their scheme."""
        return True

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each part."""
        parts = self._rows.parts
        scores = self._scorer.score_prepared(self._prepared, parts, weights)
        return np.concatenate(
            [
                scores[name] if name in scores else np.zeros(own.score_count)
                for name, own in parts.items()
            ]
        )

    def scores_by(self, scorer: PartScorer, batch: Batch) -> FloatArray:
        """Score each part by any scorer; the batch is this sentence."""
        scores = score_every(scorer, batch, self._rows.parts)
        return np.concatenate([scores[name] for name in self._rows.parts])

    @property
    def choices(self) -> npt.NDArray[np.integer]:
        """The words whose labels are chosen, one per label."""
        return self._rows.nodes.choices

    def contributions(self, weights: Weights) -> FloatArray:
        """Return what each template of one label adds to the scores of labels."""
        return self._scorer.contributions("word", self._prepared, self._rows.parts, weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best labels."""
        nodes, edges = scores[: self._split], scores[self._split :]
        best = self._model.transitions.best(self._rows.lengths, nodes, edges)
        return self._indicator(best.labels)

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the probabilities of labels and pairs."""
        nodes, edges = scores[: self._split], scores[self._split :]
        found = self._model.transitions.marginals(self._rows.lengths, nodes, edges)
        return Expectation(
            np.concatenate([found.node_probabilities, found.edge_probabilities]),
            float(found.log_partitions[0]),
        )

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the features of the parts, weighted."""
        return self._scorer.gradient(
            self._prepared, self._rows.parts, self._by_family(coefficients)
        )

    def _by_family(self, values: FloatArray) -> dict[str, FloatArray]:
        """Take apart what is given for all parts, one after the other."""
        parts = self._rows.parts
        ends = np.cumsum([own.score_count for own in parts.values()])
        return dict(zip(parts, np.split(values, ends[:-1]), strict=True))

    def _indicator(self, labels: IntArray) -> FloatArray:
        transitions = self._model.transitions
        indicator = np.zeros(self._split + len(self._rows.pairs.labels))
        words = np.arange(len(labels))
        indicator[words * transitions.labels + labels] = 1.0
        pairs = transitions.places[labels[:-1], labels[1:]]
        indicator[self._split + words[:-1] * len(transitions.pairs) + pairs] = 1.0
        return indicator


class ChainTask:
    """The training set of a model whose labels see one another.

    Parameters
    ----------
    model
        The model's templates, labels and transitions.
    encoded, labels
        The sentences, each a batch of one, and the numbers of their gold labels; every pair of
        neighbours has to be allowed.
    noise
        Hides words from the learner.
    """

    def __init__(
        self,
        model: ChainModel,
        encoded: Sequence[Encoded],
        labels: Sequence[IntArray],
        noise: WordNoise | None = None,
    ) -> None:
        self._model = model
        self._encoded = encoded
        self._labels = labels
        self._noise = noise

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> ChainProblem:
        """Return one sentence's problem."""
        return self._problem(self._encoded[index], self._labels[index])

    def problem_in_round(self, index: int, number: int) -> ChainProblem:
        """Return one sentence's problem as it is in a round of learning."""
        if self._noise is None:
            return self.problem(index)
        encoded = self._noise.hide(index, number, self._encoded[index])
        return self._problem(encoded, self._labels[index])

    def _problem(self, encoded: Encoded, labels: IntArray) -> ChainProblem:
        return ChainProblem(self._model, encoded, labels)

    def keys(self, index: int) -> npt.NDArray[np.uint64]:
        """Return the features of all words and pairs of a sentence, without labels."""
        encoded = self._encoded[index]
        scorer, rows = self._model.sparse, self._model.rows(encoded.lengths)
        return scorer.keys(scorer.prepare(encoded), rows.parts)
