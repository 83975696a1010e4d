"""What the learner is told of labels: their training problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from turbotree import chains
from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.features import AnyWeights, Encoded
from turbotree.features._core import Gradient
from turbotree.learning import Expectation
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.training.part_task import joined_base_scores
from turbotree.parsing.training.treebank import UNKNOWN


class LabelProblem:
    """One training tree of the labeller: its node parts, then its edge parts."""

    def __init__(
        self,
        model: LabelModel,
        encoded: Encoded,
        heads: IntArray,
        labels: IntArray,
        base: Mapping[str, FloatArray] | None = None,
    ) -> None:
        self._structure = structure = model.chains(encoded, heads)
        self._scorer = model.sparse
        self._prepared = self._scorer.prepare(encoded)
        self._split = len(structure.nodes.labels)
        self.gold = self._indicator(labels[structure.words])
        known = self._known(labels[structure.words])
        self.cost = np.zeros(len(self.gold))
        self.cost[: self._split] = known & (self.gold[: self._split] == 0)
        self.excluded = self.cost > 0 if (labels == UNKNOWN).any() else None
        sizes = {"label": self._split, "label_pair": len(self.gold) - self._split}
        self._base = None if base is None else joined_base_scores(base, sizes)

    @property
    def gold_is_allowed(self) -> bool:
        """Whether the dictionary allows every gold label."""
        return bool(self.gold[: self._split].sum() == len(self._structure.words))

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each label and each pair of neighbouring labels; fixed scores are added."""
        parts = self._structure.parts
        scores = self._scorer.score_prepared(self._prepared, parts, weights)
        own = np.concatenate([scores["label"], scores["label_pair"]])
        return own if self._base is None else own + self._base

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
        nodes, pairs = coefficients[: self._split], coefficients[self._split :]
        own = {"label": nodes, "label_pair": pairs}
        return self._scorer.gradient(self._prepared, self._structure.parts, own)

    def _known(self, labels: IntArray) -> BoolArray:
        """Return for each label whether that of its node is known.

        Of a tree that is known in part, a label that its dictionary does not allow counts as
        unknown: no answer could hold it.
        """
        nodes = self._structure.nodes
        counts = np.diff(nodes.label_offsets)
        known = labels != UNKNOWN
        if not known.all():
            of_node = np.repeat(np.arange(len(labels)), counts)
            known &= np.bincount(of_node, self.gold[: self._split], len(labels)) > 0
        return np.repeat(known, counts)

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
    """The training set of a labeller: gold trees with their labels, or `UNKNOWN` for some.

    `base_scores` are as for :class:`PartTask`, of the families ``"label"`` and ``"label_pair"``.
    """

    def __init__(
        self,
        model: LabelModel,
        encoded: Sequence[Encoded],
        heads: Sequence[IntArray],
        labels: Sequence[IntArray],
        base_scores: Sequence[Mapping[str, FloatArray]] | None = None,
    ) -> None:
        self._model = model
        self._encoded = encoded
        self._heads = heads
        self._labels = labels
        self._base_scores = base_scores

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> LabelProblem:
        """Return one tree's problem."""
        base = self._base_scores[index] if self._base_scores else None
        return LabelProblem(
            self._model, self._encoded[index], self._heads[index], self._labels[index], base
        )
