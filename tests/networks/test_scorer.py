"""A network beside other sources of scores."""

from __future__ import annotations

import numpy as np
import pytest
from small_networks import SMALL

from turbotree.features import Parts
from turbotree.networks import Network, NetworkScorer, train_network
from turbotree.scoring import Batch, PartScorer, WeightedSum
from turbotree.text import Sentence


@pytest.fixture(scope="module")
def network(sentences: list[Sentence]) -> Network:
    return train_network(sentences, options=SMALL)


def test_a_network_is_a_part_scorer(network: Network, sentences: list[Sentence]) -> None:
    scorer: PartScorer = NetworkScorer(network)
    batch = Batch(sentences)
    arcs, scores = network.all_arcs(batch.of(network))
    siblings = Parts(np.zeros((0, 3), np.int32), np.zeros(len(sentences) + 1, np.int32))
    found = scorer.score(batch, {"arc": arcs, "sibling": siblings})
    assert set(found) == {"arc"}
    assert (found["arc"] == scores).all()
    doubled = WeightedSum([(2.0, scorer)])
    assert doubled.families == ("arc", "label")
    assert (doubled.score(batch, {"arc": arcs})["arc"] == 2 * scores).all()
    assert NetworkScorer(network, ("label",)).score(batch, {"arc": arcs}) == {}


def test_states_are_computed_once(network: Network, sentences: list[Sentence]) -> None:
    batch = Batch(sentences)
    assert batch.of(network) is batch.of(network)


def test_repeated_sentences_keep_their_states(network: Network, sentences: list[Sentence]) -> None:
    batch = Batch(sentences)
    arcs, scores = network.all_arcs(batch.of(network))
    chosen = [7, 3, 3, 0]
    repeated = batch.repeated(chosen)
    own_arcs, own_scores = network.all_arcs(repeated.of(network))
    for place, number in enumerate(chosen):
        assert (own_scores[own_arcs.places(place)] == scores[arcs.places(number)]).all()
    with pytest.raises(ValueError, match="no such sentence"):
        batch.of(network).repeated([len(sentences)])
