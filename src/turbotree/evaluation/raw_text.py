"""Scores from raw text: tokens, sentences and all that hangs on them, aligned by characters.

The figures are those of the CoNLL 2018 shared task. White space aside, both sides have the same
characters; a token is right if it begins and ends where a gold one does. Words are aligned by
their tokens' places, those of multiword tokens by the longest common row of forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from turbotree.errors import InputError
from turbotree.evaluation.counts import Counts, counts_table
from turbotree.text import Sentence
from turbotree.text.surface import surface_tokens

__all__ = ["RawScores", "raw_scores"]

#: Features that all treebanks share; others are not compared.
UNIVERSAL_FEATURES = frozenset(
    {
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy"),
        *("Number", "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect"),
        *("Voice", "Evident", "Polarity", "Person", "Polite"),
    }
)


class _Word(NamedTuple):
    """A word and where its token stands; `head` counts words of the whole text, -1 is the root."""

    start: int
    end: int
    multiword: bool
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str


class _Side(NamedTuple):
    characters: str
    tokens: set[tuple[int, int]]
    sentences: set[tuple[int, int]]
    words: list[_Word]


@dataclass(frozen=True)
class RawScores:
    """What :func:`raw_scores` found: counts of each figure, with precision, recall and F1.

    Attributes
    ----------
    figures
        ``tokens``, ``sentences``, ``words``, ``UPOS``, ``XPOS``, ``UFeats``, ``lemmas``, ``UAS``,
        ``LAS`` (the whole relation) and ``LAS universal`` (without subtypes, as in the shared
        task).
    """

    figures: dict[str, Counts]

    def f1(self, name: str) -> float:
        """Return one of the figures, in per cent."""
        return self.figures[name].f1

    def to_dict(self) -> dict[str, Any]:
        """Give all figures, rounded to two places, for JSON."""
        return {name: counts.to_dict() for name, counts in self.figures.items()}

    def __str__(self) -> str:
        """Lay out the figures as a table for people."""
        return "\n".join(counts_table("", self.figures))


def raw_scores(gold: Iterable[Sentence], predicted: Iterable[Sentence]) -> RawScores:
    """Compare sentences that were made of the same text, whatever their tokens are.

    Raises
    ------
    InputError
        If the texts differ in more than white space.

    Examples
    --------
    >>> gold = [Sentence.from_words(["can", "not"], upos=["AUX", "PART"], heads=[0, 1])]
    >>> found = [Sentence.from_words(["cannot"], upos=["AUX"], heads=[0])]
    >>> raw_scores(gold, found).figures["tokens"].f1
    0.0
    """
    one, other = _side(gold), _side(predicted)
    if one.characters != other.characters:
        at = _first_difference(one.characters, other.characters)
        raise InputError(
            f"the texts differ at character {at + 1} (white space not counted): "
            f"{other.characters[at : at + 20]!r}, in the gold file {one.characters[at : at + 20]!r}"
        )
    pairs = aligned_words(one.words, other.words)
    partner = {b: a for a, b in pairs}

    def right(test: Callable[[_Word, _Word], bool]) -> Counts:
        count = sum(test(one.words[a], other.words[b]) for a, b in pairs)
        return Counts(len(one.words), len(other.words), count)

    def same_head(a: _Word, b: _Word) -> bool:
        return a.head == (b.head if b.head < 0 else partner.get(b.head, -2)) != -3

    return RawScores(
        {
            "tokens": _set_counts(one.tokens, other.tokens),
            "sentences": _set_counts(one.sentences, other.sentences),
            "words": right(lambda a, b: True),
            "UPOS": right(lambda a, b: a.upos == b.upos),
            "XPOS": right(lambda a, b: a.xpos == b.xpos),
            "UFeats": right(lambda a, b: _universal(a.feats) == _universal(b.feats)),
            "lemmas": right(lambda a, b: a.lemma in ("_", b.lemma)),
            "UAS": right(same_head),
            "LAS": right(lambda a, b: same_head(a, b) and a.deprel == b.deprel),
            "LAS universal": right(
                lambda a, b: same_head(a, b) and a.deprel.split(":")[0] == b.deprel.split(":")[0]
            ),
        }
    )


def aligned_words(gold: Sequence[_Word], predicted: Sequence[_Word]) -> list[tuple[int, int]]:
    """Return the pairs of words that are the same, by number."""
    regions = _multiword_regions([*gold, *predicted])
    inside: list[tuple[list[int], list[int]]] = [([], []) for _ in regions]
    places: dict[tuple[int, int], int] = {}
    pairs: list[tuple[int, int]] = []
    for side, words in enumerate((gold, predicted)):
        at = 0
        for number, word in enumerate(words):
            while at < len(regions) and regions[at][1] <= word.start:
                at += 1
            if at < len(regions) and regions[at][0] <= word.start and word.end <= regions[at][1]:
                inside[at][side].append(number)
            elif side == 0:
                places[word.start, word.end] = number
            elif (word.start, word.end) in places:
                pairs.append((places[word.start, word.end], number))
    for one, other in inside:
        forms = [gold[a].form.lower() for a in one], [predicted[b].form.lower() for b in other]
        pairs += [(one[i], other[j]) for i, j in common_row(*forms)]
    return sorted(pairs)


def _multiword_regions(words: Iterable[_Word]) -> list[tuple[int, int]]:
    """Join the places of multiword tokens of both sides where they overlap."""
    regions: list[tuple[int, int]] = []
    for start, end in sorted({(word.start, word.end) for word in words if word.multiword}):
        if regions and start < regions[-1][1]:
            regions[-1] = regions[-1][0], max(end, regions[-1][1])
        else:
            regions.append((start, end))
    return regions


def common_row(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence, as pairs of places.

    >>> common_row(["a", "b", "c"], ["b", "x", "c"])
    [(1, 0), (2, 2)]
    """
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if one[i] == other[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    pairs = []
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _side(sentences: Iterable[Sentence]) -> _Side:
    pieces: list[str] = []
    tokens: set[tuple[int, int]] = set()
    spans: set[tuple[int, int]] = set()
    words: list[_Word] = []
    at = 0
    for sentence in sentences:
        first_word, start = len(words), at
        columns = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.labels)
        for token in surface_tokens(sentence):
            form = "".join(token.form.split())
            end = at + len(form)
            tokens.add((at, end))
            pieces.append(form)
            for number in range(token.first - 1, token.last):
                head = sentence.heads[number]
                lemma, upos, xpos, feats, deprel = (column[number] for column in columns)
                words.append(
                    _Word(
                        at,
                        end,
                        token.last > token.first,
                        sentence.forms[number],
                        lemma,
                        upos,
                        xpos,
                        feats,
                        # No head is no word's number, so it is never right.
                        -3 if head is None else first_word + head - 1 if head else -1,
                        deprel,
                    )
                )
            at = end
        spans.add((start, at))
    return _Side("".join(pieces), tokens, spans, words)


def _set_counts(gold: set[tuple[int, int]], predicted: set[tuple[int, int]]) -> Counts:
    return Counts(len(gold), len(predicted), len(gold & predicted))


def _universal(feats: str) -> list[str]:
    return sorted(
        entry for entry in feats.split("|") if entry.split("=", 1)[0] in UNIVERSAL_FEATURES
    )


def _first_difference(one: str, other: str) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))
