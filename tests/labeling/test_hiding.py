from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples

from turbotree.errors import InputError
from turbotree.features import Encoder
from turbotree.features.encoder import RARE_ID
from turbotree.labeling import Tagger
from turbotree.labeling.data import Labelled
from turbotree.labeling.hiding import HidingTask
from turbotree.text import Sentence

FORMS = [["Ann", "sees", "Bob"], ["rain"], ["the", "old", "dog", "and", "the", "cat"]]
SENTENCES = [Sentence.from_words(forms) for forms in FORMS]
ENCODER = Encoder.fit(SENTENCES, ["form", "shape", "suffix2"], [], least_count=1)
DATA = Labelled.of(SENTENCES, [["A"] * len(forms) for forms in FORMS], ["A"], ENCODER)


class WholeTask:
    """Gives back what it is asked about."""

    def __len__(self):
        return len(FORMS)

    def problem(self, index):
        return self.of(DATA.encoded[index], DATA.labels[index])

    def of(self, encoded, labels):
        return encoded, labels


def hiding(share, seed=1):
    return HidingTask(WholeTask(), DATA.encoded, DATA.labels, share, seed)


@examples(40)
@given(
    st.integers(0, 2), st.integers(1, 10**9), st.sampled_from([0.0, 0.2, 0.9]), st.integers(0, 5)
)
def test_values_are_hidden_or_as_they_are_and_the_same_when_asked_again(index, number, share, seed):
    task, whole = hiding(share, seed), DATA.encoded[index]
    seen, labels = task.problem_in_round(index, number)
    assert ((seen.ids == whole.ids) | (seen.ids == RARE_ID)).all()
    assert (seen.ids[:, 0] == whole.ids[:, 0]).all()  # the root
    assert seen.ids.dtype == whole.ids.dtype
    assert (labels == DATA.labels[index]).all()
    again, _ = hiding(share, seed).problem_in_round(index, number)
    assert (again.ids == seen.ids).all()
    if share == 0.0:
        assert (seen.ids == whole.ids).all()


def test_about_as_much_is_hidden_as_was_asked_for():
    task = hiding(0.3)
    shares = [(task.problem_in_round(2, n)[0].ids[:, 1:] == RARE_ID).mean() for n in range(300)]
    # 300 rounds of 18 values: five standard deviations are 0.031.
    assert np.mean(shares) == pytest.approx(0.3, abs=0.032)
    assert len(set(shares)) > 1


def test_outside_of_training_nothing_is_hidden():
    encoded, _ = hiding(0.9).problem(2)
    assert encoded is DATA.encoded[2]


@pytest.mark.parametrize("trigrams", [False, True])
def test_a_tagger_learns_what_unknown_words_are(trigrams):
    # The label follows from the shape alone; without hiding, known forms tell as much.
    names = ["Ann", "Bob", "Cyd", "Dee", "Eva", "Fay"]
    words = ["sees", "and", "hears", "likes", "or", "with"]
    rng = np.random.default_rng(3)
    train = []
    for _ in range(30):
        forms = [str(rng.choice(names if i % 2 else words)) for i in range(6)]
        train.append(entities(forms))
    options = {"task": "entities", "label": "xpos"}
    options["templates"] = {"entities": ["w.form", "w.shape", "prev"]}
    tagger = Tagger.train(train, hidden=0.5, epochs=6, trigrams=trigrams, **options)
    assert tagger.tag(entities(["meets", "Zoe", "and", "Ann"])).labels == ("O", "B-PER") * 2


def entities(forms):
    labels = ["B-PER" if form[0].isupper() else "O" for form in forms]
    return Sentence.from_words(forms, xpos=labels)


@pytest.mark.parametrize("share", [1.0, -0.1, "x"])
def test_a_share_that_makes_no_sense_is_refused(share):
    with pytest.raises(InputError, match="hidden"):
        Tagger.train([], task="entities", hidden=share)
