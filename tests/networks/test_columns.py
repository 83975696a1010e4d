"""Networks of taggers: labels of words, beside an oracle in 64 bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles.networks import named
from small_networks import SMALL
from test_gradients import check, reference_of

from turbotree.errors import InputError
from turbotree.features import LabelledParts, Parts
from turbotree.networks import ColumnScorer, Network, NetworkOptions, _core
from turbotree.networks.training import ColumnLabels, NetworkTask
from turbotree.scoring import Batch
from turbotree.text import Sentence

COLUMNS = ("xpos", "upos")  # not in the order of the alphabet


def make_task(
    sentences: list[Sentence],
    options: NetworkOptions = SMALL,
    kernels: str = "",
    unknown: int = 0,
    trees: bool = False,
) -> NetworkTask:
    """Let a network learn two columns; every `unknown`-th word has no label in the first."""
    columns = {}
    for name in COLUMNS:
        labels = [label for sentence in sentences for label in sentence.column(name)]
        names = sorted(set(labels))
        numbers = np.array([names.index(label) for label in labels], dtype=np.int32)
        if unknown and name == COLUMNS[0]:
            numbers[::unknown] = -1
        columns[name] = ColumnLabels(names, numbers)
    return NetworkTask(sentences, options, columns=columns, trees=trees, kernels=kernels)


def golds_of(sentences: list[Sentence], task: NetworkTask, unknown: int = 0) -> np.ndarray:
    rows = []
    for name, names in task.vocabulary.columns.items():
        labels = [label for sentence in sentences for label in sentence.column(name)]
        rows.append([names.index(label) for label in labels])
    golds = np.array(rows, dtype=np.int32).T
    if unknown:
        golds[::unknown, 0] = -1
    return golds


@pytest.mark.parametrize("kernels", _core.kernel_names())
@pytest.mark.parametrize(
    "options",
    [
        replace(SMALL, column_size=9),
        replace(SMALL, column_size=17, layers=1, tag_size=0, lemma_size=0),
    ],
    ids=["all inputs", "words alone"],
)
@pytest.mark.parametrize("unknown", [0, 3])
def test_gradients_are_finite_differences(
    sentences: list[Sentence], options: NetworkOptions, kernels: str, unknown: int
) -> None:
    chosen = sentences[:3]
    task = make_task(chosen, options, kernels, unknown)
    golds = golds_of(chosen, task, unknown)
    sizes = [len(names) for names in task.vocabulary.columns.values()]
    check(task, chosen, lambda network: network.column_loss(golds, sizes))


@pytest.mark.parametrize("kernels", _core.kernel_names())
def test_trees_and_columns_share_an_encoder(sentences: list[Sentence], kernels: str) -> None:
    chosen = sentences[:3]
    task = make_task(chosen, replace(SMALL, column_size=9, lemmas="forms"), kernels, trees=True)
    golds = golds_of(chosen, task)
    sizes = [len(names) for names in task.vocabulary.columns.values()]
    check(
        task,
        chosen,
        lambda network: network.loss(task.heads, task.labels) + network.column_loss(golds, sizes),
    )


def test_a_file_keeps_trees_and_columns(sentences: list[Sentence], tmp_path: Path) -> None:
    network = make_task(sentences, replace(SMALL, lemmas="forms"), trees=True).network().frozen()
    network.save(tmp_path / "network")
    other = Network.load(tmp_path / "network")
    assert (other.labels, other.columns) == (network.labels, network.columns)
    blank = [one.replace(lemma=["_"] * len(one)) for one in sentences]  # lemmas are not read
    assert network.parse(sentences) == [
        own.replace(lemma=one.lemmas)
        for own, one in zip(other.parse(blank), sentences, strict=True)
    ]
    found = [net.column(net.encode(sentences), "upos") for net in (network, other)]
    assert np.array_equal(*found)


@pytest.fixture(scope="module")
def task(sentences: list[Sentence]) -> NetworkTask:
    return make_task(sentences, replace(SMALL, column_size=9))


def test_log_probabilities_are_those_of_the_reference(
    task: NetworkTask, sentences: list[Sentence]
) -> None:
    network = task.network()
    reference, _ = reference_of(task, sentences)
    sizes = [len(names) for names in network.columns.values()]
    states = network.encode(sentences)
    for number, name in enumerate(COLUMNS):
        expected = [reference.columns(i, sizes)[number] for i in range(len(sentences))]
        found = network.column(states, name)
        assert found == pytest.approx(np.concatenate(expected), abs=2e-5)


def test_a_column_is_a_part_scorer(task: NetworkTask, sentences: list[Sentence]) -> None:
    network, (one, two) = task.network(), sentences[:2]
    scorer, batch = ColumnScorer(network, "xpos"), Batch([one, two])
    rows = np.array([[2], [1], [2]], dtype=np.int32)
    labels = np.array([1, 0, 2, 1, 2], dtype=np.int32)
    parts = LabelledParts(
        rows, np.array([0, 1, 3], dtype=np.int32), np.array([0, 2, 3, 5], dtype=np.int32), labels
    )
    found = scorer.score(batch, {"word": parts})["word"]
    rows_of = [network.column(network.encode([own]), "xpos") for own in (one, two)]
    expected = [
        *(rows_of[0][1, label] for label in (1, 0)),
        rows_of[1][0, 2],
        *(rows_of[1][1, label] for label in (1, 2)),
    ]
    assert found == pytest.approx(expected, abs=1e-6)
    assert scorer.score(batch, {"pair": parts}) == {}


def test_a_network_of_columns_has_no_trees(task: NetworkTask, sentences: list[Sentence]) -> None:
    network = task.network()
    states = network.encode(sentences[:1])
    none = Parts(np.zeros((0, 2), np.int32), np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="no trees"):
        network.score(states, {"arc": none})
    with pytest.raises(InputError, match="without the column 'feats'"):
        network.column(states, "feats")
    with pytest.raises(InputError, match="without the column 'feats'"):
        ColumnScorer(network, "feats")


@pytest.mark.parametrize("bits", [8, 16])
def test_a_file_gives_the_network_back(
    task: NetworkTask, sentences: list[Sentence], tmp_path: Path, bits: int
) -> None:
    network = task.network().frozen(bits=bits)
    network.save(tmp_path / "network")
    other = Network.load(tmp_path / "network")
    assert list(other.columns.items()) == list(network.columns.items())
    states, others = network.encode(sentences), other.encode(sentences)
    for name in COLUMNS:
        assert np.array_equal(network.column(states, name), other.column(others, name))


def test_a_network_learns_tags(sentences: list[Sentence]) -> None:
    options = NetworkOptions(
        hidden=16, column_size=24, word_size=24, tag_size=0, lemma_size=0, updates=400, dropout=0.1
    )
    task = make_task(sentences, options)
    for epoch in range(task.epochs):
        batches = task.batches(epoch)
        for number, batch in enumerate(batches):
            task.update(epoch * len(batches) + number, len(batches), batch, 1)
    network = task.network()
    found = network.column(network.encode(sentences), "upos").argmax(axis=1)
    golds = golds_of(sentences, task)[:, COLUMNS.index("upos")]
    assert (found == golds).mean() > 0.9


def test_the_reference_is_made_of_the_same_matrices(task: NetworkTask) -> None:
    flat = task.training.state()[0]
    assert set(named(task.sizes.blocks(), flat)) >= {"column", "column.bias", "perceptrons"}
    assert "root.arc" not in named(task.sizes.blocks(), flat)


def test_files_from_before_there_were_columns_are_read(
    sentences: list[Sentence],
) -> None:
    network = NetworkTask(sentences, SMALL).network().frozen()
    arrays, header = network.contents()
    del header["options"]["column_size"]
    other = Network.from_contents(arrays, header)
    assert np.array_equal(other.weights, network.weights)
