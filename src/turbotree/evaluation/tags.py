"""Accuracy of labels of words, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from turbotree.evaluation.alignment import aligned_tags
from turbotree.evaluation.counts import Counts, Tally, by_frequency, counts_table, percentage


@dataclass(frozen=True)
class TagScores:
    """What :func:`tag_scores` found; figures are in per cent, ``to_dict()`` is for JSON."""

    words: int
    right: int
    tags: dict[str, Counts] = field(repr=False)

    @property
    def accuracy(self) -> float:
        """Share of the words with the right tag."""
        return percentage(self.right, self.words)

    def to_dict(self) -> dict[str, Any]:
        """Give all figures, rounded to two places, for JSON."""
        return {
            "words": self.words,
            "accuracy": round(self.accuracy, 2),
            "tags": {name: row.to_dict() for name, row in sorted(self.tags.items())},
        }

    def __str__(self) -> str:
        """Lay out the figures as a table for people."""
        lines = [f"{self.words} words, {self.right} right: accuracy {self.accuracy:.2f}", ""]
        return "\n".join([*lines, *counts_table("tag", by_frequency(self.tags))])


def tag_scores(gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> TagScores:
    """Compare predicted tags with gold ones, word by word.

    Parameters
    ----------
    gold, predicted : iterable of sequences of str
        One sequence of tags for each sentence.

    Raises
    ------
    InputError
        If the numbers of sentences or tags differ.

    Examples
    --------
    >>> tag_scores([["NOUN", "VERB"]], [["NOUN", "NOUN"]]).accuracy
    50.0
    """
    tally = Tally()
    for _, one, other in aligned_tags(gold, predicted):
        tally.add(one, other, (a for a, b in zip(one, other, strict=True) if a == b))
    return TagScores(tally.total.gold, tally.total.right, tally.counts)
