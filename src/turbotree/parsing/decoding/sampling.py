"""Trees drawn at random: exactly for arc-factored models, by importance resampling for others.

Beyond arcs nobody can draw exactly. Belief propagation gives approximate probabilities of arcs,
and some arc-factored distribution over trees has just these: draws from it are proposals. Each
counts as much as the model thinks more of it than the proposing distribution, and the sample is
drawn from the proposals by these weights. The more proposals there are, the nearer is the sample to
the model's distribution, whatever belief propagation got wrong.
"""

from __future__ import annotations

import zlib

import numpy as np

from turbotree import trees
from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding.beliefs import part_marginals
from turbotree.parsing.decoding.certificate import Certificate, FoundTree
from turbotree.parsing.parts import ScoredSentence

#: Proposals for each tree that is asked for, and at least so many.
_PROPOSALS_PER_TREE, _LEAST_PROPOSALS = 10, 500
#: Rounds in which the proposing distribution comes near to the arcs' probabilities.
_FITTING_ROUNDS = 30
_HARDLY_POSSIBLE = 1e-8
_UNKNOWN = Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0)


def sample_trees(
    scored: ScoredSentence, temperature: float, count: int, seed: int, text: str
) -> list[FoundTree]:
    """Draw trees of a sentence, each with the model's probability.

    Parameters
    ----------
    scored, temperature
        The sentence, and what its scores are divided by.
    count
        How many; the same tree may come several times.
    seed, text
        The same seed and text of a sentence give the same trees, whatever the batch.
    """
    if scored.has_spans:
        raise InputError("samples cannot keep spans together; require or forbid arcs instead")
    scaled = scored.scaled(temperature)
    rng = np.random.default_rng([seed, zlib.crc32(text.encode())])
    if scored.parts.families:
        heads = _resampled(scaled, count, rng)
    else:
        heads = _drawn(scaled.arc_matrix(scaled.scores["arc"]), count, scored.shape, rng)
    found: dict[bytes, FoundTree] = {}
    drawn = []
    for row in heads:
        key = row.tobytes()
        if key not in found:
            found[key] = FoundTree(row, scored.score(row), _UNKNOWN)
        drawn.append(found[key])
    return drawn


def _drawn(matrix: FloatArray, count: int, shape: TreeShape, rng: np.random.Generator) -> IntArray:
    return trees.sample(
        matrix,
        count,
        seed=int(rng.integers(2**63)),
        single_root=shape.single_root,
        projective=shape.projective,
    ).astype(np.int32)


def _resampled(scored: ScoredSentence, count: int, rng: np.random.Generator) -> IntArray:
    shape = scored.shape
    matrix = _proposing(scored.arc_matrix(part_marginals(scored).arcs), shape)
    proposals = _drawn(matrix, max(_LEAST_PROPOSALS, _PROPOSALS_PER_TREE * count), shape, rng)
    rows, of_row = np.unique(proposals, axis=0, return_inverse=True)
    words = np.arange(1, rows.shape[1] + 1)
    weights = np.array([scored.score(row) - float(matrix[row, words].sum()) for row in rows])[
        of_row.reshape(-1)
    ]
    shares = np.exp(weights - weights.max())
    chosen = rng.choice(len(proposals), size=count, p=shares / shares.sum())
    return proposals[chosen]


def _proposing(beliefs: FloatArray, shape: TreeShape) -> FloatArray:
    """Return arc scores whose distribution over trees has about these probabilities of arcs."""
    possible = beliefs > -np.inf
    target = np.log(np.maximum(beliefs[possible], _HARDLY_POSSIBLE))
    matrix = np.full(beliefs.shape, -np.inf)
    matrix[possible] = target
    for _ in range(_FITTING_ROUNDS):
        have = trees.marginals(matrix, single_root=shape.single_root, projective=shape.projective)[
            possible
        ]
        step = target - np.log(np.maximum(have, _HARDLY_POSSIBLE))
        matrix[possible] += 0.5 * np.clip(step, -2.0, 2.0)
    return matrix
