"""Edit scripts make of a form the lemma that they were made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.pipeline.scripts import apply_script, check_script, script_of

WORDS = st.text(st.characters(exclude_characters="\t\n\r", codec="utf-8"), min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_a_script_gives_the_lemma_back(form: str, lemma: str) -> None:
    script = script_of(form, lemma)
    check_script(script)
    assert apply_script(script, form) == lemma


@given(st.text("aBc'İß", min_size=1, max_size=6), st.text("aBc'İß", min_size=1, max_size=6))
def test_words_that_share_letters_give_the_lemma_back_too(form: str, lemma: str) -> None:
    assert apply_script(script_of(form, lemma), form) == lemma


@given(WORDS, WORDS, WORDS)
def test_a_script_makes_something_of_every_word(form: str, lemma: str, other: str) -> None:
    assert apply_script(script_of(form, lemma), other)


@pytest.mark.parametrize(
    ("pairs"),
    [
        [("dogs", "dog"), ("Cats", "cat"), ("TREES", "tree")],
        [("studies", "study"), ("Parties", "party")],
        [("Paris", "Paris"), ("NATO", "NATO")],
        [("was", "be"), ("am", "be")],
    ],
)
def test_words_of_a_kind_share_a_script(pairs: list[tuple[str, str]]) -> None:
    assert len({script_of(form, lemma) for form, lemma in pairs}) == 1


@pytest.mark.parametrize("script", ["", "lower", "is\t", "lower\tx\t\t1\t", "red\t0\t\t0\t"])
def test_what_is_no_script_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match=r"script|literal"):
        check_script(script)
