from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import examples
from oracles import features as oracle
from oracles.sentences import sentences

from turbotree.features import Encoded, Encoder
from turbotree.features.attributes import ATTRIBUTES, word_shape
from turbotree.features.encoder import RARE_ID, ROOT_ID
from turbotree.text import Sentence

EVERYTHING = [*ATTRIBUTES, "feats:Case", "feats:Number"]


def decoded(encoder: Encoder, ids: np.ndarray, attribute: str) -> list[str]:
    row = ids[encoder.attributes.index(attribute)]
    return [encoder.value_of(attribute, number) for number in row.tolist()]


@examples(50)
@given(st.lists(sentences(), min_size=1, max_size=4), sentences(strangers=True))
def test_ids_stand_for_the_values_that_training_knew(training, sentence):
    encoder = Encoder.fit(training, EVERYTHING, [])
    encoded = encoder.encode([sentence])
    for attribute in EVERYTHING:
        counts = [
            oracle.value(attribute, other, word)
            for other in training
            for word in range(1, len(other) + 1)
        ]
        least = oracle.LEAST.get(attribute.rstrip("12345"), 1)
        expected = ["<root>"]
        for word in range(1, len(sentence) + 1):
            value = oracle.value(attribute, sentence, word)
            expected.append(value if counts.count(value) >= least else "<rare>")
        assert decoded(encoder, encoded.ids, attribute) == expected


@examples(50)
@given(st.lists(sentences(), min_size=1, max_size=4), sentences(strangers=True))
def test_feats_are_sets_of_entries(training, sentence):
    encoder = Encoder.fit(training, [], ["feat"])
    offsets, values = encoder.encode([sentence]).sets[0]
    known = {
        entry
        for other in training
        for word in range(1, len(other) + 1)
        for entry in oracle.feats_entries(other, word)
    }
    assert offsets[0] == offsets[1] == 0  # the root has none
    for word in range(1, len(sentence) + 1):
        found = values[offsets[word] : offsets[word + 1]].tolist()
        assert [encoder.value_of("feat", number) for number in found] == [
            entry if entry in known else "<rare>" for entry in oracle.feats_entries(sentence, word)
        ]


@examples(50)
@given(
    st.lists(sentences(), min_size=1, max_size=5), st.integers(0, 2**32), sentences(strangers=True)
)
def test_ids_do_not_depend_on_the_order_of_the_training_sentences(training, seed, sentence):
    shuffled = list(training)
    random.Random(seed).shuffle(shuffled)
    first = Encoder.fit(training, EVERYTHING, ["feat"])
    second = Encoder.fit(shuffled, EVERYTHING, ["feat"])
    assert first.vocabularies == second.vocabularies
    assert np.array_equal(first.encode([sentence]).ids, second.encode([sentence]).ids)


@given(st.lists(sentences(strangers=True), max_size=5))
def test_a_batch_is_its_sentences_side_by_side(batch):
    encoder = Encoder.fit(batch[:2], EVERYTHING, ["feat"])
    encoded = encoder.encode(batch)
    assert len(encoded) == len(batch)
    assert encoded.lengths.tolist() == [len(sentence) for sentence in batch]
    assert encoded.ids.shape == (len(EVERYTHING), sum(len(s) + 1 for s in batch))
    assert encoded.ids.flags.c_contiguous
    offsets, values = encoded.sets[0]
    for i, sentence in enumerate(batch):
        first, last = encoded.starts[i], encoded.starts[i + 1]
        alone = encoder.encode([sentence])
        assert np.array_equal(encoded.ids[:, first:last], alone.ids)
        assert np.array_equal(values[offsets[first] : offsets[last]], alone.sets[0][1])
        assert np.array_equal(offsets[first : last + 1] - offsets[first], alone.sets[0][0])


@given(sentences(strangers=True))
def test_encoding_again_gives_the_same_ids(sentence):
    encoder = Encoder.fit([sentence], EVERYTHING, ["feat"])
    first, second = encoder.encode([sentence]), encoder.encode([sentence])
    assert np.array_equal(first.ids, second.ids)
    copy = Encoder.from_dict(encoder.to_dict())
    assert np.array_equal(first.ids, copy.encode([sentence]).ids)


def made_up(seed: int, count: int) -> list[Sentence]:
    """Make sentences of many different words, some with several FEATS."""
    rng = random.Random(seed)
    feats = ["_", "Case=Nom", "Case=Acc|Number=Sing", "Case=Gen|Gender=Fem|Number=Plur"]
    return [
        Sentence.from_words(
            [f"word{rng.randrange(6000)}" for _ in range(length)],
            upos=[rng.choice(["NOUN", "VERB", "ADJ"]) for _ in range(length)],
            feats=[rng.choice(feats) for _ in range(length)],
        )
        for length in (rng.randrange(1, 30) for _ in range(count))
    ]


def same(one: Encoded, other: Encoded) -> bool:
    return np.array_equal(one.ids, other.ids) and all(
        np.array_equal(a, b)
        for mine, theirs in zip(one.sets, other.sets, strict=True)
        for a, b in zip(mine, theirs, strict=True)
    )


@pytest.mark.parametrize("limit", [200_000, 50])
def test_what_is_remembered_of_words_changes_nothing_whatever_the_threads(monkeypatch, limit):
    # A limit that is often met makes the encoder forget words while other threads use them.
    monkeypatch.setattr("turbotree.features.encoder._CACHE_LIMIT", limit)
    sentences = made_up(1, 400)
    encoder = Encoder.fit(sentences[:100], EVERYTHING, ["feat"])
    with ThreadPoolExecutor(4) as pool:
        encoded = list(pool.map(lambda s: encoder.encode([s]), sentences * 3))
    fresh = [Encoder.from_dict(encoder.to_dict()).encode([s]) for s in sentences]
    assert all(map(same, encoded, fresh * 3))


def test_the_most_frequent_values_have_the_lowest_ids_and_ties_go_by_the_alphabet():
    sentence = Sentence.from_words(list("abcdef"), upos=["C", "B", "B", "C", "A", "D"])
    encoder = Encoder.fit([sentence], ["upos"], [])
    assert encoder.vocabularies["upos"] == ["B", "C", "A", "D"]


def test_the_least_ids_are_the_root_and_the_rare_value():
    sentence = Sentence.from_words(["once"], upos=["X"])
    encoder = Encoder.fit([sentence], ["form", "upos"], [])
    ids = encoder.encode([sentence]).ids
    assert ids[0].tolist() == [ROOT_ID, RARE_ID]  # one occurrence is not enough for a form
    assert ids[1].tolist() == [ROOT_ID, encoder.id_of("upos", "X")]
    assert encoder.id_of("upos", "X") > RARE_ID
    assert encoder.id_of("upos", "Y") == RARE_ID
    assert encoder.id_limit("upos") == encoder.id_of("upos", "X") + 1


def test_the_tree_is_not_looked_at():
    words = ["a", "b"]
    garbled = Sentence.from_words(words).replace(head=["7", "oops"], deprel=["x", "y"])
    encoder = Encoder.fit([garbled], ["form", "upos"], [])
    plain = encoder.encode([Sentence.from_words(words)]).ids
    assert np.array_equal(encoder.encode([garbled]).ids, plain)


@pytest.mark.parametrize(
    ("form", "expected"),
    [("", ""), ("dog", "x"), ("Dog", "Xx"), ("3rd", "dx"), ("--", "."), ("aB" * 9, "xXxXxXxX")],
)
def test_word_shapes_are_runs_of_kinds_of_characters(form, expected):
    assert word_shape(form) == expected


@given(st.text(max_size=30))
@example("Ünïcorn's İ")
def test_word_shapes_agree_with_grouping_characters(form):
    assert word_shape(form) == oracle.shape(form)


def test_a_pickled_encoder_knows_the_tags_of_words():
    training = [Sentence.from_words(["run"], upos=[tag]) for tag in ("VERB", "VERB", "NOUN")]
    encoder = Encoder.fit(training, ["tags", "upos"], [])
    again = pickle.loads(pickle.dumps(encoder))
    assert again.to_dict() == encoder.to_dict()
    words = [Sentence.from_words(["Run", "fast"], upos=["NOUN", "ADV"])]
    assert again.encode(words).ids.tolist() == encoder.encode(words).ids.tolist()
    assert decoded(again, again.encode(words).ids, "tags") == ["<root>", "NOUN|VERB", "<rare>"]
