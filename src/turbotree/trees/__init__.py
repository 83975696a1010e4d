"""Algorithms on one matrix of arc scores, or on a padded batch of them.

``scores[h, m]`` is the score of word ``h`` as the head of word ``m``: words are 1..n, 0 is the
root, so the shape is ``(n + 1, n + 1)``. Column 0 and the diagonal are ignored and ``-inf``
forbids an arc. A batch has shape ``(b, n + 1, n + 1)``, with ``lengths`` saying how many words
each matrix really has. Trees come back as heads: ``heads[m - 1]`` is the head of word ``m``.

Every function takes the same keywords:

- ``single_root``: exactly one word hangs from the root (default: at least one does).
- ``projective``: only trees whose arcs, drawn above the sentence, do not cross.
- ``required``, ``forbidden``: arcs as ``(head, modifier)`` pairs or as a boolean matrix of the
  scores' shape; for a batch, one list of pairs for each matrix or a boolean array of the batch's
  shape.
- ``lengths``: number of words of each matrix of a batch.
- ``threads``: how many threads share the matrices of a batch.
"""

from __future__ import annotations

from turbotree.trees.decoding import ScoredTree, k_best, maximum_spanning_tree, tree_score
from turbotree.trees.gradients import marginal_derivative
from turbotree.trees.probabilities import (
    TreeMarginals,
    entropy,
    log_partition,
    marginals,
    tree_marginals,
)
from turbotree.trees.sampling import sample

__all__ = [
    "ScoredTree",
    "TreeMarginals",
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
