"""The labeller as an estimator."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import pytest

from turbotree.errors import InputError
from turbotree.text import treebank

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score, cross_validate

from turbotree.integrations.sklearn import SequenceTagger

SENTENCES = list(treebank(60, seed=1))
X = [list(s.forms) for s in SENTENCES]
Y = [list(s.upos) for s in SENTENCES]


def test_it_learns_and_predicts():
    tagger = SequenceTagger(epochs=8).fit(X, Y)
    assert tagger.score(X, Y) > 0.95
    assert set(tagger.classes_) == {tag for tags in Y for tag in tags}
    chances = tagger.predict_marginals(X[:2])
    assert all(sum(word.values()) == pytest.approx(1) for words in chances for word in words)


def test_words_may_have_columns():
    words = [
        [{"form": f, "xpos": x} for f, x in zip(s.forms, s.xpos, strict=True)] for s in SENTENCES
    ]
    assert SequenceTagger(epochs=8).fit(words, Y).score(words, Y) > 0.95


def test_spans_keep_their_rules():
    labels = [["B-NP" if tag == "NOUN" else "O" for tag in tags] for tags in Y]
    tagger = SequenceTagger("chunk", epochs=8).fit(X, labels)
    assert tagger.score(X, labels) > 0.95
    for found in tagger.predict(X):
        assert all(b != "I-NP" or a != "O" for a, b in pairwise(["O", *found]))


def test_scikit_learn_can_clone_and_cross_validate():
    tagger = SequenceTagger(epochs=2, seed=3)
    assert clone(tagger).get_params() == tagger.get_params()
    assert cross_val_score(tagger, X, Y, cv=2).mean() > 0.6


def test_fitted_taggers_come_back_from_other_processes():
    tagger = SequenceTagger(epochs=2)
    found = cross_validate(tagger, X, Y, cv=2, n_jobs=2, return_estimator=True)
    here = cross_validate(tagger, X, Y, cv=2, return_estimator=True)
    assert found["test_score"].tolist() == here["test_score"].tolist()
    for there, own in zip(found["estimator"], here["estimator"], strict=True):
        assert there.predict_marginals(X[:3]) == own.predict_marginals(X[:3])


def test_a_fitted_tagger_can_be_pickled_and_copied():
    tagger = SequenceTagger(epochs=2).fit(X, Y)
    for again in (pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger)):
        assert again.predict_marginals(X[:3]) == tagger.predict_marginals(X[:3])


def test_it_must_be_fitted_first():
    with pytest.raises(NotFittedError):
        SequenceTagger().predict(X)


@pytest.mark.parametrize(
    ("words", "labels", "reason"),
    [
        ([["a"]], [], "1 sentences but the labels of 0"),
        ([["a", "b"]], [["x"]], "sentence 1: 2 words but 1 labels"),
        ([[]], [[]], "no words"),
        ([["a"], []], [["x"], []], "sentence 2: no words"),
        ([["a\tb"]], [["x"]], "TAB"),
        ([[{"lemma": "a"}]], [["x"]], "'form'"),
        ([["a", {"form": "b", "xpos": "c"}]], [["x", "y"]], "word 2"),
    ],
)
def test_what_is_no_data_is_refused(words, labels, reason):
    with pytest.raises(InputError, match=reason):
        SequenceTagger().fit(words, labels)
