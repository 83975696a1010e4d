"""Errors of annotation, injected as people make them.

Four kinds: a wrong head near the right one, a label that words with these tags may have, a tag
that the form may have, and two attachments that are swapped. Trees stay trees, with the roots that
they had. Heads and labels that nobody would confuse are not worth finding, so all choices follow
the counts of the treebank itself.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from turbotree.errors import InputError
from turbotree.text import Sentence, find_cycle

_T = TypeVar("_T")

#: What can be wrong.
HEAD, LABEL, TAG, SWAP = ERROR_KINDS = ("head", "label", "tag", "swap")

#: Columns in which a word can be wrong.
_COLUMNS = ("upos", "xpos", "feats", "head", "deprel")
#: How likely a wrong head is, by its relation to the right one.
_ABOVE, _BESIDE, _ALIKE = 3.0, 2.0, 3.0
#: How often tags are wrong in each column that has any.
_TAG_COLUMNS = (("upos", 0.6), ("xpos", 0.2), ("feats", 0.2))
#: How often a word that is chosen may turn out to have no plausible error, for one that has.
_TRIES = 50


@dataclass(frozen=True, slots=True)
class InjectedError:
    """A word whose annotation was made wrong.

    Attributes
    ----------
    place
        Which of the sentences it is in, from 0.
    word
        Its number in the sentence, from 1.
    kind
        One of ``ERROR_KINDS``.
    """

    place: int
    word: int
    kind: str


class _Columns:
    """The columns of one sentence, to be changed."""

    def __init__(self, sentence: Sentence) -> None:
        self.forms = sentence.forms
        self.values = {name: list(sentence.column(name)) for name in _COLUMNS[:3]}
        self.labels = list(sentence.labels)
        self.heads = [head if head is not None else -1 for head in sentence.heads]
        self.changed: set[int] = set()

    def tag(self, word: int) -> str:
        """Return the tag of a word; that of the root is empty."""
        return self.values["upos"][word - 1] if word > 0 else ""

    def pair(self, word: int) -> tuple[str, str]:
        """Return the tags of a word and its head."""
        return self.tag(word), self.tag(self.heads[word - 1])

    def is_below(self, word: int, above: int) -> bool:
        """Tell whether a word is another one or descends from it."""
        while word > 0 and word != above:
            word = self.heads[word - 1]
        return word == above

    def sentence(self, original: Sentence) -> Sentence:
        """Return the sentence as changed."""
        heads = [None if head < 0 else head for head in self.heads]
        return original.replace(**self.values, head=heads, deprel=self.labels)


class ErrorModel:
    """Which errors are plausible in a treebank, by its own counts."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.labels: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        self.tags: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        self.features: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.filled: Counter[str] = Counter()
        for sentence in sentences:
            self._count(_Columns(sentence))

    def _count(self, columns: _Columns) -> None:
        for word, form in enumerate(columns.forms, 1):
            if columns.heads[word - 1] > 0:
                label = columns.labels[word - 1]
                pair = columns.pair(word)
                self.labels[pair][label] += 1
                self.labels[pair[:1]][label] += 1
            for name, values in columns.values.items():
                value = values[word - 1]
                self.filled[name] += value != "_"
                if name != "feats":
                    for key in _form_keys(name, form):
                        self.tags[key][value] += 1
            for entry in _entries(columns.values["feats"][word - 1]):
                self.features[columns.tag(word), entry.partition("=")[0]][entry] += 1

    def disturb(self, columns: _Columns, word: int, kind: str, chance: random.Random) -> list[int]:
        """Make an error at a word; return the words that are wrong now, none if none fits."""
        disturbers: dict[str, Callable[[_Columns, int, random.Random], list[int]]] = {
            HEAD: self._wrong_head,
            LABEL: self._wrong_label,
            TAG: self._wrong_tag,
            SWAP: self._swapped,
        }
        return disturbers[kind](columns, word, chance)

    def _wrong_head(self, columns: _Columns, word: int, chance: random.Random) -> list[int]:
        head = columns.heads[word - 1]
        if head <= 0:
            return []
        weights: dict[int, float] = {}
        for other in range(1, len(columns.forms) + 1):
            if other == head or columns.tag(other) == "PUNCT" or columns.is_below(other, word):
                continue
            weight = 1.0
            weight += _ABOVE * (other == columns.heads[head - 1])
            weight += _BESIDE * (columns.heads[other - 1] == head)
            weight += _ALIKE * (columns.tag(other) == columns.tag(head))
            weights[other] = weight / abs(other - word)
        if not weights:
            return []
        columns.heads[word - 1] = _drawn(weights, chance)
        return [word]

    def _wrong_label(self, columns: _Columns, word: int, chance: random.Random) -> list[int]:
        if columns.heads[word - 1] <= 0:
            return []
        wrong = self._other_label(columns, word, chance)
        if wrong is None:
            return []
        columns.labels[word - 1] = wrong
        return [word]

    def _other_label(self, columns: _Columns, word: int, chance: random.Random) -> str | None:
        pair, own = columns.pair(word), columns.labels[word - 1]
        for key in (pair, pair[:1]):
            weights = {name: float(n) for name, n in self.labels[key].items() if name != own}
            if weights:
                return _drawn(weights, chance)
        return None

    def _wrong_tag(self, columns: _Columns, word: int, chance: random.Random) -> list[int]:
        shares = {name: share for name, share in _TAG_COLUMNS if self.filled[name]}
        if not shares:
            return []
        name = _drawn(shares, chance)
        values, form = columns.values[name], columns.forms[word - 1]
        if name == "feats":
            wrong = self._other_features(values[word - 1], columns.tag(word), chance)
        else:
            wrong = None
            for key in _form_keys(name, form):
                weights = {
                    tag: float(n) for tag, n in self.tags[key].items() if tag != values[word - 1]
                }
                if weights:
                    wrong = _drawn(weights, chance)
                    break
        if wrong is None:
            return []
        values[word - 1] = wrong
        return [word]

    def _other_features(self, feats: str, tag: str, chance: random.Random) -> str | None:
        entries = _entries(feats)
        if not entries:
            return None
        place = chance.randrange(len(entries))
        own = entries[place]
        counts = self.features[tag, own.partition("=")[0]]
        weights = {entry: float(n) for entry, n in counts.items() if entry != own}
        if weights:
            entries[place] = _drawn(weights, chance)
        else:
            del entries[place]
        return "|".join(entries) or "_"

    def _swapped(self, columns: _Columns, word: int, chance: random.Random) -> list[int]:
        if chance.random() < 0.5:
            return self._turned(columns, word, chance)
        heads, labels = columns.heads, columns.labels
        neighbours = [
            other
            for other in range(max(1, word - 4), min(len(heads), word + 4) + 1)
            if other not in columns.changed
            and heads[other - 1] > 0
            and heads[other - 1] not in (word, heads[word - 1])
            and heads[word - 1] not in (other, 0)
        ]
        chance.shuffle(neighbours)
        for other in neighbours:
            a, b = word - 1, other - 1
            heads[a], heads[b] = heads[b], heads[a]
            if not find_cycle(heads):
                labels[a], labels[b] = labels[b], labels[a]
                return [word, other]
            heads[a], heads[b] = heads[b], heads[a]
        return []

    def _turned(self, columns: _Columns, word: int, chance: random.Random) -> list[int]:
        """Make a word the head of its head."""
        head = columns.heads[word - 1]
        if head <= 0 or head in columns.changed or columns.tag(word) == "PUNCT":
            return []
        heads, labels = columns.heads, columns.labels
        heads[word - 1], heads[head - 1] = heads[head - 1], word
        own, labels[word - 1] = labels[word - 1], labels[head - 1]
        usual = self.labels[columns.pair(head)] or Counter({own: 1})
        labels[head - 1] = _drawn({name: float(n) for name, n in usual.items()}, chance)
        return [word, head]


def inject_errors(
    sentences: Sequence[Sentence],
    share: float,
    *,
    seed: int,
    kinds: Sequence[str] = ERROR_KINDS,
) -> tuple[list[Sentence], list[InjectedError]]:
    """Make the annotation of some words wrong.

    Parameters
    ----------
    sentences
        Sentences with trees; words without a head are left alone.
    share
        Of the words that are to be wrong, between 0 and 1.
    seed
        Decides every random choice.
    kinds
        The kinds of errors, each as often as the others.

    Returns
    -------
    list of Sentence, list of InjectedError
        All sentences, those without errors as they were; and where the errors are, in order.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> sentences = list(treebank(50, seed=1))
    >>> wrong, errors = inject_errors(sentences, 0.05, seed=2)
    >>> words = sum(map(len, sentences))
    >>> abs(len(errors) - 0.05 * words) <= 1
    True
    >>> changed = {error.place for error in errors}
    >>> all((a != b) == (place in changed) for place, (a, b) in enumerate(zip(sentences, wrong)))
    True
    """
    if not 0 <= share < 1:
        raise InputError(f"share is {share}; expected 0 to below 1")
    for kind in kinds:
        if kind not in ERROR_KINDS:
            raise InputError(f"kind of error {kind!r}; expected some of {', '.join(ERROR_KINDS)}")
    model = ErrorModel(sentences)
    chance = random.Random(seed)
    words = [
        (place, word) for place, one in enumerate(sentences) for word in range(1, len(one) + 1)
    ]
    wanted = round(share * len(words))
    chance.shuffle(words)
    columns: dict[int, _Columns] = {}
    errors: list[InjectedError] = []
    tries = 0
    for place, word in words:
        if len(errors) >= wanted or tries > _TRIES * (wanted + 1):
            break
        tries += 1
        own = columns.setdefault(place, _Columns(sentences[place]))
        if word in own.changed:
            continue
        kind = chance.choice(kinds)
        for wrong in model.disturb(own, word, kind, chance):
            own.changed.add(wrong)
            errors.append(InjectedError(place, wrong, kind))
    changed = list(sentences)
    for place, own in columns.items():
        if own.changed:
            changed[place] = own.sentence(sentences[place])
    return changed, sorted(errors, key=lambda error: (error.place, error.word))


def _form_keys(name: str, form: str) -> list[tuple[str, ...]]:
    """Return what says which tags a form may have: itself, its end, anything."""
    lower = form.lower()
    return [(name, "form", lower), (name, "end", lower[-3:]), (name,)]


def _entries(feats: str) -> list[str]:
    return [] if feats == "_" else feats.split("|")


def _drawn(weights: Mapping[_T, float], chance: random.Random) -> _T:
    names = list(weights)
    return chance.choices(names, [weights[name] for name in names])[0]
