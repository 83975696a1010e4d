from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import examples
from oracles.features import FeatureOracle
from oracles.sentences import sentences

from turbotree.errors import InputError
from turbotree.features import Encoder, LabelledParts, PartKind, Parts, Scorer, Weights, explain
from turbotree.text import Sentence

KIND = PartKind(("h", "m", "s"), {"prev": 3})
TEMPLATES = [
    "h.form m-1.upos dist",
    "dir dist(m,s) dir(s,h)",
    "s+1.xpos prev",
    "h.feat",
    "s.feat m.feat h+1.feat dir",
    "m.feat m.upos m-1.feat",
    "b.upos",
    "m.feat b.upos h.feat b+1.form dist",
    "count(upos=PUNCT) count(xpos=MISSING) count(form=,)",
]
ATTRIBUTES = ["form", "upos", "xpos"]


@st.composite
def cases(draw):
    training = draw(st.lists(sentences(), min_size=1, max_size=3))
    sentence = draw(sentences(strangers=True))
    words = st.permutations(range(len(sentence) + 1))
    row = [*draw(words), -1, -1][:3]
    if draw(st.integers(0, 3)) == 0:
        row[draw(st.integers(0, 2))] = -1
    row.append(draw(st.integers(0, 2)))
    encoder = Encoder.fit(training, ATTRIBUTES, ["feat"])
    return Scorer(TEMPLATES, KIND, encoder, first_template=5), training, sentence, row


@examples(60)
@given(cases(), st.sampled_from([None, 0, 3]))
def test_fired_features_are_those_of_the_oracle_and_add_up_to_the_score(case, label):
    scorer, training, sentence, row = case
    encoded = scorer.encoder.encode([sentence])
    prepared, parts = scorer.prepare(encoded), Parts.of_one([row])
    if label is not None:
        one = np.array([0, 1], dtype=np.int32)
        parts = LabelledParts(parts.rows, parts.offsets, one, np.array([label], dtype=np.int32))
    weights = Weights()
    gradient = scorer.gradient(prepared, parts, np.ones(1))
    weights.add(gradient, 0.25)  # every feature of the part has a weight above 0
    fired = explain(scorer, encoded, np.array(row, dtype=np.int32), weights, label=label or 0)
    expected = FeatureOracle(TEMPLATES, KIND, training).of_part(sentence, row)
    assert Counter((f.template, f.values) for f in fired) == Counter(
        (TEMPLATES[number], values) for number, values in expected
    )
    score = scorer.score(prepared, parts, weights)
    assert sum(f.weight for f in fired) == pytest.approx(score[0])
    sizes = [abs(f.weight) for f in fired]
    assert sizes == sorted(sizes, reverse=True)


@examples(60)
@given(cases(), st.integers(0, 10**6))
def test_each_feature_is_shown_with_its_own_weight(case, seed):
    scorer, training, sentence, row = case
    assume(len(sentence) >= 2)
    encoded = scorer.encoder.encode([sentence])
    prepared = scorer.prepare(encoded)
    rng = np.random.default_rng(seed)
    others = [[0, 1, 2, 0], [1, 2, 0, 1], [2, 0, 1, 2]]
    rows = np.array([row, *others])
    # Different weights: random gradients on the part and on others that share features with it.
    coefficients = rng.integers(1, 1000, size=len(rows)) / 8
    weights, model = Weights(), Counter()
    weights.add(scorer.gradient(prepared, Parts.of_one(rows), coefficients), 1.0)
    oracle = FeatureOracle(TEMPLATES, KIND, training)
    for other, coefficient in zip(rows.tolist(), coefficients, strict=True):
        for feature in oracle.of_part(sentence, other):
            model[feature] += coefficient
    for fired in explain(scorer, encoded, np.array(row, dtype=np.int32), weights):
        number = TEMPLATES.index(fired.template)
        assert fired.weight == model[number, fired.values]


def test_features_without_a_weight_are_omitted():
    sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    encoder = Encoder.fit([sentence], ["upos"], [])
    scorer = Scorer(["h.upos", "m.upos"], PartKind(("h", "m")), encoder)
    encoded = encoder.encode([sentence])
    weights = Weights()
    arcs = Parts.of_one([[2, 1], [0, 1]])
    weights.add(scorer.gradient(scorer.prepare(encoded), arcs, np.array([1.0, -1.0])), 1.0)
    fired = explain(scorer, encoded, np.array([2, 1], dtype=np.int32), weights)
    assert [(f.template, f.values, f.weight) for f in fired] == [("h.upos", ("VERB",), 1.0)]


def test_a_word_that_looks_like_a_reserved_value_confuses_nobody():
    sentence = Sentence.from_words(["a", "<rare>", "once", "<rare>", "a"])
    encoder = Encoder.fit([sentence], ["form"], [])
    scorer = Scorer(["b.form"], PartKind(("h", "m")), encoder)
    encoded, part = encoder.encode([sentence]), np.array([1, 5], dtype=np.int32)
    weights = Weights()
    parts = Parts.of_one([part])
    weights.add(scorer.gradient(scorer.prepare(encoded), parts, np.ones(1)), 1.0)
    assert len(explain(scorer, encoded, part, weights)) == 2


def test_only_one_sentence_and_only_real_labels_are_explained():
    sentence = Sentence.from_words(["a", "b"])
    encoder = Encoder.fit([sentence], ["form"], [])
    scorer = Scorer(["h.form"], PartKind(("h", "m")), encoder)
    part = np.array([0, 1], dtype=np.int32)
    with pytest.raises(InputError, match="2 sentences"):
        explain(scorer, encoder.encode([sentence, sentence]), part, Weights())
    for label in (-1, 4096):
        with pytest.raises(InputError, match="label"):
            explain(scorer, encoder.encode([sentence]), part, Weights(), label=label)
