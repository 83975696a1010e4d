"""Injected errors are where they are said to be, and leave trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.checking.injection import ERROR_KINDS, inject_errors
from turbotree.errors import InputError
from turbotree.text import Sentence, check_tree, treebank

SENTENCES = list(treebank(40, seed=1))
ROWS = ("upos", "xpos", "feats", "head", "deprel")


def wrong_words(one: Sentence, other: Sentence) -> dict[int, set[str]]:
    """Return the words in which two sentences differ, with the columns."""
    found: dict[int, set[str]] = {}
    for name in ROWS:
        pairs = zip(one.column(name), other.column(name), strict=True)
        for word, (a, b) in enumerate(pairs, 1):
            if a != b:
                found.setdefault(word, set()).add(name)
    return found


@given(st.integers(0, 1000), st.sampled_from([(), *((kind,) for kind in ERROR_KINDS)]))
def test_the_words_that_differ_are_those_listed(seed: int, kinds: tuple[str, ...]) -> None:
    changed, errors = inject_errors(SENTENCES, 0.05, seed=seed, kinds=kinds or ERROR_KINDS)
    listed = {(error.place, error.word): error.kind for error in errors}
    found = {
        (place, word): columns
        for place, (one, other) in enumerate(zip(SENTENCES, changed, strict=True))
        for word, columns in wrong_words(one, other).items()
    }
    assert found.keys() == listed.keys()
    allowed = {"head": {"head"}, "label": {"deprel"}, "swap": {"head", "deprel"}}
    for where, columns in found.items():
        assert columns <= allowed.get(listed[where], {"upos", "xpos", "feats"})


@given(st.integers(0, 1000))
def test_trees_stay_trees_with_their_number_of_roots(seed: int) -> None:
    changed, errors = inject_errors(SENTENCES, 0.1, seed=seed)
    assert errors
    for one, other in zip(SENTENCES, changed, strict=True):
        assert check_tree(other).count(0) == check_tree(one).count(0)


def test_the_seed_decides_everything() -> None:
    assert inject_errors(SENTENCES, 0.05, seed=3) == inject_errors(SENTENCES, 0.05, seed=3)
    assert inject_errors(SENTENCES, 0.05, seed=3) != inject_errors(SENTENCES, 0.05, seed=4)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InputError, match="share is 2; expected 0 to below 1"):
        inject_errors(SENTENCES, 2, seed=1)
    with pytest.raises(InputError, match="kind of error 'lemma'; expected some of head, label"):
        inject_errors(SENTENCES, 0.1, seed=1, kinds=["lemma"])
