"""Tokens and sentences: everything that is written comes out, in place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import raw_scores
from turbotree.pipeline import Pipeline, train_tokenizer
from turbotree.pipeline.atoms import UNITS, atoms_of
from turbotree.pipeline.tokenizer import Tokenizer
from turbotree.text import Sentence, treebank
from turbotree.text.surface import raw_text, surface_tokens

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.text(
    "aB1.,'-\n 日\u0301", max_size=60
)


@given(TEXTS, st.sampled_from(UNITS))
def test_atoms_are_all_that_is_not_blank(text: str, unit: str) -> None:
    atoms = list(atoms_of(text, unit))
    assert "".join(atom.word[0] for atom in atoms) == "".join(text.split())
    for atom in atoms:
        assert text.startswith(atom.word[0], atom.start)


@pytest.fixture(scope="module")
def tokenizer(nlp: Pipeline) -> Tokenizer:
    assert nlp.tokenizer is not None
    return nlp.tokenizer


@given(text=TEXTS)
def test_tokens_cover_the_text_and_know_their_places(tokenizer: Tokenizer, text: str) -> None:
    end = len(text) - len(text.removeprefix("\ufeff"))
    for sentence in tokenizer.sentences(text):
        for token, misc in zip(surface_tokens(sentence), sentence.column("misc"), strict=True):
            places = dict(entry.split("=") for entry in misc.split("|"))["TokenRange"]
            start, stop = map(int, places.split(":"))
            assert not text[end:start].strip()
            assert text[start:stop] == token.form
            spaced = stop == len(text) or text[stop].isspace()
            assert token.space_after == spaced
            end = stop
    assert not text[end:].strip()


def test_a_byte_order_mark_is_no_part_of_a_word_and_places_count_it(tokenizer: Tokenizer) -> None:
    text = "The dogs slept."
    plain, marked = tokenizer.sentences(text), tokenizer.sentences("\ufeff" + text)
    assert [s.forms for s in marked] == [s.forms for s in plain]
    assert marked[0].text == text
    assert marked[0].column("misc")[0] == "TokenRange=1:4"


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t \u00a0", "\ufeff", "\ufeff\n"])
def test_blank_texts_have_no_sentences(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.sentences(text) == []


def test_a_blank_line_ends_a_sentence_and_a_line_does_not(tokenizer: Tokenizer) -> None:
    forms = [s.forms for s in tokenizer.sentences("The\ndogs\n \nsaw the girl.")]
    assert forms == [("The", "dogs"), ("saw", "the", "girl", ".")]


def test_parts_of_a_document_go_on_counting(tokenizer: Tokenizer) -> None:
    sentence = tokenizer.sentences("Dogs.", name="doc", offset=100, first=7)[0]
    assert sentence.comments == ("newpar", "sent_id = doc-7", "text = Dogs.")
    assert sentence.column("misc")[0] == "SpaceAfter=No|TokenRange=100:104"


def test_the_built_in_grammar_is_learnt(tokenizer: Tokenizer) -> None:
    gold = list(treebank(60, seed=9))
    scores = raw_scores(gold, tokenizer.sentences(raw_text(gold)))
    assert scores.f1("tokens") > 99
    assert scores.f1("sentences") > 95


def with_contractions() -> list[Sentence]:
    """Sentences with a multiword token each, and one without."""
    made = []
    for verb in ("is", "was", "did", "has", "does", "would", "could"):
        blank = "\t_" * 7
        lines = [f"1\tshe{blank}\t_", f"2-3\t{verb}n't{blank}\tSpaceAfter=No"]
        lines += [f"{i}\t{form}{blank}\t_" for i, form in ((2, verb), (3, "n't"), (4, "."))]
        made.append(Sentence("\n".join([*lines, "", ""])))
    return made * 5


def test_multiword_tokens_are_found_and_taken_apart() -> None:
    tokenizer = train_tokenizer(with_contractions(), epochs=3)
    sentence = tokenizer.sentences("she hasn't.")[0]
    assert sentence.forms == ("she", "has", "n't", ".")
    assert [token.form for token in surface_tokens(sentence)] == ["she", "hasn't", "."]


def test_characters_are_the_units_where_runs_hide_tokens() -> None:
    forms = [["ab", "c"], ["ab", "ab"], ["c", "c"]]
    glued = [Sentence.from_words(row, misc=["SpaceAfter=No", "_"]) for row in forms] * 10
    tokenizer = train_tokenizer(glued, epochs=3)
    assert tokenizer.unit == "characters"
    assert tokenizer.sentences("abab")[0].forms == ("ab", "ab")


def test_nothing_to_learn_is_said() -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        train_tokenizer([Sentence.from_words(["Go"])] * 3)
