"""Variation nuclei: the same words, annotated differently elsewhere.

After Dickinson and Meurers (2003) and, for dependencies, Boyd, Dickinson and Meurers (2008). A
nucleus is a stretch of words that recurs. For arcs it goes from one word to another with all words
between them, and its annotation is the relation of the two ends, with its direction, or that there
is none. For tags it is one word. The more of the surrounding words recur too, the likelier is it
that one of the annotations is wrong. Capital letters do not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.checking.findings import TAG_COLUMNS, Variation
from turbotree.text import Sentence

#: The ends of a nucleus are at most so many words apart.
LONGEST = 4
#: How two words are annotated that have no arc.
UNRELATED = "none"
#: The nuclei that speak of a word's annotation, by what recurs: the stretch from head to dependent,
#: with its neighbours, or the two words alone; the same for pairs that have no arc; the word, and
#: with its neighbours.
ARC_KINDS = ("stretch", "stretch in context", "pair", "unrelated", "unrelated in context")
TAG_KINDS = tuple(f"{column}{end}" for column in TAG_COLUMNS for end in ("", " in context"))

_PRIOR = 0.5
_MOST_PLACES = 3
_EDGE = ""


class Occurrence(NamedTuple):
    """A nucleus in a sentence.

    Attributes
    ----------
    kind
        What recurs: ``"stretch"`` and so on.
    key
        The words that recur.
    annotation
        The relation with its direction, or the tag.
    place, word
        The sentence, and the word whose annotation it is. For two words without an arc, that is
        the one that would be the dependent if the annotation elsewhere held here.
    """

    kind: str
    key: Hashable
    annotation: str
    place: int
    word: int


@dataclass(frozen=True)
class Nuclei:
    """All nuclei of a treebank.

    Attributes
    ----------
    counts
        For each kind and key, how often it has each annotation.
    places
        For each kind, key and annotation, the first sentences and words that have it.

    Examples
    --------
    >>> def tree(labels):
    ...     return Sentence.from_words(["New", "York"], heads=[2, 0], labels=labels)
    >>> nuclei = Nuclei.of([tree(["amod", "root"])] + 3 * [tree(["compound", "root"])])
    >>> nuclei.evidence["stretch"].round(2).tolist()
    [1.95, 0.0, -0.51, 0.0, -0.51, 0.0, -0.51, 0.0]
    >>> [(v.annotated, v.elsewhere, v.elsewhere_count) for v in nuclei.variations(0, 1)]
    [('amod of york', 'compound of york', 3)]
    """

    counts: dict[tuple[str, Hashable], Counter[str]]
    places: dict[tuple[str, Hashable, str], list[tuple[int, int]]]
    evidence: dict[str, FloatArray]
    _sentences: Sequence[Sentence] = field(repr=False)
    _forms: list[tuple[str, ...]] = field(repr=False)
    _linked: set[tuple[str, ...]] = field(repr=False)
    _directions: dict[tuple[str, ...], Counter[bool]] = field(repr=False)

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> Nuclei:
        """Find the nuclei of all sentences."""
        forms = [tuple(form.lower() for form in sentence.forms) for sentence in sentences]
        linked: set[tuple[str, ...]] = set()
        directions: dict[tuple[str, ...], Counter[bool]] = defaultdict(Counter)
        for sentence, own in zip(sentences, forms, strict=True):
            for word, head in enumerate(sentence.heads, 1):
                if head and abs(head - word) <= LONGEST:
                    stretch = own[min(head, word) - 1 : max(head, word)]
                    linked.add(stretch)
                    directions[stretch][head < word] += 1
        lengths = [len(sentence) for sentence in sentences]
        evidence = {name: np.zeros(sum(lengths)) for name in (*ARC_KINDS, *TAG_KINDS)}
        nuclei = cls({}, {}, evidence, sentences, forms, linked, directions)
        nuclei._count()
        nuclei._weigh(np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist())
        return nuclei

    def occurrences(self, place: int) -> Iterator[Occurrence]:
        """Return the nuclei of a sentence."""
        sentence, forms = self._sentences[place], self._forms[place]
        around = (_EDGE, *forms, _EDGE)
        heads = sentence.heads
        for word, head in enumerate(heads, 1):
            if head:
                left, right = min(head, word), max(head, word)
                relation = f"{sentence.labels[word - 1]} {'>' if head < word else '<'}"
                pair = (forms[left - 1], forms[right - 1])
                yield Occurrence("pair", pair, relation, place, word)
                if right - left <= LONGEST:
                    key = forms[left - 1 : right]
                    yield Occurrence("stretch", key, relation, place, word)
                    wide = around[left - 1 : right + 2]
                    yield Occurrence("stretch in context", wide, relation, place, word)
        for left, right in self._unrelated(place):
            key = forms[left - 1 : right]
            votes = self._directions[key]
            word = right if votes[True] >= votes[False] else left
            yield Occurrence("unrelated", key, UNRELATED, place, word)
            wide = around[left - 1 : right + 2]
            yield Occurrence("unrelated in context", wide, UNRELATED, place, word)
        for column in TAG_COLUMNS:
            for word, value in enumerate(sentence.column(column), 1):
                yield Occurrence(column, around[word], value, place, word)
                wide = around[word - 1 : word + 2]
                yield Occurrence(f"{column} in context", wide, value, place, word)

    def _unrelated(self, place: int) -> Iterator[tuple[int, int]]:
        """Return pairs of words without an arc that have one elsewhere."""
        forms, heads = self._forms[place], self._sentences[place].heads
        for left in range(1, len(forms)):
            for right in range(left + 1, min(left + LONGEST, len(forms)) + 1):
                if heads[left - 1] == right or heads[right - 1] == left:
                    continue
                if heads[left - 1] is None or heads[right - 1] is None:
                    continue
                if forms[left - 1 : right] in self._linked:
                    yield left, right

    def _count(self) -> None:
        for place in range(len(self._sentences)):
            for found in self.occurrences(place):
                at = _shared(found.kind), found.key
                self.counts.setdefault(at, Counter())[found.annotation] += 1
                some = self.places.setdefault((*at, found.annotation), [])
                if len(some) < _MOST_PLACES + 1:  # one of them may be the place in question
                    some.append((place, found.word))

    def _weigh(self, starts: Sequence[int]) -> None:
        """Fill in the evidence: the logarithm of the odds of the other annotation elsewhere."""
        for place, start in enumerate(starts[:-1]):
            for found in self.occurrences(place):
                own, _, other = self._compared(found)
                row, word = self.evidence[found.kind], start + found.word - 1
                odds = float(np.log((other + _PRIOR) / (own + _PRIOR)))
                # Several pairs without an arc may speak of a word: the strongest counts.
                row[word] = max(row[word], odds) if found.kind.startswith("unrelated") else odds

    def _compared(self, found: Occurrence) -> tuple[int, str, int]:
        """Return how often its annotation occurs elsewhere, and the usual other one, and its count.

        An annotation that is not there has no name and no count.
        """
        counts = self.counts[_shared(found.kind), found.key]
        own = counts[found.annotation] - 1
        if len(counts) == 1:
            return own, "", 0
        other = max(
            (name for name in counts if name != found.annotation), key=lambda n: (counts[n], n)
        )
        return own, other, counts[other]

    def variations(self, place: int, word: int) -> list[Variation]:
        """Return the nuclei whose usual annotation elsewhere is another one than here.

        Of nested nuclei, the one with most context is given. A tag counts in context only: words
        have several tags by right.
        """
        found: dict[str, Variation] = {}
        for one in self.occurrences(place):
            if one.word != word or one.kind in TAG_COLUMNS or one.kind == "pair":
                continue
            own, other, count = self._compared(one)
            if count > own:
                what = one.kind.removesuffix(" in context")
                found[what] = self._variation(one, what, own + 1, other, count)
        return list(found.values())

    def _variation(
        self, one: Occurrence, what: str, here: int, other: str, count: int
    ) -> Variation:
        key = one.key
        assert isinstance(key, tuple)
        if one.kind.endswith("in context"):
            key = key[1:-1]
        sentences = self._sentences
        places = [
            f"{name_of(sentences[place], place)}:{word}"
            for place, word in self.places[_shared(one.kind), one.key, other]
            if (place, word) != (one.place, one.word)
        ]
        is_arc = what not in TAG_COLUMNS
        return Variation(
            "arc" if is_arc else what,
            key,
            _said(one.annotation, key) if is_arc else one.annotation,
            _said(other, key) if is_arc else other,
            here,
            count,
            tuple(places[:_MOST_PLACES]),
        )


def name_of(sentence: Sentence, place: int) -> str:
    """Return a sentence's name, or its number from 1."""
    return sentence.sent_id or str(place + 1)


def _shared(kind: str) -> str:
    """Return the kind under which an occurrence is counted: with and without an arc are one."""
    return kind.replace("unrelated", "stretch")


def _said(relation: str, key: Sequence[str]) -> str:
    """Say how the ends of a stretch are related."""
    if relation == UNRELATED:
        return f"{key[0]} and {key[-1]} unrelated"
    label, _, direction = relation.rpartition(" ")
    return f"{label} of {key[0] if direction == '>' else key[-1]}"
