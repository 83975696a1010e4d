"""Algorithms on one matrix of arc scores, or on a padded batch of them.

``scores[h, m]`` is the score of word ``h`` as the head of word ``m``: words are 1..n, 0 is the
root, so the shape is ``(n + 1, n + 1)``. Column 0 and the diagonal are ignored and ``-inf``
forbids an arc. A batch has shape ``(b, n + 1, n + 1)``, with ``lengths`` saying how many words
each matrix really has. Trees come back as heads: ``heads[m - 1]`` is the head of word ``m``.

:class:`Trees` holds the scores and what trees must keep to, and answers every question about
them. The functions ask one question and take the same keywords.

>>> trees = Trees([[0, 9, 8], [0, 0, 7], [0, 1, 0]], projective=True)
>>> trees.best(), round(trees.entropy(), 3)
(array([0, 1]), 0.007)
"""

from __future__ import annotations

from turbotree.trees.distribution import ScoredTree, TreeMarginals, Trees
from turbotree.trees.functions import (
    entropy,
    k_best,
    log_partition,
    marginal_derivative,
    marginals,
    maximum_spanning_tree,
    sample,
    tree_marginals,
    tree_score,
)

__all__ = [
    "ScoredTree",
    "TreeMarginals",
    "Trees",
    "entropy",
    "k_best",
    "log_partition",
    "marginal_derivative",
    "marginals",
    "maximum_spanning_tree",
    "sample",
    "tree_marginals",
    "tree_score",
]
