"""Span F1 against the shared tasks' rules, stated as a table of transitions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import Counts, find_spans, span_scores

TAGS = st.sampled_from(["O", *(f"{p}-{t}" for p in "BIES" for t in ("LOC", "PER"))])


def spans_by_transitions(tags: list[str]) -> set[tuple[int, int, str]]:
    """Two tables, as conlleval has them: which pairs of prefixes end a chunk, which begin one."""
    ends = {"BB", "BS", "BO", "IB", "IS", "IO", "EE", "EI", "EO", "EB", "ES"} | {
        "S" + after for after in "BIESO"
    }
    begins = {"BB", "IB", "OB", "EB", "SB", "OI", "EI", "SI", "OE", "EE", "SE"} | {
        before + "S" for before in "BIESO"
    }
    found, start = set(), None
    before = "O"
    for place, tag in enumerate([*tags, "O"]):
        pair = before[0] + tag[0]
        other_type = before[2:] != tag[2:]
        if before != "O" and (pair in ends or other_type):
            found.add((start, place, before[2:]))
        if tag != "O" and (pair in begins or other_type):
            start = place
        before = tag
    return found


@given(st.lists(TAGS, max_size=8))
def test_any_sequence_of_tags_is_read_as_conlleval_reads_it(tags: list[str]) -> None:
    assert {tuple(span) for span in find_spans(tags)} == spans_by_transitions(tags)


@pytest.mark.parametrize(
    "tags",
    [
        "B-NP I-NP I-NP O B-NP B-NP B-VP",  # IOB2
        "I-NP I-NP I-NP O I-NP B-NP I-VP",  # IOB1
        "I-NP I-NP E-NP O E-NP E-NP E-VP",  # IOE2
        "B-NP I-NP E-NP O S-NP S-NP S-VP",  # BIOES
        "B-NP I-NP L-NP O U-NP U-NP U-VP",  # BILOU
    ],
)
def test_all_notations_of_the_same_spans_are_understood(tags: str) -> None:
    assert find_spans(tags.split()) == [
        (0, 3, "NP"),
        (4, 5, "NP"),
        (5, 6, "NP"),
        (6, 7, "VP"),
    ]


@given(
    st.lists(
        st.lists(st.tuples(TAGS, TAGS), max_size=6),
        max_size=4,
    )
)
def test_counts_are_sizes_of_sets_of_spans(sentences: list[list[tuple[str, str]]]) -> None:
    gold = [[one for one, _ in sentence] for sentence in sentences]
    predicted = [[other for _, other in sentence] for sentence in sentences]
    scores = span_scores(gold, predicted)

    def located(labels: list[list[str]]) -> set[tuple]:
        return {(i, *span) for i, tags in enumerate(labels) for span in spans_by_transitions(tags)}

    one, other = located(gold), located(predicted)
    assert scores.spans == Counts(len(one), len(other), len(one & other))
    for name, counts in scores.types.items():
        sizes = [sum(s[3] == name for s in some) for some in (one, other, one & other)]
        assert counts == Counts(*sizes)
    assert scores.words == sum(map(len, gold))
    assert scores.right_tags == sum(a == b for sentence in sentences for a, b in sentence)


def test_a_worked_example() -> None:
    # 3 gold spans, 4 predicted, 2 right: P 1/2, R 2/3, F1 4/7.
    scores = span_scores(
        [["B-LOC", "I-LOC", "O", "B-PER", "B-ORG"]], [["B-LOC", "I-LOC", "B-LOC", "B-PER", "B-PER"]]
    )
    assert scores.spans.precision == pytest.approx(50)
    assert scores.spans.recall == pytest.approx(200 / 3)
    assert scores.f1 == pytest.approx(400 / 7)
    assert scores.accuracy == pytest.approx(60)
    assert json.loads(json.dumps(scores.to_dict()))["F1"] == 57.14
    assert "57.14" in str(scores)
    assert "ORG" in str(scores)


def test_types_may_hold_dashes_or_be_absent() -> None:
    assert find_spans(["B-A-B", "I-A-B", "B"]) == [(0, 2, "A-B"), (2, 3, "")]


def test_no_sentences_score_0() -> None:
    assert span_scores([], []).f1 == 0.0


def test_bad_input_names_the_sentence() -> None:
    for gold, predicted, message in [
        ([["O"]], [["O", "O"]], "sentence 1: 2 tags were predicted, expected 1"),
        ([["O"], ["O"]], [["O"]], "sentence 2: the predicted tags end before it"),
        ([["O"]], [["O"], ["O"]], "sentence 2: the gold tags end before it"),
        ([["O"]], [["X-LOC"]], "sentence 1: tag 'X-LOC' is neither"),
        ([[""]], [["O"]], "sentence 1: tag '' is neither"),
    ]:
        with pytest.raises(InputError, match=message):
            span_scores(gold, predicted)
