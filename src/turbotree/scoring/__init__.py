"""Scores of parts: one contract, several sources.

A part scorer takes sentences and parts and gives scores. Pruners, parsers, labellers and taggers
hold one and do not know where its scores come from: sparse features, a network, a weighted sum.
"""

from turbotree.scoring.part_scorer import (
    Batch,
    PartScorer,
    PartScores,
    SentenceEncoder,
    WeightedSum,
    score_every,
)
from turbotree.scoring.sparse import ScoredModel, SparseScorer, rest_of, sparse, sparse_weight

__all__ = [
    "Batch",
    "PartScorer",
    "PartScores",
    "ScoredModel",
    "SentenceEncoder",
    "SparseScorer",
    "WeightedSum",
    "rest_of",
    "score_every",
    "sparse",
    "sparse_weight",
]
