"""From a sentence's strings to the integers that the core works on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.features import _core
from turbotree.text import Sentence

IntArray = npt.NDArray[np.int32]

#: Values of words that are not there: no word in the slot, before the root, behind the last word.
NONE_ID, BEFORE_ID, AFTER_ID = range(_core.FIRST_FREE_ID)
ROOT_ID = _core.FIRST_FREE_ID
RARE_ID = _core.FIRST_FREE_ID + 1
_FIRST_WORD_ID = _core.FIRST_FREE_ID + 2

#: How often a value has to occur in training to get an id of its own; others are "rare".
MIN_COUNTS = {"form": 2, "lower": 2, "lemma": 2, "shape": 2}
_AFFIX_MIN_COUNT = 3

#: Words of a running text repeat; their ids are kept up to this many different ones.
_CACHE_LIMIT = 200_000

# What the attributes of a word are made of.
_Word = tuple[str, str, str, str, str]
# A word's single values, and a list for each set-valued attribute.
_Entry = tuple[list[int], list[list[int]]]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A batch of sentences as integers.

    Attributes
    ----------
    ids
        ``ids[attribute, column]``; sentence ``i`` has the columns ``starts[i]:starts[i + 1]``,
        the first of which is its root.
    starts
        First column of each sentence, and the end.
    sets
        Set-valued attributes, as pairs (offsets, values).
    """

    ids: IntArray
    starts: IntArray
    sets: list[tuple[IntArray, IntArray]]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of words of each sentence."""
        return np.diff(self.starts) - np.int32(1)


def word_shape(form: str) -> str:
    """Return the shape of a word: kinds of characters, runs shortened.

    >>> word_shape("McDonald's"), word_shape("U-2"), word_shape("1,024")
    ('XxXx.x', 'X.d', 'd.d')
    """
    shape: list[str] = []
    for character in form:
        if character.isalpha():
            kind = "X" if character.isupper() else "x"
        elif character.isdigit():
            kind = "d"
        else:
            kind = "."
        if not shape or shape[-1] != kind:
            shape.append(kind)
    return "".join(shape[:8])


def _feats_dict(feats: str) -> dict[str, str]:
    if feats == "_":
        return {}
    return dict(entry.partition("=")[::2] for entry in feats.split("|"))


def _attribute_value(name: str, word: _Word) -> str:
    form, lemma, upos, xpos, feats = word
    if name.startswith("prefix"):
        return form[: int(name[6:])].lower()
    if name.startswith("suffix"):
        return form[-int(name[6:]) :].lower()
    if name.startswith("feats:"):
        return _feats_dict(feats).get(name[6:], "")
    match name:
        case "form":
            return form
        case "lower":
            return form.lower()
        case "lemma":
            return lemma if lemma != "_" else form.lower()
        case "upos":
            return upos
        case "xpos":
            # Treebanks without language-specific tags still deserve the templates that use them.
            return xpos if xpos != "_" else upos
        case "feats":
            return feats
        case "shape":
            return word_shape(form)
    raise ValueError(f"unknown attribute {name!r}")


def _words(sentence: Sentence) -> Iterable[_Word]:
    return zip(
        sentence.forms,
        sentence.lemmas,
        sentence.upos,
        sentence.xpos,
        sentence.feats,
        strict=True,
    )


class Encoder:
    """Maps words to ids with the vocabularies of a training set.

    Parameters
    ----------
    attributes
        Single-valued attributes, in the order of the rows of ``ids``.
    set_attributes
        Set-valued attributes.
    vocabularies
        For each attribute, its values in the order of their ids.

    Examples
    --------
    >>> from turbotree.text import Sentence
    >>> sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    >>> encoder = Encoder.fit([sentence], ["upos"], [])
    >>> encoder.encode([sentence]).ids.tolist()
    [[3, 5, 6]]
    """

    def __init__(
        self,
        attributes: Sequence[str],
        set_attributes: Sequence[str],
        vocabularies: dict[str, list[str]],
    ) -> None:
        self.attributes = list(attributes)
        self.set_attributes = list(set_attributes)
        self.vocabularies = vocabularies
        self._ids = {
            name: {value: i for i, value in enumerate(vocabularies[name], _FIRST_WORD_ID)}
            for name in (*self.attributes, *self.set_attributes)
        }
        self._cache: dict[_Word, _Entry] = {}

    @classmethod
    def fit(
        cls,
        sentences: Iterable[Sentence],
        attributes: Sequence[str],
        set_attributes: Sequence[str],
    ) -> Encoder:
        """Collect the vocabularies of a training set, most frequent values first."""
        words = Counter(word for sentence in sentences for word in _words(sentence))
        vocabularies: dict[str, list[str]] = {}
        for name in attributes:
            counts: Counter[str] = Counter()
            for word, count in words.items():
                counts[_attribute_value(name, word)] += count
            affix = name.startswith(("prefix", "suffix"))
            minimum = _AFFIX_MIN_COUNT if affix else MIN_COUNTS.get(name, 1)
            vocabularies[name] = _frequent(counts, minimum)
        for name in set_attributes:
            counts = Counter()
            for word, count in words.items():
                for entry in _set_values(word):
                    counts[entry] += count
            vocabularies[name] = _frequent(counts, 1)
        return cls(attributes, set_attributes, vocabularies)

    def id_of(self, attribute: str, value: str) -> int:
        """Return the id of a value, ``RARE_ID`` if the vocabulary lacks it."""
        return self._ids[attribute].get(value, RARE_ID)

    def id_limit(self, attribute: str) -> int:
        """Return the least number above all ids of an attribute."""
        return _FIRST_WORD_ID + len(self.vocabularies[attribute])

    def value_of(self, attribute: str, number: int) -> str:
        """Return the value behind an id, in angle brackets where it stands for no string."""
        reserved = ("<none>", "<before>", "<after>", "<root>", "<rare>")
        if number < _FIRST_WORD_ID:
            return reserved[number]
        return self.vocabularies[attribute][number - _FIRST_WORD_ID]

    def encode(self, sentences: Sequence[Sentence]) -> Encoded:
        """Encode a batch; only forms, lemmas, tags and features are looked at."""
        root = ([ROOT_ID] * len(self.attributes), [list[int]() for _ in self.set_attributes])
        entries: list[_Entry] = []
        starts = [0]
        cache = self._cache
        for sentence in sentences:
            entries.append(root)
            for word in _words(sentence):
                entry = cache.get(word)
                if entry is None:
                    entry = self._encode_word(word)
                    if len(cache) >= _CACHE_LIMIT:
                        cache.clear()
                    cache[word] = entry
                entries.append(entry)
            starts.append(len(entries))
        ids = np.array([entry[0] for entry in entries], dtype=np.int32)
        sets = []
        for i in range(len(self.set_attributes)):
            lists = [entry[1][i] for entry in entries]
            offsets = np.zeros(len(lists) + 1, dtype=np.int32)
            np.cumsum([len(values) for values in lists], out=offsets[1:])
            sets.append((offsets, np.array([v for values in lists for v in values], np.int32)))
        return Encoded(
            np.ascontiguousarray(ids.reshape(len(entries), len(self.attributes)).T),
            np.array(starts, dtype=np.int32),
            sets,
        )

    def _encode_word(self, word: _Word) -> _Entry:
        singles = [self.id_of(name, _attribute_value(name, word)) for name in self.attributes]
        sets = [[self.id_of(name, v) for v in _set_values(word)] for name in self.set_attributes]
        return singles, sets

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file's header holds of this encoder."""
        return {
            "attributes": self.attributes,
            "set_attributes": self.set_attributes,
            "vocabularies": self.vocabularies,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Encoder:
        """Undo :meth:`to_dict`."""
        return cls(data["attributes"], data["set_attributes"], data["vocabularies"])


def _set_values(word: _Word) -> list[str]:
    feats = word[4]
    return [] if feats == "_" else feats.split("|")


def _frequent(counts: Counter[str], minimum: int) -> list[str]:
    # Ties are broken by the string, so that the order of the training data does not matter.
    kept = [(value, count) for value, count in counts.items() if count >= minimum]
    return [value for value, _ in sorted(kept, key=lambda item: (-item[1], item[0]))]
