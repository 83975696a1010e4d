"""Multiword tokens are taken apart as in the examples."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.pipeline.expansion import Expansion

LOWER = st.text("abcde'", min_size=1, max_size=5)
EXAMPLES = st.dictionaries(LOWER, st.lists(LOWER, min_size=2, max_size=3), min_size=1, max_size=6)


@given(EXAMPLES)
def test_known_forms_come_apart_as_they_did(examples: dict[str, list[str]]) -> None:
    expansion = Expansion.learn(examples.items())
    for form, words in examples.items():
        assert expansion.words(form) == words


@given(EXAMPLES, st.text(min_size=1, max_size=6))
def test_unknown_forms_give_words_that_are_not_empty(
    examples: dict[str, list[str]], form: str
) -> None:
    assert all(Expansion.learn(examples.items()).words(form))


@given(EXAMPLES)
def test_rules_survive_a_file(examples: dict[str, list[str]]) -> None:
    expansion = Expansion.learn(examples.items())
    assert Expansion.from_list(json.loads(json.dumps(expansion.to_list()))) == expansion


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("Didn't", ["Did", "n't"]),
        ("DIDN'T", ["DID", "N'T"]),
        ("She's", ["She", "'s"]),
        ("Du", ["De", "le"]),
        ("DU", ["DE", "LE"]),
    ],
)
def test_letters_keep_their_case(form: str, words: list[str]) -> None:
    examples = [("isn't", ["is", "n't"]), ("it's", ["it", "'s"]), ("du", ["de", "le"])]
    assert Expansion.learn(examples).words(form) == words


def test_without_examples_a_form_stays_whole() -> None:
    assert Expansion.learn([]).words("don't") == ["don't"]
