"""Accuracy of labels of words, column by column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from turbotree.errors import InputError
from turbotree.evaluation.counts import Counts, counts_table, percentage


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
        return "\n".join([*lines, *counts_table("tag", self.tags)])


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
    in_gold: Counter[str] = Counter()
    in_predicted: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for number, (one, other) in enumerate(zip_longest(gold, predicted), start=1):
        if one is None or other is None:
            shorter = "gold" if one is None else "predicted"
            raise InputError(f"sentence {number}: the {shorter} tags end before it")
        if len(one) != len(other):
            raise InputError(
                f"sentence {number}: {len(other)} tags were predicted, expected {len(one)}"
            )
        in_gold.update(one)
        in_predicted.update(other)
        right.update(a for a, b in zip(one, other, strict=True) if a == b)
    names = sorted(in_gold | in_predicted)
    return TagScores(
        in_gold.total(),
        right.total(),
        {name: Counts(in_gold[name], in_predicted[name], right[name]) for name in names},
    )
