"""Spans as labels and back, and which labels may follow one another."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import Span, find_spans
from turbotree.labeling import SCHEMES, convert, detect_scheme, spans_to_tags
from turbotree.labeling.schemes import letter_in, span_transitions


@st.composite
def span_rows(draw):
    spans, place = [], 0
    for _ in range(draw(st.integers(0, 4))):
        start = place + draw(st.integers(0, 2))
        place = start + draw(st.integers(1, 3))
        spans.append(Span(start, place, draw(st.sampled_from(["X", "Y-Z"]))))
    return spans, place + draw(st.integers(0, 2))


@given(span_rows(), st.sampled_from(SCHEMES))
def test_spans_come_back_from_every_scheme(row, scheme):
    spans, words = row
    tags = spans_to_tags(spans, words, scheme)
    assert len(tags) == words
    assert find_spans(tags) == spans


@given(span_rows(), st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_converting_there_and_back_changes_nothing(row, one, other):
    tags = spans_to_tags(*row, one)
    assert convert(convert(tags, other), one) == tags


@given(span_rows(), st.sampled_from(SCHEMES))
def test_a_scheme_is_recognised_unless_another_writes_the_same(row, scheme):
    tags = spans_to_tags(*row, scheme)
    found = detect_scheme([tags])
    assert convert(tags, found) == tags


@given(span_rows(), st.sampled_from(["bio", "bilou"]))
def test_one_label_of_bioes_is_enough_to_write_it_otherwise(row, scheme):
    tags = spans_to_tags(*row, "bioes")
    assert [letter_in(tag, scheme) for tag in tags] == convert(tags, scheme)


@pytest.mark.parametrize("scheme", ["bio", "bioes"])
def test_exactly_what_spans_can_be_written_as_is_allowed(scheme):
    letters = "BI" if scheme == "bio" else "BIES"
    labels = ["O", *(f"{letter}-{type_}" for letter in letters for type_ in "XY")]
    transitions = span_transitions(labels, scheme)
    for length in (1, 2, 3):
        for row in itertools.product(range(len(labels)), repeat=length):
            allowed = (
                transitions.starts[row[0]]
                and transitions.ends[row[-1]]
                and all(transitions.allowed[a, b] for a, b in itertools.pairwise(row))
            )
            tags = [labels[x] for x in row]
            assert allowed == (convert(tags, scheme) == tags), tags


def test_a_model_works_with_bio_or_bioes_inside():
    with pytest.raises(InputError, match="bio or bioes"):
        span_transitions(["O"], "iob1")
