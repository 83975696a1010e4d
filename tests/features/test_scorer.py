from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.features import FeatureOracle
from oracles.sentences import sentences

from turbotree.errors import InputError
from turbotree.features import (
    Encoder,
    LabelledParts,
    PartKind,
    Parts,
    Scorer,
    Weights,
    _core,
    attributes_of,
    parse_templates,
)
from turbotree.features.attributes import ATTRIBUTES
from turbotree.text import Sentence

KIND = PartKind(("h", "m", "s"), {"prev": 3})

atoms = st.one_of(
    st.builds(
        "{}{}.{}".format,
        st.sampled_from(["h", "m", "s"]),
        st.sampled_from(["", "", "-1", "+1", "-2", "+3"]),
        st.sampled_from([*ATTRIBUTES, "feat", "feat", "feats:Case"]),
    ),
    st.builds("b{}.{}".format, st.sampled_from(["", "-1", "+1"]), st.sampled_from(ATTRIBUTES)),
    st.sampled_from(["dist", "dir", "dist(m,s)", "dir(s,h)", "prev"]),
    st.sampled_from(
        ["count(upos=PUNCT)", "count(upos=VERB)", "count(form=,)", "count(xpos=MISSING)"]
    ),
)
template_sets = st.lists(
    st.lists(atoms, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=6, unique=True
)
# Fractions that a 32-bit weight holds exactly, so that sums can be compared with ==.
exact = st.integers(-8, 8).map(lambda n: n / 4)


@st.composite
def part_rows(draw, sentence):
    """Rows of different words, some of them missing."""
    places = st.permutations(range(len(sentence) + 1))
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        row = [*draw(places), -1, -1][:3]
        missing = draw(st.integers(0, 11))
        if missing < len(row):
            row[missing] = -1
        rows.append([*row, draw(st.integers(0, 2))])
    return rows


@st.composite
def worlds(draw):
    """Templates, a scorer for them, the oracle, and sentences with parts."""
    templates = draw(template_sets)
    training = draw(st.lists(sentences(), min_size=1, max_size=3))
    single, sets = attributes_of(parse_templates(templates, KIND))
    encoder = Encoder.fit(training, single, sets)
    first = draw(st.sampled_from([0, 0, 7, 1000]))
    scorer = Scorer(templates, KIND, encoder, first_template=first)
    batch = draw(st.lists(sentences(strangers=True), min_size=1, max_size=3))
    rows = [draw(part_rows(sentence)) for sentence in batch]
    return scorer, FeatureOracle(templates, KIND, training), batch, rows


def batch_parts(rows, label_lists=None):
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    flat = np.array([row for part in rows for row in part], dtype=np.int32)
    flat = flat.reshape(-1, KIND.width)
    if label_lists is None:
        return Parts(flat, offsets)
    label_offsets = np.cumsum([0, *map(len, label_lists)]).astype(np.int32)
    labels = np.array([label for labels in label_lists for label in labels], dtype=np.int32)
    return LabelledParts(flat, offsets, label_offsets, labels)


def prepare(scorer, batch):
    return scorer.prepare(scorer.encoder.encode(batch))


def by_template(scorer, model, fired):
    """Sum the weights of features, one sum per template."""
    sums = [0.0] * len(scorer.templates)
    for feature in fired:
        sums[feature[0]] += model[feature]
    return sums


def template_of(key):
    return ((key >> _core.LABEL_BITS) & _core.MAX_TEMPLATES) - 1


@examples(50)
@given(worlds())
def test_two_features_have_one_key_exactly_when_template_and_values_agree(world):
    scorer, oracle, batch, rows = world
    features_of_key = defaultdict(set)
    keys_of_feature = defaultdict(set)
    for sentence, parts in zip(batch, rows, strict=True):
        prepared = prepare(scorer, [sentence])
        for row in parts:
            keys = scorer.keys(prepared, Parts.of_one([row])).tolist()
            expected = oracle.of_part(sentence, row)
            found = Counter(template_of(key) - scorer.first_template for key in keys)
            assert found == Counter(number for number, _ in expected)
            assert all(key & (_core.MAX_LABELS - 1) == 0 for key in keys)
            # How often each key comes tells which of a template's keys may be which feature.
            by_count = defaultdict(set)
            for feature, times in Counter(expected).items():
                by_count[feature[0], times].add(feature)
            for key, times in Counter(keys).items():
                group = by_count[template_of(key) - scorer.first_template, times]
                assert group
                if len(group) == 1:
                    (feature,) = group
                    features_of_key[key].add(feature)
                    keys_of_feature[feature].add(key)
            assert len(set(keys)) == len(set(expected))
    assert all(len(features) == 1 for features in features_of_key.values())
    assert all(len(keys) == 1 for keys in keys_of_feature.values())


@examples(50)
@given(worlds(), st.data())
def test_a_score_is_the_sum_of_the_weights_of_the_parts_features(world, data):
    scorer, oracle, batch, rows = world
    prepared, parts = prepare(scorer, batch), batch_parts(rows)
    weights, model = Weights(), defaultdict(float)
    features = [
        oracle.of_part(sentence, row)
        for sentence, part in zip(batch, rows, strict=True)
        for row in part
    ]
    for _ in range(data.draw(st.integers(1, 3))):
        coefficients = data.draw(st.lists(exact, min_size=len(features), max_size=len(features)))
        weights.add(scorer.gradient(prepared, parts, np.array(coefficients)), 0.5)
        for coefficient, fired in zip(coefficients, features, strict=True):
            for feature in fired:
                model[feature] += 0.5 * coefficient
    expected = [sum(model[feature] for feature in fired) for fired in features]
    assert scorer.score(prepared, parts, weights).tolist() == expected
    # Rounds play no part yet: nothing has been averaged.
    assert scorer.score(prepared, parts, weights.freeze()).tolist() == expected
    contributions = scorer.contributions(prepared, parts, weights).tolist()
    assert contributions == [by_template(scorer, model, fired) for fired in features]


@examples(50)
@given(worlds(), st.data())
def test_a_labelled_score_is_the_sum_over_the_features_with_that_label(world, data):
    scorer, oracle, batch, rows = world
    count = sum(map(len, rows))
    label_list = st.lists(st.sampled_from([0, 1, 2, 37, 4095]), max_size=4, unique=True)
    label_lists = data.draw(st.lists(label_list, min_size=count, max_size=count))
    prepared, parts = prepare(scorer, batch), batch_parts(rows, label_lists)
    coefficients = data.draw(
        st.lists(exact, min_size=len(parts.labels), max_size=len(parts.labels))
    )
    weights, model = Weights(), defaultdict(float)
    weights.add(scorer.gradient(prepared, parts, np.array(coefficients)), 1.0)
    fired = [
        [(feature, label) for feature in oracle.of_part(sentence, row)]
        for (sentence, row), labels in zip(
            [(s, row) for s, part in zip(batch, rows, strict=True) for row in part],
            label_lists,
            strict=True,
        )
        for label in labels
    ]
    for coefficient, features in zip(coefficients, fired, strict=True):
        for feature in features:
            model[feature] += coefficient
    expected = [sum(model[feature] for feature in features) for features in fired]
    assert scorer.score(prepared, parts, weights).tolist() == expected
    assert scorer.score(prepared, parts, weights.freeze(labels=4096)).tolist() == expected
    contributions = scorer.contributions(prepared, parts, weights).tolist()
    assert contributions == [
        by_template(scorer, {f: model[f, label] for f, label in features}, [f for f, _ in features])
        for features in fired
    ]


@examples(50)
@given(worlds(), st.data())
def test_a_gradient_sums_equal_features_and_drops_what_cancels(world, data):
    scorer, oracle, batch, rows = world
    prepared, parts = prepare(scorer, batch), batch_parts(rows)
    count = len(parts.rows)
    coefficients = data.draw(st.lists(exact, min_size=count, max_size=count))
    gradient = scorer.gradient(prepared, parts, np.array(coefficients))
    expected = defaultdict(float)
    flat = [(s, row) for s, part in zip(batch, rows, strict=True) for row in part]
    for (sentence, row), coefficient in zip(flat, coefficients, strict=True):
        for feature in oracle.of_part(sentence, row):
            expected[feature] += coefficient
    values = sorted(value for value in expected.values() if value != 0.0)
    assert len(gradient) == len(set(gradient.keys.tolist())) == len(values)
    assert sorted(gradient.values.tolist()) == values
    assert gradient.squared_norm == sum(value * value for value in values)


@examples(50)
@given(worlds())
def test_a_batch_gives_what_its_sentences_give_alone(world):
    scorer, _, batch, rows = world
    prepared, parts = prepare(scorer, batch), batch_parts(rows)
    assert len(prepared) == len(batch)
    rng = np.random.default_rng(len(parts.rows))
    weights = Weights()
    weights.add(scorer.gradient(prepared, parts, rng.normal(size=len(parts.rows))), 1.0)
    alone = [
        (
            scorer.keys(prepare(scorer, [sentence]), Parts.of_one(part)),
            scorer.score(prepare(scorer, [sentence]), Parts.of_one(part), weights),
        )
        for sentence, part in zip(batch, rows, strict=True)
    ]
    keys = scorer.keys(prepared, parts)
    assert keys.tolist() == [key for found, _ in alone for key in found.tolist()]
    scores = scorer.score(prepared, parts, weights)
    assert scores.tolist() == [score for _, found in alone for score in found.tolist()]


def two_words():
    sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    return sentence, Encoder.fit([sentence], ["upos"], [])


def test_scorers_share_a_table_when_their_templates_are_numbered_on():
    sentence, encoder = two_words()
    arc = PartKind(("h", "m"))
    first = Scorer(["h.upos", "m.upos"], arc, encoder)
    same = Scorer(["h.upos", "m.upos"], arc, encoder)
    later = Scorer(["h.upos", "m.upos"], arc, encoder, first_template=2)
    arcs = Parts.of_one([[0, 2], [2, 1]])
    prepared = [scorer.prepare(encoder.encode([sentence])) for scorer in (first, same, later)]
    keys = [
        set(scorer.keys(p, arcs).tolist())
        for scorer, p in zip((first, same, later), prepared, strict=True)
    ]
    assert keys[0] == keys[1]
    assert not keys[0] & keys[2]
    assert {template_of(key) for key in keys[2]} == {2, 3}
    weights = Weights()
    gradient = first.gradient(prepared[0], arcs, np.array([1.0, 2.0]))
    gradient.extend(later.gradient(prepared[2], arcs, np.array([-4.0, 8.0])))
    weights.add(gradient, 1.0)
    assert first.score(prepared[0], arcs, weights).tolist() == [2.0, 4.0]
    assert later.score(prepared[2], arcs, weights).tolist() == [-8.0, 16.0]


def test_all_distances_fall_into_the_bins_that_are_written_down():
    words = 60
    sentence = Sentence.from_words(["x"] * words)
    encoder = Encoder.fit([sentence], [], [])
    arc = PartKind(("h", "m"))
    scorer = Scorer(["dist"], arc, encoder)
    oracle = FeatureOracle(["dist"], arc, [sentence])
    rows = [[h, m] for h in (0, 30, words) for m in range(1, words + 1) if h != m]
    keys = scorer.keys(prepare(scorer, [sentence]), Parts.of_one(rows)).tolist()
    found = {(key, *oracle.of_part(sentence, row)) for key, row in zip(keys, rows, strict=True)}
    assert len(found) == len(set(keys)) == 22  # eleven bins to each side


def test_no_parts_give_no_scores():
    sentence, encoder = two_words()
    scorer = Scorer(["h.upos"], PartKind(("h", "m")), encoder)
    none = Parts.of_one(np.zeros((0, 2)))
    prepared = prepare(scorer, [sentence])
    assert scorer.score(prepared, none, Weights()).shape == (0,)
    assert len(scorer.gradient(prepared, none, np.zeros(0))) == 0


def test_an_empty_set_of_templates_scores_everything_zero():
    sentence, encoder = two_words()
    scorer = Scorer([], PartKind(("h", "m")), encoder)
    arcs = Parts.of_one([[0, 1], [2, 1]])
    assert scorer.score(prepare(scorer, [sentence]), arcs, Weights()).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("first", "count"), [(0, 1024), (1023, 1), (1000, 24)])
def test_too_many_templates_for_one_table_are_refused(first, count):
    _, encoder = two_words()
    with pytest.raises(InputError, match="1023"):
        Scorer(["h.upos"] * count, PartKind(("h", "m")), encoder, first_template=first)
