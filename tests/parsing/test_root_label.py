"""`root` is the label of words under the root, and of no others, if training data have it so."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turbotree as tt
from turbotree.errors import InfeasibleError, InputError, ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.parsing import Parser
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.root_label import root_label
from turbotree.parsing.storing import contents
from turbotree.text import Sentence, treebank

QUICK = {"model": "arc", "epochs": 1, "pruner_epochs": 1}


def train(sentences, **options):
    return Parser.train(sentences, **{**QUICK, **options})


@pytest.fixture(scope="module")
def plain() -> Parser:
    return train(treebank(40, seed=1))


@pytest.fixture(scope="module")
def unaware() -> Parser:
    """The same parser, if nobody looks at labels under the root."""
    with patch("turbotree.parsing.training.treebank.root_label", return_value=None):
        return train(treebank(40, seed=1))


def salad(count, words, seed=1) -> list[Sentence]:
    """Words with tags that no treebank has, so that any label might come."""
    rng = np.random.default_rng(seed)
    forms = [f"w{number}" for number in range(50)]
    return [
        Sentence.from_words(
            rng.choice(forms, words).tolist(), upos=rng.choice(["Q1", "Q2"], words).tolist()
        )
        for _ in range(count)
    ]


def offences(parses) -> int:
    return sum(
        (head == 0) != (label == "root")
        for parse in parses
        for head, label in zip(parse.heads, parse.labels, strict=True)
    )


def with_labels(sentence: Sentence, labels) -> Sentence:
    return sentence.with_tree(sentence.heads, labels)


@given(
    st.lists(
        st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 3)), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_it_is_the_only_label_under_the_root_and_nowhere_else(trees):
    heads = [np.array([head for head, _ in tree]) for tree in trees]
    labels = [np.array([label for _, label in tree]) for tree in trees]
    known = [(head, label) for tree in trees for head, label in tree if head >= 0 and label >= 0]
    fitting = [
        label
        for label in range(4)
        if any(head > 0 for head, _ in known)
        and (0, label) in known
        and all((head == 0) == (own == label) for head, own in known)
    ]
    assert root_label(heads, labels) == (fitting[0] if fitting else None)
    assert len(fitting) <= 1


def test_trees_obey_where_they_did_not(plain, unaware):
    sentences = salad(40, 6)
    assert offences(unaware.parse_batch(sentences)) > 0
    assert offences(plain.parse_batch(sentences)) == 0
    assert offences(plain.parse_batch(sentences, single_root=False)) == 0


def test_k_best_trees_and_samples_obey(plain):
    sentences = salad(8, 5)
    several = plain.k_best_batch(sentences, 6) + plain.sample_batch(sentences, 6, seed=1)
    assert offences(parse for found in several for parse in found) == 0


@pytest.mark.parametrize("model", ["standard", "full"])
def test_models_of_higher_order_obey(model):
    parser = train(treebank(40, seed=1), model=model)
    assert offences(parser.parse_batch(salad(15, 6))) == 0


def test_masked_labels_have_no_probability_and_the_others_all_of_it(plain):
    for parse in plain.parse_batch(salad(5, 5)):
        for head, distribution in zip(parse.heads, parse.label_distributions, strict=True):
            assert ("root" in distribution) == (head == 0)
            assert sum(distribution.values()) == pytest.approx(1.0)
            if head == 0:
                assert distribution == {"root": 1.0}


RULES = [
    "forall m: label(root, m, 'root') -> m = 2",
    "forall h, m: arc(h, m) -> label(h, m, {'punct', 'root', 'nsubj'})",
    "exists m: label(root, m, 'root')",
    "[0.5] forall h, m: not label(h, m, 'root')",
]


@pytest.mark.parametrize("rules", RULES)
def test_rules_of_labels_obey(plain, rules):
    sentences = salad(6, 4)
    parses = plain.parse_batch(sentences, rules=rules)
    assert offences(parses) == 0
    assert offences(p for own in plain.k_best_batch(sentences, 3, rules=rules) for p in own) == 0
    if rules == RULES[0]:
        assert all(parse.heads[1] == 0 for parse in parses)


@pytest.mark.parametrize(
    "rules",
    [
        "exists h in word, m: label(h, m, 'root')",
        "forall m: not label(root, m, 'root')",
        "exists m: label(root, m, 'nsubj')",
    ],
)
def test_rules_that_want_it_otherwise_cannot_be_obeyed(plain, rules):
    with pytest.raises(InfeasibleError):
        plain.parse(salad(1, 4)[0], rules=rules)


WORDS = Sentence.from_words(["w1", "w2", "w3", "w4"], upos=["Q1"] * 4, comments=["sent_id = s1"])


def test_a_required_label_settles_where_the_head_is(plain):
    for m in (1, 2, 3, 4):
        assert plain.parse(WORDS, require=[(None, m, "root")]).heads[m - 1] == 0
        parse = plain.parse(WORDS, require=[(None, m, "nsubj")])
        assert (parse.heads[m - 1] > 0, parse.labels[m - 1]) == (True, "nsubj")
        assert offences([parse]) == 0


def test_a_forbidden_label_settles_it_too(plain):
    others = [label for label in plain.labels.dictionary.names if label != "root"]
    for m in (1, 2, 3, 4):
        for head in (None, 0):
            parse = plain.parse(WORDS, forbid=[(head, m, "root")])
            assert parse.heads[m - 1] > 0
            assert offences([parse]) == 0
        # Nothing but `root` is left: the word is under the root.
        only = plain.parse(WORDS, forbid=[(None, m, label) for label in others])
        assert (only.heads[m - 1], only.labels[m - 1]) == (0, "root")
        # Nothing is left under that head.
        head = m % 4 + 1
        elsewhere = plain.parse(WORDS, forbid=[(head, m, label) for label in others])
        assert elsewhere.heads[m - 1] != head
        # What says nothing changes nothing.
        assert plain.parse(WORDS, forbid=[(head, m, "root")]).heads == plain.parse(WORDS).heads


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        (
            {"require": [(2, 1, "root")]},
            "1 'w1' is required under 2 'w2' with label root, but only words under the root have",
        ),
        (
            {"require": [(2, 1), (None, 1, "root")]},
            "1 'w1' is required under 2 'w2' with label root",
        ),
        (
            {"require": [(0, 1, "nsubj")]},
            "1 'w1' is required under the root with label nsubj, but words under the root have "
            "label root",
        ),
        (
            {"require": [(None, 1, "root"), (None, 2, "root")]},
            "1 'w1' and 2 'w2' are both required to be the root",
        ),
        ({"require": [(0, 1)], "forbid": [(None, 1, "root")]}, "1 'w1' under the root is both"),
    ],
)
def test_constraints_at_odds_with_it_are_named(plain, constraints, said):
    for find in (plain.parse, lambda s, **c: plain.k_best(s, 2, **c), plain.sample):
        with pytest.raises(InfeasibleError) as caught:
            find(WORDS, **constraints)
        assert said in str(caught.value)
        assert "(s1)" in str(caught.value)


def test_all_labels_forbidden_is_said_so(plain):
    names = plain.labels.dictionary.names
    with pytest.raises(InfeasibleError, match="all labels of 2 'w2' are forbidden"):
        plain.parse(WORDS, forbid=[(None, 2, label) for label in names])


def test_given_labels_settle_heads(plain):
    given_ = WORDS.with_tree([None] * 4, ["_", "_", "root", "obj"])
    (parse,) = plain.parse_batch([given_], keep_given=True)
    assert parse.heads[2] == 0
    assert parse.labels[2:] == ("root", "obj")
    assert offences([parse]) == 0
    wrong = WORDS.with_tree([None, None, 1, None], ["_", "_", "root", "_"])
    with pytest.raises(InfeasibleError, match=r"\(s1\): 3 'w3' is required under 1 'w1'"):
        plain.parse_batch([wrong], keep_given=True)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_constraints_say_what_labels_say_of_arcs(data):
    names = ["root", "a", "b"]
    arcs = [(h, m) for h in (None, 0, 1, 2) for m in (1, 2) if h != m]
    triples = st.tuples(st.sampled_from(arcs), st.sampled_from(names)).map(lambda t: (*t[0], t[1]))
    require = data.draw(st.lists(triples, max_size=2))
    forbid = data.draw(st.lists(triples, max_size=6))
    sentence = Sentence.from_words(["x", "y"])

    def fits(m, head, label):
        asked = [(h, own) for h, n, own in require if n == m]
        return (
            (head == 0) == (label == "root")
            and all(h in (None, head) and own == label for h, own in asked)
            and not any(n == m and h in (None, head) and own == label for h, n, own in forbid)
        )

    possible = {
        (h, m) for m in (1, 2) for h in (0, 1, 2) if h != m if any(fits(m, h, n) for n in names)
    }
    try:
        own = Constraints.of(sentence, require, forbid).settled(sentence, names, "root")
    except InfeasibleError:
        assert {m for _, m in possible} != {1, 2}
        return
    matrix = own.allowed(2)
    allowed = {(h, m) for m in (1, 2) for h in (0, 1, 2) if matrix[h, m]}
    # A label that is both required and forbidden is found out by `check`.
    clash = any(
        n == m and label == own_label and h in (None, g)
        for g, m, own_label in require
        for h, n, label in forbid
    )
    if not clash:
        assert allowed == possible


def relabelled(sentences, **changes):
    """Change the labels of the first words under the root, or of others."""
    for number, sentence in enumerate(sentences):
        labels = list(sentence.labels)
        for word, head in enumerate(sentence.heads):
            if number == 0 and "under" in changes and head == 0:
                labels[word] = changes["under"]
            if number == 0 and "below" in changes and head > 0:
                labels[word] = changes["below"]
            if "everywhere" in changes and head == 0:
                labels[word] = changes["everywhere"]
        yield with_labels(sentence, labels)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, "root"),
        ({"below": "root"}, None),
        ({"under": "nsubj"}, None),
        ({"everywhere": "TOP"}, "TOP"),
    ],
)
def test_training_data_decide(changes, found, tmp_path):
    parser = train(relabelled(treebank(20, seed=1), **changes))
    dictionary = parser.labels.dictionary
    assert (dictionary.root if found is None else dictionary.names[dictionary.root]) == found
    parser.save(tmp_path / "model")
    assert read_model(tmp_path / "model").header["root_label"] == found
    again = Parser.load(tmp_path / "model")
    assert again.labels.dictionary.root == dictionary.root
    sentence = salad(1, 5)[0]
    assert again.parse(sentence).labels == parser.parse(sentence).labels


def test_labels_that_nobody_gave_are_not_learnt():
    sentences = [
        with_labels(s, ["_" if number % 3 else label for number, label in enumerate(s.labels)])
        for s in treebank(20, seed=1)
    ]
    parser = train(sentences)
    assert "_" not in parser.labels.dictionary.names
    assert offences(parser.parse_batch(salad(5, 5))) == 0
    # Without any label there is nothing else to give.
    unlabelled = train(with_labels(s, ["_"] * len(s)) for s in treebank(10, seed=1))
    assert set(unlabelled.parse(WORDS).labels) == {"_"}


def rewritten(parser, path, **header):
    arrays, own = contents(parser)
    own.update(header)
    write_model(path, arrays, {k: v for k, v in own.items() if v != "gone"}, kind="parser")
    return path


def test_files_of_before_are_looked_through(plain, unaware, tmp_path):
    old = Parser.load(rewritten(unaware, tmp_path / "old", root_label="gone"))
    assert old.labels.dictionary.names[old.labels.dictionary.root] == "root"
    sentences = salad(20, 6)
    assert offences(old.parse_batch(sentences)) == 0
    kept = Parser.load(rewritten(unaware, tmp_path / "kept"))
    assert kept.labels.dictionary.root is None
    assert offences(kept.parse_batch(sentences)) == offences(unaware.parse_batch(sentences)) > 0


@pytest.mark.parametrize("name", ["nonsense", 3, ["root"]])
def test_a_file_with_a_label_that_it_does_not_have_is_refused(plain, name, tmp_path):
    with pytest.raises(ModelFileError, match="not a usable parser"):
        Parser.load(rewritten(plain, tmp_path / "wrong", root_label=name))


def test_the_bundled_model_obeys():
    parser = tt.load("en").parser
    assert parser.labels.dictionary.names[parser.labels.dictionary.root] == "root"
    assert offences(parser.parse_batch(salad(5, 6))) == 0
    with pytest.raises(InfeasibleError, match="label root"):
        parser.parse(WORDS, require=[(2, 1, "root")])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), root=st.integers(0, 2), batch=st.booleans())
def test_own_scores_have_a_root_label_too(seed, root, batch):
    rng = np.random.default_rng(seed)
    shape = (2, 4, 4) if batch else (4, 4)
    arcs, labels = rng.normal(size=shape), rng.normal(size=(*shape, 3))
    found = tt.decode(arcs, label_scores=labels, root_label=root)
    masked = labels.copy()
    for h in range(4):
        for label in range(3):
            if (h == 0) != (label == root):
                masked[..., h, :, label] = -np.inf
    expected = tt.decode(arcs, label_scores=masked)
    np.testing.assert_array_equal(found.heads, expected.heads)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.labels == root, found.heads == 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"root_label": 3, "label_scores": np.zeros((3, 3, 2))}, "from 0 to 1, got 3"),
        ({"root_label": "root", "label_scores": np.zeros((3, 3, 2))}, "a whole number, got 'root'"),
        ({"root_label": 0}, "got no label_scores"),
    ],
)
def test_a_root_label_that_makes_no_sense_is_refused(options, said):
    with pytest.raises(InputError, match=f"root_label: .*{said}"):
        tt.decode(np.zeros((3, 3)), **options)


def test_own_scores_that_require_it_elsewhere_are_infeasible():
    with pytest.raises(InfeasibleError, match=r"label 1 of arc \(2, 1\) is forbidden"):
        tt.decode(
            np.zeros((3, 3)), label_scores=np.zeros((3, 3, 2)), root_label=1, require=[(2, 1, 1)]
        )
