"""From strings to ids."""

from __future__ import annotations

import numpy as np

from turbotree.networks import WordVectors, _core
from turbotree.networks.inputs import InputEncoder
from turbotree.networks.vocabulary import Vocabulary
from turbotree.text import Sentence


def test_words_seen_once_are_unknown() -> None:
    seen = Sentence.from_words(["the", "cat", "the", "dog"])
    encoder = InputEncoder(Vocabulary.fit([seen]), surface_buckets=100)
    arrays = encoder.arrays([seen, Sentence.from_words(["the", "bird"])])
    assert arrays["words"].tolist() == [1, 0, 1, 0, 1, 0]
    assert arrays["starts"].tolist() == [0, 4, 6]


def test_lemmas_stand_in_for_missing_ones() -> None:
    seen = [Sentence.from_words(["Dogs", "dogs"], lemmas=["_", "_"])]
    assert Vocabulary.fit(seen).lemmas == ["dogs"]


def test_tags_are_bags_of_features() -> None:
    seen = Sentence.from_words(
        ["a", "b"], upos=["NOUN", "NOUN"], xpos=["NN", "NN"], feats=["Case=Nom|Number=Sing"] * 2
    )
    vocabulary = Vocabulary.fit([seen])
    assert vocabulary.tags == [
        "b NOUN NN Case=Nom|Number=Sing",
        "f Case=Nom",
        "f Number=Sing",
        "u NOUN",
        "x NN",
    ]
    encoder = InputEncoder(vocabulary, surface_buckets=100)
    other = Sentence.from_words(["a", "b"], upos=["NOUN", "_"], feats=["Case=Acc|Number=Sing", "_"])
    arrays = encoder.arrays([other])
    assert arrays["tags"].tolist() == [3, 2]
    assert arrays["tag_starts"].tolist() == [0, 2, 2]


def test_surface_features_are_hashed_once_each() -> None:
    starts, features = _core.surface_features(["Abba", "é"], ["abba", "é"], ["Xx", "x"], 1 << 20)
    # shape, form, lower, 3 prefixes, 4 suffixes, n-grams abb, bba, abba
    assert np.diff(starts).tolist() == [13, 5]
    first = features[: starts[1]].tolist()
    assert first == sorted(set(first))
    again = _core.surface_features(["é", "Abba"], ["é", "abba"], ["x", "Xx"], 1 << 20)[1]
    assert again[5:].tolist() == first
    few = _core.surface_features(["internationalisation"], ["internationalisation"], ["x"], 4)[1]
    assert set(few.tolist()) <= {0, 1, 2, 3}


def test_characters_are_not_cut_in_their_bytes() -> None:
    # Three characters of two bytes each: one trigram, no longer ones.
    starts, _ = _core.surface_features(["äöü"], ["äöü"], ["x"], 1 << 20)
    assert starts.tolist() == [0, 1 + 1 + 1 + 3 + 3 + 1]


def test_what_was_cached_changes_nothing() -> None:
    texts = [Sentence.from_words(["one", "two"]), Sentence.from_words(["two", "three"])]
    vocabulary = Vocabulary.fit(texts)
    warm = InputEncoder(vocabulary, surface_buckets=1000)
    warm.arrays(texts)
    cold = InputEncoder(vocabulary, surface_buckets=1000)
    for name, array in warm.arrays(texts[1:]).items():
        assert array.tolist() == cold.arrays(texts[1:])[name].tolist()


def test_vectors_are_found_in_lower_case_too() -> None:
    vectors = WordVectors(["Paris", "city"], np.ones((2, 3), np.float32))
    assert vectors.rows_of(["Paris", "paris", "City"]).tolist() == [1, 0, 2]
