"""The model of a parser's parts: templates for each family, one table of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.features import AnyWeights, Encoded, Encoder, Scorer, Weights
from turbotree.features._core import Gradient, Prepared
from turbotree.parsing.parts import FAMILIES, PartSet

#: One score a part, by family.
PartScores = dict[str, FloatArray]


class PartModel:
    """Scores the parts of a sentence, arcs and everything of higher order.

    Parameters
    ----------
    templates
        Templates of each family of parts, arcs first.
    encoder
        The parser's encoder.
    weights
        One table for all families; None until trained.
    """

    def __init__(
        self,
        templates: Mapping[str, Sequence[str]],
        encoder: Encoder,
        weights: AnyWeights | None = None,
    ) -> None:
        self.weights = weights
        self.scorers: dict[str, Scorer] = {}
        first = 0
        for name, texts in templates.items():
            kind = FAMILIES[name]
            self.scorers[name] = Scorer(texts, kind, encoder, first_template=first)
            first += len(texts)

    @property
    def families(self) -> tuple[str, ...]:
        """The families that are scored, arcs first."""
        return tuple(self.scorers)

    def with_weights(self, weights: AnyWeights) -> PartModel:
        """Return the same model with other weights."""
        other = object.__new__(PartModel)
        other.scorers = self.scorers
        other.weights = weights
        return other

    def prepare(self, encoded: Encoded) -> dict[str, Prepared]:
        """Hash the words of some sentences once, for any number of parts."""
        return {name: scorer.prepare(encoded) for name, scorer in self.scorers.items()}

    def keys(self, prepared: Mapping[str, Prepared], parts: PartSet) -> npt.NDArray[np.uint64]:
        """Return the features of all parts, one after the other."""
        return np.concatenate(
            [
                scorer.keys(prepared[name], parts.parts(name))
                for name, scorer in self.scorers.items()
            ]
        )

    def score(
        self,
        prepared: Mapping[str, Prepared],
        parts: PartSet,
        weights: AnyWeights | None = None,
    ) -> PartScores:
        """Score the parts of a batch, with these weights or the model's own."""
        table = self.weights if weights is None else weights
        assert table is not None
        return {
            name: scorer.score(prepared[name], parts.parts(name), table)
            for name, scorer in self.scorers.items()
            if name == "arc" or name in parts.families
        }

    def arc_contributions(
        self, prepared: Mapping[str, Prepared], parts: PartSet, weights: Weights
    ) -> FloatArray:
        """Return what each template of arcs, which have the first numbers, adds to each arc."""
        return self.scorers["arc"].contributions(prepared["arc"], parts.arcs, weights)

    def gradient(
        self, prepared: Mapping[str, Prepared], parts: PartSet, coefficients: PartScores
    ) -> Gradient:
        """Return the features of the parts, each times its coefficient, summed."""
        total: Gradient | None = None
        for name, scorer in self.scorers.items():
            one = scorer.gradient(prepared[name], parts.parts(name), coefficients[name])
            if total is None:
                total = one
            else:
                total.extend(one)
        assert total is not None
        return total
