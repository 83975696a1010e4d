"""A trained network: its probabilities, its scores of parts, its file."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.networks import Reference, log_softmax, named
from small_networks import SMALL

from turbotree.errors import InputError, ModelFileError
from turbotree.features import LabelledParts, Parts
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.modelfile import model_bytes
from turbotree.networks import Network, WordVectors, train_network
from turbotree.text import Sentence


@pytest.fixture(scope="module")
def network(sentences: list[Sentence], vectors: WordVectors) -> Network:
    return train_network(sentences, options=SMALL, vectors=vectors)


def labelled(network: Network, arcs: Parts) -> LabelledParts:
    count = len(network.labels)
    return LabelledParts(
        arcs.rows,
        arcs.offsets,
        np.arange(len(arcs.rows) + 1, dtype=np.int32) * np.int32(count),
        np.tile(np.arange(count, dtype=np.int32), len(arcs.rows)),
    )


def test_scores_are_those_of_the_reference(network: Network, sentences: list[Sentence]) -> None:
    some = sentences[:4]
    states = network.encode(some)
    arcs, scores = network.all_arcs(states)
    every = labelled(network, arcs)
    labels = network.score(states, {"label": every})["label"].reshape(len(arcs.rows), -1)
    assert network.vectors is not None
    reference = Reference(
        named(network.sizes.blocks(), network.weights.astype(np.float64)),
        network.inputs.arrays(some),
        network.vectors.table,
    )
    for number in range(len(some)):
        arc_scores, label_scores = reference.scores(number)
        for i in range(*arcs.places(number).indices(len(arcs.rows))):
            h, m = arcs.rows[i]
            assert scores[i] == pytest.approx(log_softmax(arc_scores[m - 1])[h], abs=1e-4)
            assert labels[i] == pytest.approx(log_softmax(label_scores[m - 1, h]), abs=1e-4)


def test_heads_and_labels_have_probabilities(network: Network, sentences: list[Sentence]) -> None:
    states = network.encode(sentences)
    arcs, scores = network.all_arcs(states)
    for number, sentence in enumerate(sentences):
        own = arcs.places(number)
        sums = np.bincount(arcs.rows[own, 1], np.exp(scores[own]))[1:]
        assert sums == pytest.approx(np.ones(len(sentence)), abs=1e-5)
        assert arcs.rows[own].tolist() == sorted(arcs.rows[own].tolist())
    every = labelled(network, arcs)
    labels = network.score(states, {"label": every})["label"].reshape(len(arcs.rows), -1)
    assert np.exp(labels).sum(axis=1) == pytest.approx(np.ones(len(arcs.rows)), abs=1e-5)
    again = network.score(states, {"arc": arcs, "label": every})
    assert (again["arc"] == scores).all()


def test_some_labels_have_the_scores_that_they_have_among_all(
    network: Network, sentences: list[Sentence]
) -> None:
    states = network.encode(sentences[:2])
    arcs, _ = network.all_arcs(states)
    whole = network.score(states, {"label": labelled(network, arcs)})["label"]
    every_second = LabelledParts(
        arcs.rows,
        arcs.offsets,
        np.arange(len(arcs.rows) + 1, dtype=np.int32),
        np.full(len(arcs.rows), 2, dtype=np.int32),
    )
    found = network.score(states, {"label": every_second})["label"]
    assert (found == whole.reshape(len(arcs.rows), -1)[:, 2]).all()


def test_a_sentence_has_the_same_bits_alone_and_among_others(
    network: Network, sentences: list[Sentence]
) -> None:
    arcs, scores = network.all_arcs(network.encode(sentences, threads=2))
    for number, sentence in enumerate(sentences):
        alone = network.all_arcs(network.encode([sentence]))[1]
        assert (alone == scores[arcs.places(number)]).all()


def test_likely_arcs_are_those_above_the_threshold(
    network: Network, sentences: list[Sentence]
) -> None:
    states = network.encode(sentences)
    arcs, scores = network.all_arcs(states)
    likely, likely_scores = network.likely_arcs(states, threshold=0.05, max_heads=3)
    for number, sentence in enumerate(sentences):
        own = arcs.places(number)
        rows, values = arcs.rows[own], scores[own]
        kept = []
        for m in range(1, len(sentence) + 1):
            of_word = sorted(
                (-v, h) for (h, k), v in zip(rows.tolist(), values, strict=True) if k == m
            )
            kept += [
                ([h, m], -v) for v, h in of_word[:3] if -v >= -of_word[0][0] + np.log(0.05) - 1e-6
            ]
        kept.sort()
        places = likely.places(number)
        assert likely.rows[places].tolist() == [row for row, _ in kept]
        assert likely_scores[places].tolist() == [value for _, value in kept]


def test_parsed_sentences_are_trees(network: Network, sentences: list[Sentence]) -> None:
    for sentence in network.parse(sentences):
        assert sum(head == 0 for head in sentence.heads) == 1
        assert set(sentence.labels) <= set(network.labels)


def test_no_sentences_and_unknown_words_are_no_trouble(network: Network) -> None:
    assert network.parse([]) == []
    strange = Sentence.from_words(["ẞ" * 90, "한국어", "🙂"], upos=["QQ", "_", "NOUN"])
    assert network.parse([strange])[0].heads.count(0) == 1


def test_a_long_sentence_is_scored_in_pieces(network: Network) -> None:
    long = Sentence.from_words(["dog", "sees"] * 300)
    states = network.encode([long])
    rows = np.array([[h, m] for m in range(1, 601, 50) for h in range(601) if h != m], np.int32)
    scores = network.score(states, {"arc": Parts.of_one(rows)})["arc"]
    sums = np.bincount(rows[:, 1], np.exp(scores))
    assert sums[1::50] == pytest.approx(np.ones(12), abs=1e-4)


def test_parts_that_do_not_fit_are_refused(network: Network, sentences: list[Sentence]) -> None:
    states = network.encode(sentences[:1])
    words = len(sentences[0])
    for row in ([words + 1, 1], [-1, 1], [1, 0], [0, words + 1]):
        with pytest.raises(ValueError, match="outside"):
            network.score(states, {"arc": Parts.of_one([row])})
    with pytest.raises(InputError, match="sibling"):
        network.score(states, {"sibling": Parts.of_one([[0, 1]])})
    with pytest.raises(ValueError, match="fit the sentences"):
        network.score(states, {"arc": Parts(np.zeros((1, 2), np.int32), np.array([0], np.int32))})


# In a file


@pytest.mark.parametrize("bits", [8, 16])
def test_a_file_gives_the_network_back(
    network: Network, sentences: list[Sentence], tmp_path: Path, bits: int
) -> None:
    frozen = network.frozen(bits=bits)
    path = tmp_path / "network.safetensors"
    frozen.save(path)
    loaded = Network.load(path)
    assert loaded.weights.tobytes() == frozen.weights.tobytes()
    assert loaded.parse(sentences) == frozen.parse(sentences)
    assert loaded.to_bytes() == path.read_bytes()
    assert pickle.loads(pickle.dumps(loaded)).parse(sentences[:3]) == frozen.parse(sentences[:3])
    step = np.abs(network.weights).max() / (127 if bits == 8 else 1024)
    assert np.abs(frozen.weights - network.weights).max() <= step
    assert "BiLSTM" in repr(loaded)


def test_other_bits_are_refused(network: Network) -> None:
    with pytest.raises(InputError, match="8 or 16"):
        network.frozen(bits=4)


def break_each(
    arrays: dict[str, Any], header: dict[str, Any]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Contents in each of which one thing is wrong."""
    broken = [({n: a for n, a in arrays.items() if n != name}, header) for name in arrays]
    for name, array in arrays.items():
        broken.append(({**arrays, name: array[:-1]}, header))
        broken.append(({**arrays, name: array.astype(np.float64)}, header))
        broken.append(({**arrays, name: array.reshape(-1, 1, 1)}, header))
        if array.dtype == np.float16 or array.dtype == np.float32:
            broken.append(({**arrays, name: np.full_like(array, np.nan)}, header))
    needed = [name for name in header if name != "vectors"]  # files of 0.2 have no such entry
    broken += [(arrays, {n: v for n, v in header.items() if n != name}) for name in needed]
    for source in (None, "parser", {"file": 3}, {"file": "a.vec", "licence": ["CC0"]}):
        broken.append((arrays, {**header, "vectors": source}))
    for option in ("hidden", "layers", "arc_size", "word_size", "surface_buckets"):
        for value in (-1, 10**9, "x", None, 2.5):
            broken.append((arrays, {**header, "options": {**header["options"], option: value}}))
    broken.append((arrays, {**header, "labels": ["a", 3]}))
    broken.append((arrays, {**header, "labels": header["labels"][:-1]}))
    broken.append((arrays, {**header, "bits": 7}))
    twice = np.frombuffer(b"a\na", np.uint8)
    broken.append(({**arrays, "vocabulary.tags": twice}, header))
    return broken


VOCABULARIES = [[f"vocabulary.{name}"] for name in ("words", "lemmas", "tags", "vectors")]


def readable(data: bytes) -> bool:
    try:
        Network.from_bytes(data)
    except ModelFileError:
        return False
    return True


@pytest.mark.parametrize("bits", [8, 16])
def test_contents_that_do_not_fit_are_one_error(network: Network, bits: int) -> None:
    arrays, header = network.frozen(bits=bits).contents()
    for wrong_arrays, wrong_header in break_each(arrays, header):
        data = model_bytes(wrong_arrays, wrong_header, kind="network")
        changed = [name for name in arrays if wrong_arrays.get(name) is not arrays[name]]
        if changed in VOCABULARIES and len(wrong_arrays) == len(arrays) and readable(data):
            continue  # its last word is a letter shorter: the rows still fit
        with pytest.raises(ModelFileError) as raised:
            Network.from_bytes(data)
        assert len(str(raised.value).splitlines()) == 1


def test_labels_and_bits_that_make_no_sense_are_refused(network: Network) -> None:
    arrays, header = network.frozen(bits=8).contents()
    labels = header["labels"]
    # A network with one label has the arrays of one without any.
    one = train_network(
        [Sentence.from_words(["a", "b"], heads=[0, 1], labels=["x", "x"])], options=SMALL
    )
    without = {**one.frozen(bits=8).contents()[1], "labels": []}
    cases = [
        (arrays, {**header, "labels": [labels[0]] * len(labels)}),
        (arrays, {**header, "bits": 8.0}),
        (one.frozen(bits=8).contents()[0], without),
    ]
    for wrong_arrays, wrong_header in cases:
        with pytest.raises(ModelFileError):
            Network.from_bytes(model_bytes(wrong_arrays, wrong_header, kind="network"))


@pytest.mark.parametrize("scale", [3e38, np.inf, np.nan])
def test_scales_beyond_all_bounds_are_one_error(network: Network, scale: float) -> None:
    arrays, header = network.frozen(bits=8).contents()
    for name in ("weights.arc.scale", "vectors.scale"):
        wrong = {**arrays, name: np.full_like(arrays[name], scale)}
        with pytest.raises(ModelFileError):  # and no warning, which would be another error here
            Network.from_bytes(model_bytes(wrong, header, kind="network"))


@pytest.mark.parametrize("block", ["arc.bias", "perceptrons.bias", "root.arc", "label.bias"])
def test_scores_of_enormous_weights_are_finite(
    network: Network, sentences: list[Sentence], block: str
) -> None:
    arrays, header = network.frozen(bits=16).contents()
    name = f"weights.{block}"
    signs = np.where(np.arange(arrays[name].shape[1]) % 2, 3e38, -3e38).astype(np.float32)
    enormous = {**arrays, name: signs[None]}
    loaded = Network.from_bytes(model_bytes(enormous, header, kind="network"))
    assert np.isfinite(loaded.all_arcs(loaded.encode(sentences[:3]))[1]).all()
    assert all(None not in tree.heads for tree in loaded.parse(sentences[:3]))


# Broken off


def test_encoding_ends_when_its_time_is_over(network: Network, sentences: list[Sentence]) -> None:
    def for_ever(threads: int) -> None:
        while True:
            network.encode(sentences * 20, threads=threads)

    for threads in (1, 2):
        with pytest.raises(OutOfTimeError), time_limit(0.0):
            for_ever(threads)
    assert len(network.encode(sentences)) == len(sentences)
