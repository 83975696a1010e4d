"""Words that are hidden in training."""

from __future__ import annotations

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.features import Encoder
from turbotree.features.encoder import RARE_ID
from turbotree.features.lexicon import unknown_value
from turbotree.labeling import Tagger, TaggerOptions
from turbotree.labeling.noise import WordNoise
from turbotree.text import Sentence, treebank

ATTRIBUTES = ["form", "lower", "suffix2", "tags"]


def hidden_share(count: int, strength: float) -> float:
    sentences = [Sentence.from_words(["dog"])] * count
    encoder = Encoder.fit(sentences, ["form"], [], least_count=1)
    noise = WordNoise(sentences, encoder, strength=strength, seed=3)
    encoded = encoder.encode(sentences[:1])
    turns = [noise.hide(0, turn, encoded).ids[0, 1] == RARE_ID for turn in range(2000)]
    return float(np.mean(turns))


@pytest.mark.parametrize(("count", "strength"), [(1, 1.0), (3, 1.0), (4, 0.5), (2, 0.0)])
def test_a_word_is_hidden_the_more_often_the_rarer_it_is(count: int, strength: float) -> None:
    expected = strength / (strength + count)
    # Five standard deviations of 2,000 draws.
    assert abs(hidden_share(count, strength) - expected) <= 5 * (0.25 / 2000) ** 0.5


def test_a_hidden_word_looks_like_an_unknown_one() -> None:
    sentences = list(treebank(40, seed=1))
    encoder = Encoder.fit(sentences, ATTRIBUTES, [])
    noise = WordNoise(sentences, encoder, strength=1e9, seed=1)
    for index, sentence in enumerate(sentences):
        before = encoder.encode([sentence])
        ids = noise.hide(index, 7, before).ids
        assert (ids[:2, 1:] == RARE_ID).all()
        assert ids[2].tolist() == before.ids[2].tolist()
        expected = [encoder.id_of("tags", unknown_value(form)) for form in sentence.forms]
        assert ids[3, 1:].tolist() == expected
        assert ids[:, 0].tolist() == before.ids[:, 0].tolist()


def test_the_same_turn_hides_the_same_words() -> None:
    sentences = list(treebank(5, seed=1))
    encoder = Encoder.fit(sentences, ATTRIBUTES, [])
    one, two = (WordNoise(sentences, encoder, strength=9.0, seed=1) for _ in range(2))
    encoded = encoder.encode(sentences[:1])
    assert one.hide(0, 3, encoded).ids.tolist() == two.hide(0, 3, encoded).ids.tolist()


def test_dropout_hides_attributes_one_by_one() -> None:
    sentences = [Sentence.from_words(["dogs"] * 20)] * 5
    encoder = Encoder.fit(sentences, ATTRIBUTES, [])
    noise = WordNoise(sentences, encoder, strength=0.0, seed=1, dropout=0.25)
    before = encoder.encode(sentences[:1])
    hidden = np.array([noise.hide(0, turn, before).ids != before.ids for turn in range(100)])
    assert not hidden[:, :, 0].any(), "the root stays"
    share = hidden[:, :, 1:].mean(axis=(0, 2))
    assert (abs(share - 0.25) <= 5 * (0.25 / 2000) ** 0.5).all()


def test_noise_changes_what_is_learnt_and_none_is_none() -> None:
    sentences = list(treebank(30, seed=1))
    runs = [
        Tagger.train(sentences, task="tag", label="upos", epochs=1, noise=noise, dropout=0)
        for noise in (0, 0, 2)
    ]
    slots = [run.stages[0].model.weights.slots.tobytes() for run in runs]  # type: ignore[union-attr]
    assert slots[0] == slots[1] != slots[2]


def test_chunks_and_entities_are_learnt_without() -> None:
    assert TaggerOptions(task="chunk").noise_strength() == 0
    assert TaggerOptions(task="tag").noise_strength() > 0
    assert TaggerOptions(task="chunk").dropout_share() == 0
    with pytest.raises(InputError, match="noise"):
        TaggerOptions(noise=-1)
    with pytest.raises(InputError, match="dropout"):
        TaggerOptions(dropout=1)


def entities(forms: list[str]) -> Sentence:
    labels = ["B-PER" if form[0].isupper() else "O" for form in forms]
    return Sentence.from_words(forms, xpos=labels)


@pytest.mark.parametrize("trigrams", [False, True])
def test_a_tagger_learns_what_unknown_words_are(trigrams: bool) -> None:
    # The label follows from the shape alone; if nothing is hidden, known forms tell as much.
    names = ["Ann", "Bob", "Cyd", "Dee", "Eva", "Fay"]
    words = ["sees", "and", "hears", "likes", "or", "with"]
    rng = np.random.default_rng(3)
    train = [
        entities([str(rng.choice(names if i % 2 else words)) for i in range(6)]) for _ in range(30)
    ]
    tagger = Tagger.train(
        train,
        task="entities",
        label="xpos",
        templates={"entities": ["w.form", "w.shape", "prev"]},
        dropout=0.5,
        epochs=6,
        trigrams=trigrams,
    )
    assert tagger.tag(entities(["meets", "Zoe", "and", "Ann"])).labels == ("O", "B-PER") * 2
