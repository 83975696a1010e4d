"""Span F1 of label sequences, counted as the CoNLL shared tasks count it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from turbotree.errors import InputError
from turbotree.evaluation.alignment import aligned_tags
from turbotree.evaluation.counts import Counts, Tally, by_frequency, counts_table, percentage

__all__ = ["Span", "SpanScores", "find_spans", "span_scores"]

# BILOU says L and U for what BIOES calls E and S.
_PREFIXES = {"B": "B", "I": "I", "E": "E", "L": "E", "S": "S", "U": "S"}


class Span(NamedTuple):
    """Words `start` to `end` (from 0, `end` excluded) that form one chunk of a type."""

    start: int
    end: int
    type: str


@dataclass(frozen=True)
class SpanScores:
    """What :func:`span_scores` found; figures are in per cent, ``to_dict()`` is for JSON."""

    sentences: int
    words: int
    right_tags: int
    spans: Counts
    types: dict[str, Counts] = field(repr=False)

    @property
    def f1(self) -> float:
        """Span F1 over all types."""
        return self.spans.f1

    @property
    def accuracy(self) -> float:
        """Share of the words with exactly the right tag."""
        return percentage(self.right_tags, self.words)

    def to_dict(self) -> dict[str, Any]:
        """Give all figures, rounded to two places, for JSON."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "accuracy": round(self.accuracy, 2),
            **self.spans.to_dict(),
            "types": {name: row.to_dict() for name, row in sorted(self.types.items())},
        }

    def __str__(self) -> str:
        """Lay out the figures as a table for people."""
        lines = [
            f"{self.sentences} sentences, {self.words} words, tag accuracy {self.accuracy:.2f}",
            f"{self.spans.gold} spans, {self.spans.predicted} predicted, {self.spans.right} right:"
            f" precision {self.spans.precision:.2f}, recall {self.spans.recall:.2f},"
            f" F1 {self.spans.f1:.2f}",
            "",
            *counts_table("type", by_frequency(self.types)),
        ]
        return "\n".join(lines)


def find_spans(tags: Sequence[str]) -> list[Span]:
    """Give the chunks that a sentence's tags stand for.

    IOB1, IOB2 (BIO), IOE, BIOES and BILOU are all understood without being told which it is,
    and an odd sequence (``I-PER`` after ``O`` or after ``B-LOC``) starts a chunk, as in the
    shared tasks' conlleval.

    Examples
    --------
    >>> find_spans(["B-LOC", "I-LOC", "O", "I-PER", "B-PER"])
    [Span(start=0, end=2, type='LOC'), Span(start=3, end=4, type='PER'),
     Span(start=4, end=5, type='PER')]
    """
    found: list[Span] = []
    start, before, type_before = 0, "O", ""
    for place, tag in enumerate([*tags, "O"]):
        prefix, type_ = _split(tag)
        begins = prefix != "O" and (prefix in "BS" or before in "OES" or type_ != type_before)
        if before != "O" and (begins or prefix == "O"):
            found.append(Span(start, place, type_before))
        if begins:
            start = place
        before, type_before = prefix, type_
    return found


def span_scores(
    gold_labels: Iterable[Sequence[str]], predicted_labels: Iterable[Sequence[str]]
) -> SpanScores:
    """Compare predicted tag sequences with gold ones, span by span.

    Parameters
    ----------
    gold_labels, predicted_labels : iterable of sequences of str
        One sequence of tags (``B-NP``, ``I-NP``, ``O``) for each sentence.

    Returns
    -------
    SpanScores
        Counts and percentages over all spans and by type; ``str()`` gives a table.

    Raises
    ------
    InputError
        If the numbers of sentences or tags differ, or a tag is none of the known kinds.

    Examples
    --------
    >>> gold = [["B-LOC", "I-LOC", "O", "B-PER"]]
    >>> scores = span_scores(gold, [["B-LOC", "O", "O", "B-PER"]])
    >>> scores.spans.precision, scores.spans.recall, scores.f1, scores.accuracy
    (50.0, 50.0, 50.0, 75.0)
    """
    sentences = words = right_tags = 0
    tally = Tally()
    for number, gold, predicted in aligned_tags(gold_labels, predicted_labels):
        try:
            gold_spans, predicted_spans = set(find_spans(gold)), set(find_spans(predicted))
        except InputError as error:
            raise InputError(f"sentence {number}: {error}") from None
        sentences += 1
        words += len(gold)
        right_tags += sum(map(str.__eq__, gold, predicted))
        sets = (gold_spans, predicted_spans, gold_spans & predicted_spans)
        tally.add(*((span.type for span in spans) for spans in sets))
    return SpanScores(sentences, words, right_tags, tally.total, tally.counts)


def _split(tag: str) -> tuple[str, str]:
    if tag == "O":
        return "O", ""
    prefix, _, type_ = tag.partition("-")
    if prefix not in _PREFIXES:
        raise InputError(f"tag {tag!r} is neither 'O' nor 'B-...', 'I-...', 'E-...', 'S-...'")
    return _PREFIXES[prefix], type_
