"""Words that choose their label by themselves, each from the labels that its class allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree import chains
from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import AnyWeights, Encoded, Encoder, LabelledParts, Weights
from turbotree.features._core import MAX_LABELS, Gradient
from turbotree.labeling.model import FAMILIES
from turbotree.learning import Expectation
from turbotree.scoring import Batch, PartScorer, ScoredModel, SparseScorer, score_every

_NO_EDGES = np.zeros(0)


@dataclass(frozen=True)
class LabelLists:
    """The labels of each class of words, as training has seen them.

    Attributes
    ----------
    offsets, labels
        Class ``c`` may take ``labels[offsets[c]:offsets[c + 1]]``; at least one.
    """

    offsets: IntArray
    labels: IntArray

    def __post_init__(self) -> None:
        offsets, labels = self.offsets, self.labels
        well_formed = (
            (offsets.ndim, labels.ndim) == (1, 1)
            and len(offsets) > 1
            and (offsets[0], offsets[-1]) == (0, len(labels))
            and bool((np.diff(offsets) > 0).all())
            and bool((labels >= 0).all())
        )
        if not well_formed:
            raise InputError("the lists of labels are not well formed")

    @classmethod
    def fit(cls, classes: int, labels: int, seen: Iterable[tuple[int, int]]) -> LabelLists:
        """Collect the lists from pairs (class, label); an unseen class may take every label.

        >>> LabelLists.fit(2, 3, [(1, 2), (1, 0)]).labels.tolist()
        [0, 1, 2, 0, 2]
        """
        lists: list[set[int]] = [set() for _ in range(classes)]
        for number, label in seen:
            lists[number].add(label)
        rows = [sorted(found) if found else list(range(labels)) for found in lists]
        offsets = np.zeros(classes + 1, dtype=np.int32)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return cls(offsets, np.array([x for row in rows for x in row], dtype=np.int32))

    def of(self, classes: IntArray) -> tuple[IntArray, IntArray]:
        """Return the lists of some words, by their classes: offsets and labels."""
        starts = self.offsets[classes]
        counts = self.offsets[classes + 1] - starts
        offsets = np.zeros(len(classes) + 1, dtype=np.int32)
        np.cumsum(counts, out=offsets[1:])
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)
        return offsets, self.labels[places]


class ChoiceModel(ScoredModel):
    """Labels each word by itself.

    Parameters
    ----------
    templates
        Templates of a word's label.
    labels
        The labels' names.
    lists
        Which labels each class of words may take.
    attribute
        The attribute that the classes are the ids of; None if all words are of class 0.
    encoder
        The tagger's encoder.
    weights
        None until trained.
    """

    def __init__(
        self,
        templates: Sequence[str],
        labels: Sequence[str],
        lists: LabelLists,
        attribute: str | None,
        encoder: Encoder,
        weights: AnyWeights | None = None,
    ) -> None:
        if len(labels) > MAX_LABELS:
            raise InputError(f"{len(labels)} labels; a model takes up to {MAX_LABELS}")
        classes = encoder.id_limit(attribute) if attribute is not None else 1
        if len(lists.offsets) != classes + 1 or lists.labels.max() >= len(labels):
            raise InputError("the lists of labels do not fit the labels and the encoder")
        self.templates = list(templates)
        self.labels = list(labels)
        self.lists = lists
        self.attribute = attribute
        self.encoder = encoder
        self._row = encoder.attributes.index(attribute) if attribute is not None else -1
        self.scorer: PartScorer = SparseScorer({"word": templates}, FAMILIES, encoder, weights)

    def with_templates(self, templates: Sequence[str]) -> ChoiceModel:
        """Return a model of other templates, without weights."""
        return ChoiceModel(templates, self.labels, self.lists, self.attribute, self.encoder)

    def with_encoder(self, encoder: Encoder) -> ChoiceModel:
        """Return the same model with an encoder that gives the same ids."""
        return ChoiceModel(
            self.templates, self.labels, self.lists, self.attribute, encoder, self.weights
        )

    @property
    def numbered_templates(self) -> list[str]:
        """The templates in the order of their numbers."""
        return self.templates

    @property
    def label_limit(self) -> int:
        """The least number above all labels."""
        return len(self.labels)

    def parts(self, encoded: Encoded) -> LabelledParts:
        """Lay out the words of a batch with the labels that each may take."""
        bounds = np.concatenate([[0], np.cumsum(encoded.lengths)])
        words = np.arange(1, bounds[-1] + 1) - np.repeat(bounds[:-1], encoded.lengths)
        if self.attribute is None:
            classes = np.zeros(len(words), dtype=np.int32)
        else:
            is_word = np.ones(encoded.ids.shape[1], dtype=bool)
            is_word[encoded.starts[:-1]] = False
            classes = encoded.ids[self._row][is_word]
        return LabelledParts(
            words[:, None].astype(np.int32), bounds.astype(np.int32), *self.lists.of(classes)
        )

    def score(self, batch: Batch, parts: LabelledParts) -> FloatArray:
        """Score each label that each word may take."""
        return score_every(self.scorer, batch, {"word": parts})["word"]


def best_choices(parts: LabelledParts, scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each word's best label, and its score."""
    offsets = parts.label_offsets
    best = chains.best_states(scores, offsets, _NO_EDGES, np.zeros_like(offsets))
    places = offsets[:-1] + best.states
    return parts.labels[places], scores[places]


class ChoiceProblem:
    """One training sentence whose words choose by themselves."""

    def __init__(self, model: ChoiceModel, encoded: Encoded, labels: IntArray) -> None:
        self._parts = model.parts(encoded)
        self._scorer = model.sparse
        self._prepared = self._scorer.prepare(encoded)
        self.gold = self._indicator(labels)
        self.cost = 1.0 - self.gold

    @property
    def gold_is_allowed(self) -> bool:
        """Whether the lists allow every gold label."""
        return bool(self.gold.sum() == len(self._parts.rows))

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each label."""
        parts = {"word": self._parts}
        return self._scorer.score_prepared(self._prepared, parts, weights)["word"]

    def scores_by(self, scorer: PartScorer, batch: Batch) -> FloatArray:
        """Score each label by any scorer; the batch is this sentence."""
        return score_every(scorer, batch, {"word": self._parts})["word"]

    @property
    def choices(self) -> npt.NDArray[np.integer]:
        """The words whose labels are chosen, one per label."""
        return self._parts.choices

    def contributions(self, weights: Weights) -> FloatArray:
        """Return what each template adds to the scores."""
        return self._scorer.contributions("word", self._prepared, {"word": self._parts}, weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best labels."""
        return self._indicator(best_choices(self._parts, scores)[0])

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the probabilities of the labels."""
        offsets = self._parts.label_offsets
        found = chains.marginals(scores, offsets, _NO_EDGES, np.zeros_like(offsets))
        return Expectation(found.node_probabilities, found.log_partition)

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the features of the labels, weighted."""
        parts = {"word": self._parts}
        return self._scorer.gradient(self._prepared, parts, {"word": coefficients})

    def _indicator(self, labels: IntArray) -> FloatArray:
        counts = np.diff(self._parts.label_offsets)
        indicator: FloatArray = (self._parts.labels == np.repeat(labels, counts)).astype(float)
        return indicator


class ChoiceTask:
    """The training set of a model whose words choose by themselves; see :class:`ChainTask`."""

    def __init__(
        self, model: ChoiceModel, encoded: Sequence[Encoded], labels: Sequence[IntArray]
    ) -> None:
        self._model = model
        self._encoded = encoded
        self._labels = labels

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> ChoiceProblem:
        """Return one sentence's problem."""
        return ChoiceProblem(self._model, self._encoded[index], self._labels[index])

    def keys(self, index: int) -> npt.NDArray[np.uint64]:
        """Return the features of all words of a sentence, without labels."""
        encoded = self._encoded[index]
        scorer = self._model.sparse
        return scorer.keys(scorer.prepare(encoded), {"word": self._model.parts(encoded)})
