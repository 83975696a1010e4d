"""All that speaks for or against the annotation of a word, as numbers.

Three sources: what models think of it (:mod:`~turbotree.checking.opinions`), the rules that it
breaks (:mod:`~turbotree.checking.guidelines`) and how the same words are annotated elsewhere
(:mod:`~turbotree.checking.variation`). A model's doubt means less where models are often in doubt:
with words of that kind, in that sentence, between those two labels. So the circumstances stand
beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, LongArray
from turbotree.checking.findings import COLUMNS, BrokenRule
from turbotree.checking.opinions import Opinions
from turbotree.checking.variation import Nuclei
from turbotree.text import Sentence


@dataclass(frozen=True)
class Evidence:
    """One row of numbers per word of a treebank.

    Attributes
    ----------
    names
        What the numbers are, column by column.
    rows
        The numbers; larger ones speak against the annotation.
    surprise
        For each word, the negative logarithm of the probability of all that is annotated.
    """

    names: tuple[str, ...]
    rows: FloatArray
    surprise: FloatArray

    def chosen(self, source: str) -> FloatArray:
        """Return the numbers of one source."""
        columns = [place for place, name in enumerate(self.names) if name.startswith(source)]
        return self.rows[:, columns]


def gather(
    sentences: Sequence[Sentence],
    opinions: Opinions,
    broken: Sequence[dict[int, tuple[BrokenRule, ...]]],
    nuclei: Nuclei,
) -> Evidence:
    """Put the evidence of all sources together.

    Parameters
    ----------
    sentences
        The treebank.
    opinions
        What models that have not seen each sentence think of its words, in order.
    broken
        For each sentence, the rules that its words break.
    nuclei
        Its variation nuclei.
    """
    words = _Words(sentences)
    numbers: dict[str, FloatArray] = {}
    surprises, margins = {}, {}
    for name in COLUMNS:
        if name in opinions.columns:
            own = opinions.columns[name]
            surprises[name] = -np.log(own.chances)
            margins[name] = np.log(own.other_chances) + surprises[name]
            numbers[f"probability: {name} surprise"] = surprises[name]
            numbers[f"probability: {name} margin"] = margins[name]
    total = np.sum(list(surprises.values()), axis=0)
    numbers["probability: surprise"] = total
    numbers["probability: largest margin"] = np.max(list(margins.values()), axis=0)
    numbers["probability: entropy"] = opinions.entropies
    numbers["probability: tree disagrees"] = (opinions.heads != words.heads) + 0.0
    numbers["probability: label disagrees"] = (opinions.labels != words.labels) + 0.0
    numbers |= _circumstances(words, opinions, surprises, margins)
    numbers |= _rule_numbers(words, broken)
    for kind, row in nuclei.evidence.items():
        numbers[f"variation: {kind}"] = row
    return Evidence(tuple(numbers), np.column_stack(list(numbers.values())), total)


class _Words:
    """The annotation of all words in one row; heads count within their sentences."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.lengths = np.array([len(sentence) for sentence in sentences])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])
        self.sentence_of = np.repeat(np.arange(len(sentences)), self.lengths)
        self.heads = np.array(
            [-1 if head is None else head for one in sentences for head in one.heads]
        )
        self.labels = np.array([label for one in sentences for label in one.labels])
        self.tags = np.array([tag for one in sentences for tag in one.upos])
        #: The place of each word's head among all words; that of the word itself under the root.
        own = np.arange(len(self.heads))
        above = self.starts[self.sentence_of] + self.heads - 1
        self.above: LongArray = np.where(self.heads > 0, above, own)


def _circumstances(
    words: _Words,
    opinions: Opinions,
    surprises: dict[str, FloatArray],
    margins: dict[str, FloatArray],
) -> dict[str, FloatArray]:
    """Return how usual doubts are with such words, in that sentence and around the word."""
    head, label = surprises["head"], surprises["label"]
    both = head + label
    sums = np.bincount(words.sentence_of, both)[words.sentence_of]
    mean = (sums - both + both.mean()) / words.lengths[words.sentence_of]
    has_head = words.heads > 0
    below = np.zeros(len(both))
    np.maximum.at(below, words.above[has_head], both[has_head])
    found = {
        "probability: surprise of the sentence": mean,
        "probability: surprise of the head": np.where(has_head, both[words.above], 0.0),
        "probability: surprise of dependents": below,
        "probability: label margin of dependents": _largest_below(words, margins["label"]),
        "probability: usual head surprise of the label": _mean_by(words.labels, head),
        "probability: usual label surprise of the label": _mean_by(words.labels, label),
        "probability: usual head surprise of the tag": _mean_by(words.tags, head),
        "probability: confusion of labels": _confusion(
            words.labels, opinions.columns["label"].others, margins["label"]
        ),
    }
    if "upos" in margins:
        others = opinions.columns["upos"].others
        found["probability: confusion of tags"] = _confusion(words.tags, others, margins["upos"])
    # Two labels of a tree that the parser finds otherwise: how often these two are exchanged.
    found["probability: confusion with the tree"] = _confusion(
        words.labels, opinions.labels, (opinions.labels != words.labels) - 0.5
    )
    return found


def _largest_below(words: _Words, values: FloatArray) -> FloatArray:
    below = np.full(len(values), -10.0)
    has_head = words.heads > 0
    np.maximum.at(below, words.above[has_head], values[has_head])
    return below


def _mean_by(groups: npt.NDArray[np.str_], values: FloatArray) -> FloatArray:
    """Return for each word the mean of its group, drawn towards that of all words."""
    _, numbers = np.unique(groups, return_inverse=True)
    sums, counts = np.bincount(numbers, values), np.bincount(numbers)
    means = (sums + 5.0 * values.mean()) / (counts + 5.0)
    found: FloatArray = means[numbers]
    return found


def _confusion(
    annotated: npt.NDArray[np.str_], others: npt.NDArray[np.str_], margins: FloatArray
) -> FloatArray:
    """Return how unusual it is that models prefer this value to that one; 0 where they do not."""
    doubted = margins > 0
    pairs = Counter(zip(annotated[doubted].tolist(), others[doubted].tolist(), strict=True))
    totals = Counter(annotated.tolist())
    found = np.zeros(len(annotated))
    for place in np.flatnonzero(doubted).tolist():
        one, other = str(annotated[place]), str(others[place])
        found[place] = -np.log((pairs[one, other] + 0.5) / (totals[one] + 1.0))
    return found


def _rule_numbers(
    words: _Words, broken: Sequence[dict[int, tuple[BrokenRule, ...]]]
) -> dict[str, FloatArray]:
    """Return how many rules are broken, and how rare it is that the rarest of them is."""
    counts: Counter[str] = Counter()
    for own in broken:
        counts.update(rule.name for rules in own.values() for rule in rules)
    number, rarity = np.zeros(len(words.heads)), np.zeros(len(words.heads))
    for start, own in zip(words.starts.tolist(), broken, strict=False):
        for word, rules in own.items():
            number[start + word - 1] = len(rules)
            rarest = min(counts[rule.name] for rule in rules)
            rarity[start + word - 1] = -np.log((rarest + 1.0) / (len(words.heads) + 1.0))
    return {"rules: broken": number, "rules: rarity": rarity}
