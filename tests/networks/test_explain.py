"""Gradient times input, against finite differences of a network whose inputs are scaled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from turbotree.features import Parts
from turbotree.networks import Network, NetworkOptions, WordVectors, train_network
from turbotree.networks.explain import input_shares
from turbotree.networks.training import ColumnLabels, NetworkTask
from turbotree.text import Sentence, treebank

SIZES = {"hidden": 8, "arc_size": 8, "label_size": 4, "word_size": 6, "surface_size": 6}
OPTIONS = NetworkOptions(**SIZES, tag_size=4, lemma_size=4, updates=60, least_epochs=2)
#: No word comes twice: a table's row is then the input of one word.
SENTENCE = Sentence.from_words(
    ["The", "old", "dog", "saw", "me"], upos=["DET", "ADJ", "NOUN", "VERB", "PRON"]
)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "vectors"])
def network(request: pytest.FixtureRequest) -> Network:
    values = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
    vectors = WordVectors(["the", "dog", "saw"], values) if request.param else None
    return train_network(list(treebank(60, seed=1)), options=OPTIONS, vectors=vectors)


def log_probability(network: Network, head: int, modifier: int) -> float:
    arc = Parts.of_one(np.array([[head, modifier]], dtype=np.int32))
    return float(network.score(network.encode([SENTENCE]), {"arc": arc})["arc"][0])


def faded(network: Network, rows: dict[str, np.ndarray], by: float) -> Network:
    weights = network.weights.copy()
    other = Network(network.vocabulary, network.options, weights, vectors=network.vectors)
    for name, matrix in other.matrices():
        if name in rows:
            matrix[np.unique(rows[name])] *= 1 - by
    return Network(network.vocabulary, network.options, weights, vectors=network.vectors)


@pytest.mark.parametrize(("head", "modifier"), [(0, 4), (4, 3), (3, 1), (1, 5)])
def test_the_probability_is_the_networks_own(network: Network, head: int, modifier: int) -> None:
    found, shares = input_shares(network, SENTENCE, head, modifier)
    assert found == pytest.approx(log_probability(network, head, modifier), rel=1e-4)
    sizes = [abs(share.share) for share in shares]
    assert sizes == sorted(sizes, reverse=True)
    kinds = {"word", "letters", "tags", "lemma", *(["vector"] if network.vectors else [])}
    assert {share.kind for share in shares} == kinds
    assert {share.word for share in shares} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(("head", "modifier"), [(0, 4), (3, 1)])
def test_shares_are_what_fading_an_input_takes_away(
    network: Network, head: int, modifier: int
) -> None:
    _, shares = input_shares(network, SENTENCE, head, modifier)
    arrays = network.inputs.arrays([SENTENCE])
    tables = {"word": "words", "lemma": "lemmas", "letters": "surfaces", "tags": "tags"}
    step = 0.01
    for kind, table in tables.items():
        rows = {table: arrays[table]}
        above = log_probability(faded(network, rows, -step), head, modifier)
        below = log_probability(faded(network, rows, step), head, modifier)
        expected = (above - below) / (2 * step)
        total = sum(share.share for share in shares if share.kind == kind)
        assert total == pytest.approx(expected, rel=0.02, abs=2e-3)


def test_a_network_with_columns_is_explained_too() -> None:
    sentences = list(treebank(30, seed=1))
    options = replace(OPTIONS.without_lemmas(tags=False), column_size=5)
    columns = {"upos": ColumnLabels.of(sentences, "upos")}
    network = NetworkTask(sentences, options, columns=columns).network()
    found, shares = input_shares(network, SENTENCE, 4, 3)
    assert found == pytest.approx(log_probability(network, 4, 3), rel=1e-4)
    assert {share.kind for share in shares} == {"word", "letters", "lower case"}
