"""The built-in treebank."""

import hashlib
from collections import Counter

import pytest

from turbotree.errors import InputError
from turbotree.text import Sentence, check_tree, treebank

COUNT = 1500
RELATIONS = """
nsubj obj iobj obl nmod amod det case conj cc acl:relcl advmod aux aux:pass
nsubj:pass mark xcomp ccomp advcl compound compound:prt nummod nmod:poss punct root cop expl flat
"""


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return list(treebank(COUNT, seed=5))


def is_projective(heads: tuple[int, ...]) -> bool:
    arcs = [(min(word, head), max(word, head)) for word, head in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def test_every_sentence_is_a_tree_with_one_root(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        heads = check_tree(sentence)
        assert heads.count(0) == 1
        assert [label == "root" for label in sentence.labels] == [head == 0 for head in heads]


def test_lengths_are_those_of_real_sentences(sentences: list[Sentence]) -> None:
    lengths = [len(sentence) for sentence in sentences]
    assert min(lengths) >= 3
    assert max(lengths) <= 30
    assert 10 < sum(lengths) / COUNT < 13


def test_some_sentences_are_not_projective(sentences: list[Sentence]) -> None:
    share = sum(not is_projective(check_tree(sentence)) for sentence in sentences) / COUNT
    assert 0.05 <= share <= 0.08


def test_the_relations_of_the_guidelines_occur(sentences: list[Sentence]) -> None:
    found = Counter(label for sentence in sentences for label in sentence.labels)
    for label in RELATIONS.split():
        assert found[label] > 5, label


def test_the_text_is_the_words_with_their_spaces(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        pieces = zip(sentence.forms, sentence.column("misc"), strict=True)
        text = "".join(form + ("" if misc == "SpaceAfter=No" else " ") for form, misc in pieces)
        assert sentence.text == text.rstrip()
        assert not {" .", " ,", "  "} & {text[i : i + 2] for i in range(len(text))}


def test_every_column_is_filled(sentences: list[Sentence]) -> None:
    for sentence in sentences:
        for column in ("form", "lemma", "upos", "xpos", "deprel"):
            assert "_" not in sentence.column(column)
        for word in sentence.words:
            features = [] if word.feats == "_" else word.feats.split("|")
            assert features == sorted(features), word


def test_attachment_depends_on_the_words(sentences: list[Sentence]) -> None:
    attached: Counter[tuple[str, str]] = Counter()
    for sentence in treebank(4000, seed=6):
        for word in sentence.words:
            if word.deprel in ("obl", "nmod"):
                attached[word.lemma, word.deprel] += 1
    assert attached["fork", "obl"] > 10 * attached["fork", "nmod"]
    assert attached["anchovy", "nmod"] > 10 * attached["anchovy", "obl"]
    assert attached["telescope", "obl"] > attached["telescope", "nmod"] > 0


def test_some_words_are_seen_once(sentences: list[Sentence]) -> None:
    forms = Counter(form for sentence in sentences for form in sentence.forms)
    assert sum(count == 1 for count in forms.values()) > 50
    assert forms.most_common(1)[0][1] > 300


def test_a_seed_gives_the_same_sentences_and_prefixes_agree() -> None:
    assert list(treebank(30, seed=1)) == list(treebank(60, seed=1))[:30]
    assert list(treebank(30, seed=1)) != list(treebank(30, seed=2))
    assert list(treebank(0)) == []
    with pytest.raises(InputError):
        treebank(-1)


def test_the_treebank_is_the_same_on_every_machine() -> None:
    text = "".join(sentence.to_text() for sentence in treebank(200, seed=0))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "194cc1b7bfebc520"
