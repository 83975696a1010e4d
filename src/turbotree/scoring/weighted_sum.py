"""Scores that are weighted sums of other scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turbotree.errors import InputError
from turbotree.features import Parts
from turbotree.scoring.batch import Batch
from turbotree.scoring.part_scorer import PartScorer, PartScores


class WeightedSum:
    """Adds the scores of several scorers, each times its weight.

    A family that a scorer does not know counts 0 there.

    Parameters
    ----------
    terms
        Weights and scorers.
    """

    def __init__(self, terms: Sequence[tuple[float, PartScorer]]) -> None:
        if not terms:
            raise InputError("a weighted sum of no scorers")
        self.terms = tuple(terms)

    @property
    def scorers(self) -> tuple[PartScorer, ...]:
        """The scorers, without their weights."""
        return tuple(scorer for _, scorer in self.terms)

    @property
    def families(self) -> tuple[str, ...]:
        """The families that some scorer knows, in the order in which they come up."""
        return tuple(dict.fromkeys(name for one in self.scorers for name in one.families))

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return the weighted sums of the scores, by family."""
        total: PartScores = {}
        for weight, scorer in self.terms:
            for name, own in scorer.score(batch, parts).items():
                total[name] = total[name] + weight * own if name in total else weight * own
        return total
