"""No sentence is annotated by a model that has seen it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.pipeline.jackknife import documents, fold_numbers, jackknife
from turbotree.pipeline.training import jackknife_tags
from turbotree.text import Sentence


def numbered(count: int, starts: Iterable[int] = ()) -> list[Sentence]:
    return [
        Sentence.from_words([str(i)], comments=["newdoc id = x"] if i in starts else [])
        for i in range(count)
    ]


@given(st.integers(2, 60), st.integers(2, 5), st.sets(st.integers(0, 59)))
def test_models_never_see_what_they_annotate(count: int, folds: int, starts: set[int]) -> None:
    if count < folds:
        return
    sentences = numbered(count, starts)

    def train(others: list[Sentence], fold: int):
        seen = {sentence.forms[0] for sentence in others}

        def annotate(some: Sequence[Sentence]) -> Iterable[Sentence]:
            assert not seen & {sentence.forms[0] for sentence in some}
            return [sentence.replace(upos=[str(fold)]) for sentence in some]

        return annotate

    found = jackknife(sentences, train, folds=folds)
    assert [s.forms for s in found] == [s.forms for s in sentences]
    assert {s.upos[0] for s in found} == {str(fold) for fold in range(folds)}


def test_documents_stay_together() -> None:
    sentences = numbered(9, {0, 2, 5, 8})
    assert documents(sentences) == [range(2), range(2, 5), range(5, 8), range(8, 9)]
    numbers = fold_numbers(sentences, 2)
    assert [len({numbers[i] for i in part}) for part in documents(sentences)] == [1, 1, 1, 1]


def test_too_few_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="2 sentences cannot be split into 3 folds"):
        fold_numbers(numbered(2), 3)
    with pytest.raises(InputError, match="folds is 1"):
        fold_numbers(numbered(2), 1)


def test_trees_stay_while_tags_change(sentences: list[Sentence]) -> None:
    some = sentences[:40]
    tagged = jackknife_tags(some, folds=2, fold_epochs=1)
    assert [s.heads for s in tagged] == [s.heads for s in some]
    assert [s.labels for s in tagged] == [s.labels for s in some]
    assert [s.upos for s in tagged] != [s.upos for s in some]
