"""The attribute that tells what tags a word has had."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.features import Encoder
from turbotree.features.attributes import Word
from turbotree.features.encoder import RARE_ID
from turbotree.features.lexicon import Lexicon, unknown_value
from turbotree.text import Sentence, treebank

FORMS = st.sampled_from(["run", "Run", "RUN", "dog"])
TAGS = st.sampled_from(["NN", "VB", "NNP"])


@given(st.lists(st.tuples(FORMS, TAGS), max_size=60))
def test_a_frequent_word_has_the_tags_that_make_up_a_twentieth_of_it(
    pairs: list[tuple[str, str]],
) -> None:
    words: list[Word] = [(form, "_", "X", tag, "_") for form, tag in pairs]
    lexicon = Lexicon.fit(Counter(words).items())
    for form in ("run", "dog"):
        tags = [tag for other, tag in pairs if other.lower() == form]
        kept = [tag for tag in sorted(set(tags)) if 20 * tags.count(tag) >= len(tags)]
        expected = "|".join(f"X.{tag}" for tag in kept)
        found = lexicon.value((form, "_", "_", "_", "_"))
        assert found == (expected if len(tags) >= 3 else unknown_value(form))


def test_upos_is_enough_where_there_is_no_xpos() -> None:
    lexicon = Lexicon.fit([(("go", "_", "VERB", "_", "_"), 5)])
    assert lexicon.value(("Go", "_", "_", "_", "_")) == "VERB"


def test_an_encoder_keeps_its_lexicon() -> None:
    sentences = list(treebank(30, seed=1))
    encoder = Encoder.fit(sentences, ["tags", "form"], [])
    again = Encoder.from_dict(encoder.to_dict())
    assert again.to_dict() == encoder.to_dict()
    ids, expected = again.encode(sentences).ids, encoder.encode(sentences).ids
    assert ids.tolist() == expected.tolist()


def test_what_a_word_is_tagged_as_now_does_not_matter() -> None:
    sentences = list(treebank(30, seed=1))
    encoder = Encoder.fit(sentences, ["tags"], [])
    bare = [Sentence.from_words(sentence.forms) for sentence in sentences]
    assert encoder.encode(bare).ids.tolist() == encoder.encode(sentences).ids.tolist()
    unseen = encoder.encode([Sentence.from_words(["Xyzzyq"])]).ids
    assert unseen[0, 1] == RARE_ID


def test_the_attribute_needs_a_lexicon() -> None:
    with pytest.raises(ValueError, match="lexicon"):
        Encoder(["tags"], [], {"tags": []})
