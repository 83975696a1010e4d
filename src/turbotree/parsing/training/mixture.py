"""How much a network and sparse features count beside each other: fitted on development data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.networks import Network, NetworkScorer
from turbotree.networks.weighting import USUAL_WEIGHT, best_weight
from turbotree.parsing.arcs import Pruner, TreeShape
from turbotree.parsing.decoding.decode import decode
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.mixture import MixtureWeights
from turbotree.parsing.parts import PartSet, ScoredParts
from turbotree.parsing.training.development import Map, label_accuracy
from turbotree.parsing.training.treebank import Treebank
from turbotree.scoring import Batch, PartScores, SparseScorer

_SENTENCES_AT_ONCE = 64


@dataclass(frozen=True)
class _Scored:
    """Some sentences of the development data: both scores of their parts, and the right heads."""

    parts: PartSet
    features: PartScores
    network: FloatArray
    heads: Sequence[IntArray]


def fit_mixture(
    network: Network,
    pruner: Pruner,
    parts: SparseScorer,
    labels: LabelModel,
    temperatures: tuple[float, float],
    dev: Treebank,
    shape: TreeShape,
    map_: Map,
) -> MixtureWeights:
    """Return the weights under which most heads and labels of the development data are right.

    Parameters
    ----------
    network, pruner
        The network, and the pruner that asks it.
    parts, labels
        The features.
    temperatures
        Of the features' scores of parts and of labels: divided by them, they are logarithms of
        probabilities as the network's are.
    dev
        Data that neither was trained on; without any, the usual weights are taken.
    shape
        Which trees are allowed.
    map_
        Maps over numbers, on threads perhaps.
    """
    of_parts, of_labels = (1.0 / temperature for temperature in temperatures)
    if not dev.heads:
        return MixtureWeights(of_parts, USUAL_WEIGHT, of_labels, USUAL_WEIGHT)
    pieces = [
        _scored(network, pruner, parts, dev, first)
        for first in range(0, len(dev.heads), _SENTENCES_AT_ONCE)
    ]

    def right_heads(weight: float) -> int:
        return sum(map_(lambda i: _right(pieces[i], of_parts, weight, shape), len(pieces)))

    def right_labels(weight: float) -> float:
        model = MixtureWeights(1.0, 1.0, of_labels, weight).labels(labels, network)
        return label_accuracy(model, dev, map_)

    return MixtureWeights(of_parts, best_weight(right_heads), of_labels, best_weight(right_labels))


def _scored(
    network: Network, pruner: Pruner, features: SparseScorer, dev: Treebank, first: int
) -> _Scored:
    last = first + _SENTENCES_AT_ONCE
    batch = Batch(dev.sentences[first:last])
    parts = PartSet.build(batch.lengths, pruner.candidates(batch), features.families)
    of_arcs = NetworkScorer(network, ("arc",)).score(batch, {"arc": parts.arcs})["arc"]
    return _Scored(parts, features.score(batch, parts), of_arcs, dev.heads[first:last])


def _right(scored: _Scored, features: float, network: float, shape: TreeShape) -> int:
    right = 0
    mixed = {name: features * own for name, own in scored.features.items()}
    mixed["arc"] = mixed["arc"] + network * scored.network
    sentences = ScoredParts(scored.parts, mixed, shape, None)
    for sentence, heads in zip(sentences, scored.heads, strict=True):
        right += int(np.count_nonzero(decode(sentence).heads == heads))
    return right
