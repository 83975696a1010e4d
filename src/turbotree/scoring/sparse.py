"""Scores from sparse features: templates for each family, one table of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import FloatArray, IntArray, KeyArray
from turbotree.errors import InputError
from turbotree.features import (
    AnyWeights,
    Encoded,
    Encoder,
    FiredFeature,
    PartKind,
    Parts,
    Scorer,
    Weights,
    explain,
)
from turbotree.features._core import Gradient, Prepared
from turbotree.scoring.part_scorer import Batch, PartScorer, PartScores, WeightedSum

if TYPE_CHECKING:
    from typing import Self  # Python 3.10 lacks it


class SparseScorer:
    """Scores parts by the weights of their features.

    It also gives what training needs: features prepared for any number of weights, and gradients.

    Parameters
    ----------
    templates
        Templates of each family, numbered one after the other.
    kinds
        The slots of each family's parts; there may be more.
    encoder
        Makes integers of sentences.
    weights
        One table for all families; None until trained.

    Examples
    --------
    >>> from turbotree.text import Sentence
    >>> sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    >>> encoder = Encoder.fit([sentence], ["upos"], [])
    >>> scorer = SparseScorer({"arc": ["h.upos dir"]}, {"arc": PartKind(("h", "m"))}, encoder)
    >>> parts = {"arc": Parts.of_one([[2, 1], [1, 2]])}
    >>> weights = Weights()
    >>> prepared = scorer.prepare(encoder.encode([sentence]))
    >>> weights.add(scorer.gradient(prepared, parts, {"arc": np.array([1.0, 0.0])}), 0.5)
    >>> scorer.with_weights(weights).score(Batch([sentence]), parts)["arc"].tolist()
    [0.5, 0.0]
    """

    def __init__(
        self,
        templates: Mapping[str, Sequence[str]],
        kinds: Mapping[str, PartKind],
        encoder: Encoder,
        weights: AnyWeights | None = None,
    ) -> None:
        self.encoder = encoder
        self.weights = weights
        self.scorers: dict[str, Scorer] = {}
        first = 0
        for name, texts in templates.items():
            self.scorers[name] = Scorer(texts, kinds[name], encoder, first_template=first)
            first += len(texts)
        #: The families that it scores.
        self.families: tuple[str, ...] = tuple(self.scorers)

    @property
    def templates(self) -> dict[str, list[str]]:
        """The templates of each family."""
        return {
            name: [template.text for template in scorer.templates]
            for name, scorer in self.scorers.items()
        }

    @property
    def trained_weights(self) -> AnyWeights:
        """The weights; a scorer that has none yet is an error."""
        if self.weights is None:
            raise ValueError("a scorer without weights; train it first")
        return self.weights

    def with_weights(self, weights: AnyWeights) -> SparseScorer:
        """Return the same scorer with other weights."""
        other = object.__new__(SparseScorer)
        other.encoder, other.weights = self.encoder, weights
        other.scorers, other.families = self.scorers, self.families
        return other

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Score parts with the scorer's own weights."""
        weights = self.trained_weights if self.weights is None else self.weights
        encoded, scores = batch.of(self.encoder), {}
        prepared: dict[str, Prepared] = batch.derived(self.scorers, dict)
        for name, own in parts.items():
            if name in self.scorers:
                scorer = self.scorers[name]
                if name not in prepared:
                    prepared[name] = scorer.prepare(encoded)
                scores[name] = scorer.score(prepared[name], own, weights)
        return scores

    def prepare(self, encoded: Encoded) -> dict[str, Prepared]:
        """Hash the words of some sentences once, for any number of parts and weights."""
        return {name: scorer.prepare(encoded) for name, scorer in self.scorers.items()}

    def score_prepared(
        self, prepared: Mapping[str, Prepared], parts: Mapping[str, Parts], weights: AnyWeights
    ) -> PartScores:
        """Score parts of prepared sentences with any weights."""
        return {
            name: scorer.score(prepared[name], parts[name], weights)
            for name, scorer in self.scorers.items()
            if name in parts
        }

    def keys(self, prepared: Mapping[str, Prepared], parts: Mapping[str, Parts]) -> KeyArray:
        """Return the features of all parts, without labels, one after the other."""
        return np.concatenate(
            [scorer.keys(prepared[name], parts[name]) for name, scorer in self.scorers.items()]
        )

    def contributions(
        self,
        family: str,
        prepared: Mapping[str, Prepared],
        parts: Mapping[str, Parts],
        weights: Weights,
    ) -> FloatArray:
        """Return what each template of a family adds to each of its scores."""
        return self.scorers[family].contributions(prepared[family], parts[family], weights)

    def gradient(
        self,
        prepared: Mapping[str, Prepared],
        parts: Mapping[str, Parts],
        coefficients: Mapping[str, FloatArray],
    ) -> Gradient:
        """Return the features of the parts, each times its coefficient, summed."""
        total: Gradient | None = None
        for name, scorer in self.scorers.items():
            one = scorer.gradient(prepared[name], parts[name], coefficients[name])
            if total is None:
                total = one
            else:
                total.extend(one)
        assert total is not None
        return total

    def explain(
        self, batch: Batch, family: str, part: IntArray, *, label: int = 0
    ) -> list[FiredFeature]:
        """List the features of one part of one sentence with their weights, heaviest first."""
        encoded = batch.of(self.encoder)
        return explain(self.scorers[family], encoded, part, self.trained_weights, label=label)


def sparse(scorer: PartScorer) -> SparseScorer:
    """Return a scorer that is sparse, or the sparse one of a weighted sum."""
    terms = scorer.scorers if isinstance(scorer, WeightedSum) else (scorer,)
    for one in terms:
        if isinstance(one, SparseScorer):
            return one
    raise InputError("this model has no sparse features")


class ScoredModel:
    """A model that gets its scores from a part scorer."""

    scorer: PartScorer

    @property
    def sparse(self) -> SparseScorer:
        """The scorer, or that part of it, which has sparse features."""
        return sparse(self.scorer)

    @property
    def weights(self) -> AnyWeights | None:
        """The weights of the sparse features."""
        return self.sparse.weights

    def with_scorer(self, scorer: PartScorer) -> Self:
        """Return the same model with other scores."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.scorer = scorer
        return other

    def with_weights(self, weights: AnyWeights) -> Self:
        """Return the same model with other weights of its sparse features."""
        return self.with_scorer(self.sparse.with_weights(weights))


def sparse_weight(scorer: PartScorer) -> float:
    """Return what the scores of sparse features are multiplied by in a scorer.

    >>> sparse_weight(WeightedSum([(0.5, SparseScorer({}, {}, Encoder.fit([], [], [])))]))
    0.5
    """
    terms = scorer.terms if isinstance(scorer, WeightedSum) else ((1.0, scorer),)
    return next(weight for weight, one in terms if isinstance(one, SparseScorer))


def rest_of(scorer: PartScorer, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
    """Return what a scorer adds to the scores of its sparse features, in units of their weight.

    So the scorer's scores are the features' scores plus these, times :func:`sparse_weight`.
    """
    if not isinstance(scorer, WeightedSum):
        return {}
    unit = sparse_weight(scorer)
    others = [(weight / unit, one) for weight, one in scorer.terms if one is not sparse(scorer)]
    return WeightedSum(others).score(batch, parts) if others else {}
