"""Agreement of two annotators: attachment in common, and Cohen's kappa of their relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from turbotree.evaluation.alignment import TreeLike, aligned
from turbotree.evaluation.counts import percentage

__all__ = ["Agreement", "agreement"]


@dataclass(frozen=True)
class Agreement:
    """What :func:`agreement` found; neither side is the right one.

    Attributes
    ----------
    sentences, words
        How much both have annotated.
    same_heads, same_arcs
        Words with the same head, and those with the same relation as well.
    relations
        How often the one gave a word the first relation and the other the second.
    """

    sentences: int
    words: int
    same_heads: int
    same_arcs: int
    relations: Mapping[tuple[str, str], int] = field(repr=False)

    @property
    def uas(self) -> float:
        """Share of the words with the same head, in per cent."""
        return percentage(self.same_heads, self.words)

    @property
    def las(self) -> float:
        """Share of the words with the same head and relation, in per cent."""
        return percentage(self.same_arcs, self.words)

    @property
    def same_relations(self) -> int:
        """Words with the same relation, whatever their heads."""
        return sum(count for (one, other), count in self.relations.items() if one == other)

    @property
    def kappa(self) -> float:
        """Cohen's kappa of the relations: 1 is agreement, 0 is what chance would give.

        With :math:`p` the share of equal relations and :math:`e` the share that two annotators
        with the same habits would have by chance, it is :math:`(p - e) / (1 - e)`. Where both
        know a single relation there is nothing to disagree about: it is 1 then.
        """
        if not self.words:
            return 0.0
        own: Counter[str] = Counter()
        others: Counter[str] = Counter()
        for (one, other), count in self.relations.items():
            own[one] += count
            others[other] += count
        by_chance = sum(own[name] * others[name] for name in own)
        left = self.words**2 - by_chance
        return (self.words * self.same_relations - by_chance) / left if left else 1.0

    @classmethod
    def pooled(cls, several: Iterable[Agreement]) -> Agreement:
        """Count several pairs of annotators together, word by word."""
        several = list(several)
        relations: Counter[tuple[str, str]] = Counter()
        for one in several:
            relations.update(one.relations)
        return cls(
            sum(one.sentences for one in several),
            sum(one.words for one in several),
            sum(one.same_heads for one in several),
            sum(one.same_arcs for one in several),
            dict(relations),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give all figures for JSON: shares in per cent, kappa as it is."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "UAS": round(self.uas, 2),
            "LAS": round(self.las, 2),
            "label_agreement": round(percentage(self.same_relations, self.words), 2),
            "kappa": round(self.kappa, 4),
        }

    def __str__(self) -> str:
        """Give the figures in one line for people."""
        return (
            f"{self.sentences} sentences, {self.words} words: same head {self.uas:.2f} %, "
            f"same head and relation {self.las:.2f} %, kappa of relations {self.kappa:.3f}"
        )


def agreement(one: Iterable[TreeLike], other: Iterable[TreeLike]) -> Agreement:
    """Compare two annotators' trees of the same sentences.

    Parameters
    ----------
    one, other : iterable of sentences
        The same sentences in the same order.

    Raises
    ------
    InputError
        If the sentences or their words differ, or a head is missing.

    Examples
    --------
    >>> from turbotree.text import Sentence
    >>> first = Sentence.from_words(["Go", "home"], heads=[0, 1], labels=["root", "obj"])
    >>> second = Sentence.from_words(["Go", "home"], heads=[0, 1], labels=["root", "advmod"])
    >>> found = agreement([first], [second])
    >>> found.uas, found.las, round(found.kappa, 3)
    (100.0, 50.0, 0.333)
    """
    totals: Counter[str] = Counter()
    relations: Counter[tuple[str, str]] = Counter()
    for mine, yours in aligned(one, other):
        totals["sentences"] += 1
        for head, label, found_head, found_label in zip(
            mine.heads, mine.labels, yours.heads, yours.labels, strict=True
        ):
            totals["words"] += 1
            totals["heads"] += head == found_head
            totals["arcs"] += head == found_head and label == found_label
            relations[label, found_label] += 1
    return Agreement(
        totals["sentences"], totals["words"], totals["heads"], totals["arcs"], dict(relations)
    )
