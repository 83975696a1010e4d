"""Attachment scores: how many words got the right head, and the right relation to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from turbotree.evaluation.alignment import TreeLike, aligned
from turbotree.evaluation.counts import Counts, Tally, by_frequency, counts_table, percentage
from turbotree.evaluation.shape import shape

__all__ = ["AttachmentScores", "WordScores", "attachment_scores"]


@dataclass(frozen=True)
class WordScores:
    """Counts over a set of words; the figures are in per cent."""

    words: int
    right_heads: int
    right_arcs: int
    """Words with the right head and relation."""
    right_universal_arcs: int
    """The same, with relations cut at the colon."""
    right_labels: int
    """Words with the right relation, whatever their head."""

    @property
    def uas(self) -> float:
        """Unlabelled attachment score."""
        return percentage(self.right_heads, self.words)

    @property
    def las(self) -> float:
        """Labelled attachment score."""
        return percentage(self.right_arcs, self.words)

    @property
    def las_universal(self) -> float:
        """Labelled attachment score without the subtypes of relations."""
        return percentage(self.right_universal_arcs, self.words)

    @property
    def label_accuracy(self) -> float:
        """Share of the words with the right relation."""
        return percentage(self.right_labels, self.words)


@dataclass(frozen=True)
class AttachmentScores:
    """What :func:`attachment_scores` found; figures are in per cent, ``to_dict()`` is for JSON."""

    sentences: int
    all_words: WordScores
    without_punctuation: WordScores
    """Words other than those whose gold UPOS is PUNCT."""
    exact_unlabelled: int
    """Sentences with all heads right."""
    exact: int
    """Sentences with all heads and relations right."""
    trees: int
    """Predicted sentences that are trees."""
    one_root: int
    """Predicted sentences with exactly one word under the root."""
    nonprojective: Counts
    """Non-projective arcs; right are those in both trees."""
    relations: dict[str, Counts] = field(repr=False)
    """Words by relation; right means the right head as well."""

    @property
    def words(self) -> int:
        """Number of words."""
        return self.all_words.words

    @property
    def uas(self) -> float:
        """Unlabelled attachment score over all words."""
        return self.all_words.uas

    @property
    def las(self) -> float:
        """Labelled attachment score over all words."""
        return self.all_words.las

    def _figures(self) -> dict[str, float]:
        figures = {
            "UAS": self.all_words.uas,
            "LAS": self.all_words.las,
            "LAS_univ": self.all_words.las_universal,
            "UAS_nopunct": self.without_punctuation.uas,
            "LAS_nopunct": self.without_punctuation.las,
            "LAS_univ_nopunct": self.without_punctuation.las_universal,
            "label_accuracy": self.all_words.label_accuracy,
            "exact_unlabelled": percentage(self.exact_unlabelled, self.sentences),
            "exact": percentage(self.exact, self.sentences),
            "trees": percentage(self.trees, self.sentences),
            "one_root": percentage(self.one_root, self.sentences),
        }
        return {name: round(value, 2) for name, value in figures.items()}

    def to_dict(self) -> dict[str, Any]:
        """Give all figures, rounded to two places, for JSON."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            **self._figures(),
            "nonprojective": self.nonprojective.to_dict(),
            "relations": {name: row.to_dict() for name, row in sorted(self.relations.items())},
        }

    def __str__(self) -> str:
        """Lay out the figures as a table for people."""
        both = (self.all_words, self.without_punctuation)
        lines = [
            f"{self.sentences} sentences, {self.words} words"
            f" ({self.without_punctuation.words} without punctuation)",
            "",
            "                     all words  without punctuation",
        ]
        for name, attribute in (
            ("UAS", "uas"),
            ("LAS", "las"),
            ("LAS, universal", "las_universal"),
            ("relation alone", "label_accuracy"),
        ):
            values = [getattr(scores, attribute) for scores in both]
            lines.append(f"{name:20} {values[0]:9.2f}  {values[1]:19.2f}")
        figures = self._figures()
        arcs = self.nonprojective
        lines += [
            "",
            f"sentences all right  {figures['exact']:9.2f}"
            f"  (heads alone {figures['exact_unlabelled']:.2f})",
            f"trees                {figures['trees']:9.2f}"
            f"  (with one root {figures['one_root']:.2f})",
            f"non-projective arcs  {arcs.gold} in the gold trees, {arcs.predicted} predicted,"
            f" {arcs.right} in both",
            "",
            *counts_table("relation", by_frequency(self.relations)),
        ]
        return "\n".join(lines)


def attachment_scores(gold: Iterable[TreeLike], predicted: Iterable[TreeLike]) -> AttachmentScores:
    """Compare predicted trees with gold ones.

    Parameters
    ----------
    gold, predicted : iterable of sentences
        The same sentences in the same order. A predicted word without a head counts as wrong.

    Returns
    -------
    AttachmentScores
        Counts and percentages; ``str()`` gives a table.

    Raises
    ------
    InputError
        If the sentences or their words differ, or a gold head is missing.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> words = {"forms": ["Birds", "sing", "."], "upos": ["NOUN", "VERB", "PUNCT"]}
    >>> gold = Some(heads=[2, 0, 2], labels=["nsubj", "root", "punct"], **words)
    >>> predicted = Some(heads=[2, 0, 1], labels=["obj", "root", "punct"], **words)
    >>> scores = attachment_scores([gold], [predicted])
    >>> round(scores.uas, 2), round(scores.las, 2), scores.without_punctuation.uas
    (66.67, 33.33, 100.0)
    """
    counted = {name: _WordCounter() for name in ("all", "without punctuation")}
    totals: Counter[str] = Counter()
    relations = Tally()
    for one, other in aligned(gold, predicted):
        right_heads = 0
        right_labels: list[str] = []
        gold_shape, predicted_shape = shape(one.heads), shape(other.heads)
        crossed = gold_shape.nonprojective & predicted_shape.nonprojective
        columns = zip(one.heads, one.labels, other.heads, other.labels, one.upos, strict=True)
        for word, (head, label, found_head, found_label, upos) in enumerate(columns, start=1):
            head_right, label_right = head == found_head, label == found_label
            universal_right = label_right or label.split(":")[0] == found_label.split(":")[0]
            for counter in counted.values() if upos != "PUNCT" else (counted["all"],):
                counter.add(head_right, label_right, universal_right)
            right_heads += head_right
            if head_right and label_right:
                right_labels.append(label)
            totals["nonprojective right"] += head_right and word in crossed
        relations.add(one.labels, other.labels, right_labels)
        totals["sentences"] += 1
        totals["exact unlabelled"] += right_heads == len(one.forms)
        totals["exact"] += len(right_labels) == len(one.forms)
        totals["trees"] += predicted_shape.is_tree
        totals["one root"] += predicted_shape.roots == 1
        totals["nonprojective gold"] += len(gold_shape.nonprojective)
        totals["nonprojective predicted"] += len(predicted_shape.nonprojective)
    return AttachmentScores(
        sentences=totals["sentences"],
        all_words=counted["all"].scores(),
        without_punctuation=counted["without punctuation"].scores(),
        exact_unlabelled=totals["exact unlabelled"],
        exact=totals["exact"],
        trees=totals["trees"],
        one_root=totals["one root"],
        nonprojective=Counts(
            totals["nonprojective gold"],
            totals["nonprojective predicted"],
            totals["nonprojective right"],
        ),
        relations=relations.counts,
    )


class _WordCounter:
    """A :class:`WordScores` in the making."""

    def __init__(self) -> None:
        self._words = self._heads = self._arcs = self._universal = self._labels = 0

    def add(self, head_right: bool, label_right: bool, universal_right: bool) -> None:
        self._words += 1
        self._heads += head_right
        self._arcs += head_right and label_right
        self._universal += head_right and universal_right
        self._labels += label_right

    def scores(self) -> WordScores:
        return WordScores(self._words, self._heads, self._arcs, self._universal, self._labels)
