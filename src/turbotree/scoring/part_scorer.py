"""The contract of everything that scores parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.features import Parts
from turbotree.scoring.batch import Batch

#: One score per part, or per part and label, by family.
PartScores: TypeAlias = dict[str, FloatArray]


class PartScorer(Protocol):
    """Scores the parts of sentences, family by family.

    Families are ``"arc"``, ``"sibling"`` and so on of parsers, ``"label"`` and ``"label_pair"`` of
    their labellers, ``"word"``, ``"pair"`` and ``"triple"`` of taggers.
    """

    @property
    def families(self) -> tuple[str, ...]:
        """The families that it scores."""

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return one score per part, or per part and label for labelled parts, by family.

        A family that the scorer does not know has no entry.
        """


def score_every(scorer: PartScorer, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
    """Score parts; those of families that the scorer does not know score 0."""
    known = scorer.score(batch, parts)
    return {
        name: known[name] if name in known else np.zeros(own.score_count)
        for name, own in parts.items()
    }
