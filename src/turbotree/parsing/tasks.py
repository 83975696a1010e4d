"""What the learner is told of arcs and labels: their training problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from turbotree import chains
from turbotree.features import AnyWeights, Encoded, Parts, Scorer
from turbotree.features._core import Gradient
from turbotree.learning import Expectation
from turbotree.parsing.arcs import (
    FloatArray,
    IntArray,
    TreeShape,
    all_arcs,
    arc_marginals,
    best_trees,
)
from turbotree.parsing.decoding import decode, part_marginals
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.model import PartModel
from turbotree.parsing.parts import PartSet

# An answer that is nearly the best one teaches as well, and most sentences are done long before.
_DECODING_IN_TRAINING: dict[str, Any] = {"max_iterations": 100, "residual_threshold": 1e-3}


class ArcProblem:
    """One training sentence of an arc-factored model."""

    def __init__(
        self, scorer: Scorer, encoded: Encoded, heads: IntArray, arcs: Parts, shape: TreeShape
    ) -> None:
        self._scorer = scorer
        self._prepared = scorer.prepare(encoded)
        self._lengths = encoded.lengths
        self._arcs = arcs
        self._shape = shape
        self.gold = self._indicator(heads)
        self.cost = 1.0 - self.gold

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each candidate arc."""
        return self._scorer.score(self._prepared, self._arcs, weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best tree."""
        return self._indicator(best_trees(self._lengths, self._arcs, scores, self._shape))

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the arcs' probabilities."""
        probabilities, log_partitions = arc_marginals(
            self._lengths, self._arcs, scores, self._shape
        )
        return Expectation(probabilities, float(log_partitions[0]))

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the arcs' features, weighted."""
        return self._scorer.gradient(self._prepared, self._arcs, coefficients)

    def _indicator(self, heads: IntArray) -> FloatArray:
        rows = self._arcs.rows
        indicator: FloatArray = (heads[rows[:, 1] - 1] == rows[:, 0]).astype(np.float64)
        return indicator


class ArcTask:
    """The training set of an arc-factored model.

    Parameters
    ----------
    scorer
        The model's templates.
    encoded, heads
        The sentences, each a batch of one, and their gold heads.
    candidates
        The candidate arcs of each sentence; without them, all arcs.
    shape
        Which trees are allowed.
    """

    def __init__(
        self,
        scorer: Scorer,
        encoded: Sequence[Encoded],
        heads: Sequence[IntArray],
        shape: TreeShape,
        candidates: Sequence[Parts] | None = None,
    ) -> None:
        self._scorer = scorer
        self._encoded = encoded
        self._heads = heads
        # Training trees may be non-projective whatever the parser is asked for later.
        self._shape = replace(shape, projective=False)
        self._candidates = candidates

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> ArcProblem:
        """Return one sentence's problem."""
        encoded = self._encoded[index]
        arcs = self._candidates[index] if self._candidates else all_arcs(encoded.lengths)
        return ArcProblem(self._scorer, encoded, self._heads[index], arcs, self._shape)


class PartProblem:
    """One training sentence of a model with parts of higher order: arcs first, then the rest."""

    def __init__(
        self, model: PartModel, encoded: Encoded, heads: IntArray, arcs: Parts, shape: TreeShape
    ) -> None:
        self._model = model
        self._prepared = model.prepare(encoded)
        self._parts = PartSet.build(encoded.lengths, arcs, model.families)
        self._shape = shape
        self._ends = np.cumsum([len(self._parts.parts(name).rows) for name in model.families])
        self.gold = self._indicator(heads)
        # Only arcs can be wrong; the cost of an answer is its number of wrong heads.
        self.cost = 1.0 - self.gold
        self.cost[self._ends[0] :] = 0.0

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each part."""
        return self._joined(self._model.score(self._prepared, self._parts, weights))

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best tree, or nearly so."""
        heads, _, _ = decode(
            self._parts, 0, self._split(scores), self._shape, "admm", **_DECODING_IN_TRAINING
        )
        return self._indicator(heads)

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the parts' probabilities by belief propagation, whether it came to rest or not."""
        split = self._split(scores)
        found = part_marginals(self._parts, 0, split, self._shape, every_part=True)
        assert found.parts is not None
        return Expectation(self._joined(found.parts), found.log_partition)

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the parts' features, weighted."""
        return self._model.gradient(self._prepared, self._parts, self._split(coefficients))

    def _split(self, values: FloatArray) -> dict[str, FloatArray]:
        pieces = np.split(values, self._ends[:-1])
        return dict(zip(self._model.families, pieces, strict=True))

    def _joined(self, values: Mapping[str, Any]) -> FloatArray:
        joined: FloatArray = np.concatenate([values[name] for name in self._model.families])
        return joined

    def _indicator(self, heads: IntArray) -> FloatArray:
        return self._joined(self._parts.indicators(0, heads)).astype(np.float64)


class PartTask:
    """The training set of a model with parts of higher order.

    Parameters
    ----------
    model
        The model's templates.
    encoded, heads
        The sentences, each a batch of one, and their gold heads.
    candidates
        The candidate arcs of each sentence.
    shape
        Which trees are allowed.
    """

    def __init__(
        self,
        model: PartModel,
        encoded: Sequence[Encoded],
        heads: Sequence[IntArray],
        shape: TreeShape,
        candidates: Sequence[Parts],
    ) -> None:
        self._model = model
        self._encoded = encoded
        self._heads = heads
        self._shape = replace(shape, projective=False)
        self._candidates = candidates

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> PartProblem:
        """Return one sentence's problem."""
        return PartProblem(
            self._model,
            self._encoded[index],
            self._heads[index],
            self._candidates[index],
            self._shape,
        )


def part_task(
    model: PartModel,
    encoded: Sequence[Encoded],
    heads: Sequence[IntArray],
    shape: TreeShape,
    candidates: Sequence[Parts],
) -> ArcTask | PartTask:
    """Return the training set of a model, the simpler kind if it scores arcs alone."""
    if model.families == ("arc",):
        return ArcTask(model.scorers["arc"], encoded, heads, shape, candidates)
    return PartTask(model, encoded, heads, shape, candidates)


class LabelProblem:
    """One training tree of the labeller: its node parts, then its edge parts."""

    def __init__(
        self, model: LabelModel, encoded: Encoded, heads: IntArray, labels: IntArray
    ) -> None:
        self._model = model
        self._structure = structure = model.chains(encoded, heads)
        self._prepared_nodes = model.node_scorer.prepare(encoded)
        self._prepared_pairs = model.pair_scorer.prepare(encoded)
        self._split = len(structure.nodes.labels)
        self.gold = self._indicator(labels[structure.words])
        self.cost = 1.0 - self.gold
        self.cost[self._split :] = 0.0

    @property
    def gold_is_allowed(self) -> bool:
        """Whether the dictionary allows every gold label."""
        return bool(self.gold[: self._split].sum() == len(self._structure.words))

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each label and each pair of neighbouring labels."""
        nodes = self._model.node_scorer.score(self._prepared_nodes, self._structure.nodes, weights)
        pairs = self._model.pair_scorer.score(self._prepared_pairs, self._structure.pairs, weights)
        return np.concatenate([nodes, pairs])

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best labelling."""
        nodes = self._structure.nodes
        best = chains.best_states(*self._chain_arguments(scores))
        return self._indicator(nodes.labels[nodes.label_offsets[:-1] + best.states])

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the probabilities of labels and pairs."""
        result = chains.marginals(*self._chain_arguments(scores))
        return Expectation(
            np.concatenate([result.node_probabilities, result.edge_probabilities]),
            result.log_partition,
        )

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the features of labels and pairs, weighted."""
        gradient = self._model.node_scorer.gradient(
            self._prepared_nodes, self._structure.nodes, coefficients[: self._split]
        )
        gradient.extend(
            self._model.pair_scorer.gradient(
                self._prepared_pairs, self._structure.pairs, coefficients[self._split :]
            )
        )
        return gradient

    def _chain_arguments(self, scores: FloatArray) -> tuple[Any, ...]:
        structure = self._structure
        return (
            scores[: self._split],
            structure.nodes.label_offsets,
            scores[self._split :],
            structure.edge_offsets,
        )

    def _indicator(self, node_labels: IntArray) -> FloatArray:
        """Mark the parts of a labelling, given in the order of the nodes."""
        nodes, pairs = self._structure.nodes, self._structure.pairs
        counts = np.diff(nodes.label_offsets)
        on_nodes = nodes.labels == np.repeat(node_labels, counts)
        by_word = np.empty(len(node_labels) + 1, dtype=np.int32)
        by_word[nodes.rows[:, 1]] = node_labels
        rows = np.repeat(pairs.rows, np.diff(pairs.label_offsets), axis=0)
        on_pairs = (by_word[rows[:, 1]] == pairs.labels) & (by_word[rows[:, 2]] == rows[:, 3])
        indicator: FloatArray = np.concatenate([on_nodes, on_pairs]).astype(np.float64)
        return indicator


class LabelTask:
    """The training set of a labeller: gold trees with their labels."""

    def __init__(
        self,
        model: LabelModel,
        encoded: Sequence[Encoded],
        heads: Sequence[IntArray],
        labels: Sequence[IntArray],
    ) -> None:
        self._model = model
        self._encoded = encoded
        self._heads = heads
        self._labels = labels

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> LabelProblem:
        """Return one tree's problem."""
        return LabelProblem(
            self._model, self._encoded[index], self._heads[index], self._labels[index]
        )
