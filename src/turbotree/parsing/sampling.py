"""Trees drawn at random: exactly for arc-factored models, by importance resampling for others.

Beyond arcs nobody can draw exactly. Belief propagation gives approximate probabilities of arcs,
and some arc-factored distribution over trees has just these: draws from it are proposals. Each
counts as much as the model thinks more of it than the proposing distribution, and the sample is
drawn from the proposals by these weights. The more proposals there are, the nearer is the sample to
the model's distribution, whatever belief propagation got wrong.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

from turbotree import trees
from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.certificate import Certificate
from turbotree.parsing.decoding import tree_score
from turbotree.parsing.k_best import arc_matrix
from turbotree.parsing.parts import PartSet
from turbotree.parsing.probabilities import part_marginals
from turbotree.parsing.scored import FoundTree, Scored

#: Proposals for each tree that is asked for, and at least so many.
_PROPOSALS_A_TREE, _LEAST_PROPOSALS = 10, 500
#: Rounds in which the proposing distribution comes near to the arcs' probabilities.
_FITTING_ROUNDS = 30
_HARDLY_POSSIBLE = 1e-8
_UNKNOWN = Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0)


def sample_trees(scored: Scored, sentence: int, count: int, seed: int) -> list[FoundTree]:
    """Draw trees of a sentence, each with the model's probability (its arcs' temperature applied).

    Parameters
    ----------
    scored, sentence
        A batch, and which of its sentences.
    count
        How many; the same tree may come several times.
    seed
        The same seed and sentence give the same trees, whatever the batch.
    """
    if scored.amend(sentence) is not None:
        raise InputError("samples cannot keep spans together; require or forbid arcs instead")
    parts, shape = scored.parts, scored.shape
    scores = scored.scores_of(sentence)
    temperature = scored.parser.arc_temperature
    scaled = {name: own / temperature for name, own in scores.items()}
    text = scored.sentences[sentence].to_text().encode()
    rng = np.random.default_rng([seed, zlib.crc32(text)])
    if parts.families:
        heads = _resampled(parts, sentence, scaled, shape, count, rng)
    else:
        matrix = arc_matrix(parts, sentence, scaled["arc"])
        heads = _drawn(matrix, count, shape, rng)
    found: dict[bytes, FoundTree] = {}
    drawn = []
    for row in heads:
        key = row.tobytes()
        if key not in found:
            found[key] = FoundTree(row, tree_score(parts, sentence, scores, row), _UNKNOWN)
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


def _resampled(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    count: int,
    rng: np.random.Generator,
) -> IntArray:
    beliefs = part_marginals(parts, sentence, scores, shape).arcs
    matrix = _proposing(arc_matrix(parts, sentence, beliefs), shape)
    proposals = _drawn(matrix, max(_LEAST_PROPOSALS, _PROPOSALS_A_TREE * count), shape, rng)
    rows, of_row = np.unique(proposals, axis=0, return_inverse=True)
    words = np.arange(1, rows.shape[1] + 1)
    weights = np.array(
        [tree_score(parts, sentence, scores, row) - float(matrix[row, words].sum()) for row in rows]
    )[of_row.reshape(-1)]
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
