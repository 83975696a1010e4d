"""From a sentence's strings to the integers that the core works on."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import IntArray
from turbotree.features import _core
from turbotree.features.attributes import Word, feats_entries, reader_of
from turbotree.features.lexicon import TAGS, Lexicon
from turbotree.files.headers import table, texts
from turbotree.text import Sentence

# The core's own reserved ids, then ours.
NONE_ID, BEFORE_ID, AFTER_ID = range(_core.FIRST_FREE_ID)
ROOT_ID = _core.FIRST_FREE_ID
RARE_ID = _core.FIRST_FREE_ID + 1
_FIRST_WORD_ID = _core.FIRST_FREE_ID + 2

#: How often a value has to occur in training to get an id of its own; others are "rare".
MIN_COUNTS = {"form": 2, "lower": 2, "lemma": 2, "shape": 2, "pattern": 2, TAGS: 3}
_AFFIX_MIN_COUNT = 3

#: Words of a running text repeat; their ids are kept up to this many different ones.
_CACHE_LIMIT = 200_000


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

    def repeated(self, sentences: npt.ArrayLike) -> Encoded:
        """Return a batch of these sentences of the batch, any of them several times."""
        chosen = np.asarray(sentences, dtype=np.int64)
        sizes = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        columns = np.arange(starts[-1]) + np.repeat(self.starts[:-1][chosen] - starts[:-1], sizes)
        sets = []
        for offsets, values in self.sets:
            counts = np.diff(offsets)[columns]
            new = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
            at = np.arange(new[-1]) + np.repeat(offsets[:-1][columns] - new[:-1], counts)
            sets.append((new, values[at]))
        return Encoded(np.ascontiguousarray(self.ids[:, columns]), starts, sets)


#: What is looked at of a word, in the order of a `Word`.
_COLUMNS = ("form", "lemma", "upos", "xpos", "feats")


def _words(sentence: Sentence) -> Iterable[Word]:
    form, lemma, upos, xpos, feats = sentence.columns(_COLUMNS)
    return zip(form, lemma, upos, xpos, feats, strict=True)


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
    lexicon
        The tags of words, if the attribute ``tags`` is among them.

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
        lexicon: Lexicon | None = None,
    ) -> None:
        self.attributes = list(attributes)
        self.set_attributes = list(set_attributes)
        self.vocabularies = vocabularies
        self.lexicon = lexicon
        self._ids = {
            name: {value: i for i, value in enumerate(vocabularies[name], _FIRST_WORD_ID)}
            for name in (*self.attributes, *self.set_attributes)
        }
        self._readers = [(_reader(name, lexicon), self._ids[name]) for name in self.attributes]
        self._known = self._empty()

    def __reduce__(self) -> tuple[Any, ...]:
        # What is kept for speed stays here; another process makes it again.
        return Encoder, (self.attributes, self.set_attributes, self.vocabularies, self.lexicon)

    @classmethod
    def fit(
        cls,
        sentences: Iterable[Sentence],
        attributes: Sequence[str],
        set_attributes: Sequence[str],
        *,
        least_count: int | None = None,
    ) -> Encoder:
        """Collect the vocabularies of a training set, most frequent values first.

        Rarer values than `least_count` get no id of their own; by default that depends on the
        attribute.
        """
        return cls.fit_words(
            (word for sentence in sentences for word in _words(sentence)),
            attributes,
            set_attributes,
            least_count=least_count,
        )

    @classmethod
    def fit_words(
        cls,
        all_words: Iterable[Word],
        attributes: Sequence[str],
        set_attributes: Sequence[str],
        *,
        least_count: int | None = None,
    ) -> Encoder:
        """Collect the vocabularies of a training set that is given word by word."""
        words = Counter(all_words)
        lexicon = Lexicon.fit(words.items()) if TAGS in attributes else None
        vocabularies: dict[str, list[str]] = {}
        for name in attributes:
            read = _reader(name, lexicon)
            counts: Counter[str] = Counter()
            for word, count in words.items():
                counts[read(word)] += count
            affix = name.startswith(("prefix", "suffix"))
            minimum = least_count or (_AFFIX_MIN_COUNT if affix else MIN_COUNTS.get(name, 1))
            vocabularies[name] = _frequent(counts, minimum)
        for name in set_attributes:
            counts = Counter()
            for word, count in words.items():
                for entry in feats_entries(word):
                    counts[entry] += count
            vocabularies[name] = _frequent(counts, 1)
        return cls(attributes, set_attributes, vocabularies, lexicon)

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
        return self.encode_words([list(_words(sentence)) for sentence in sentences])

    def encode_words(self, sentences: Sequence[Sequence[Word]]) -> Encoded:
        """Encode a batch of rows of words.

        >>> encoder = Encoder(["form"], [], {"form": ["dogs"]})
        >>> encoder.encode_words([[("dogs", "dog", "NOUN", "NNS", "_")]]).ids.tolist()
        [[3, 5]]
        """
        if len(self._known.numbers) >= _CACHE_LIMIT:
            self._known = self._empty()
        known = self._known
        find = known.numbers.get
        words = list(chain.from_iterable(sentences))
        numbers = list(map(find, words))
        if None in numbers:
            new = {word: None for word, at in zip(words, numbers, strict=True) if at is None}
            known.add([(word, *self._encode_word(word)) for word in new])
            numbers = list(map(find, words))
        starts = np.zeros(len(sentences) + 1, dtype=np.int32)
        np.cumsum([len(own) + 1 for own in sentences], out=starts[1:])
        rows = np.zeros(starts[-1], dtype=np.intp)  # the root before each sentence
        of_words = np.ones(len(rows), dtype=np.bool_)
        of_words[starts[:-1]] = False
        rows[of_words] = numbers
        ids, sets = known.take(rows)
        return Encoded(ids, starts, sets)

    def _encode_word(self, word: Word) -> tuple[list[int], list[list[int]]]:
        singles = [ids.get(read(word), RARE_ID) for read, ids in self._readers]
        sets = [[self.id_of(name, v) for v in feats_entries(word)] for name in self.set_attributes]
        return singles, sets

    def _empty(self) -> _KnownWords:
        return _KnownWords(len(self.attributes), len(self.set_attributes))

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file's header holds of this encoder."""
        known = {} if self.lexicon is None else {"lexicon": self.lexicon.to_dict()}
        return {
            "attributes": self.attributes,
            "set_attributes": self.set_attributes,
            "vocabularies": self.vocabularies,
            **known,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Encoder:
        """Undo :meth:`to_dict`."""
        lexicon = Lexicon.from_dict(data["lexicon"]) if "lexicon" in data else None
        given = table(data["vocabularies"], "vocabularies")
        return cls(
            texts(data["attributes"], "attributes"),
            texts(data["set_attributes"], "set_attributes"),
            {name: texts(values, f"vocabulary {name!r}") for name, values in given.items()},
            lexicon,
        )


class _KnownWords:
    """The ids of the words met so far, so that a batch is mostly one look-up a word.

    Threads share it: words are added under a lock, and a word's number is published only when
    the arrays hold it.
    """

    def __init__(self, attributes: int, set_attributes: int) -> None:
        self.numbers: dict[Word, int] = {}
        self._lock = threading.Lock()
        self._size = 1  # number 0 is the root
        self._singles: IntArray = np.full((attributes, 1024), ROOT_ID, dtype=np.int32)
        self._bounds: list[IntArray] = [
            np.zeros((2, 1024), dtype=np.int32) for _ in range(set_attributes)
        ]
        self._values: list[IntArray] = [
            np.zeros(1024, dtype=np.int32) for _ in range(set_attributes)
        ]

    def add(self, words: Iterable[tuple[Word, list[int], list[list[int]]]]) -> None:
        """Add words with their values, unless another thread has."""
        with self._lock:
            new = [given for given in words if given[0] not in self.numbers]
            first, last = self._size, self._size + len(new)
            while last > self._singles.shape[1]:
                self._singles = _doubled(self._singles)
                self._bounds = [_doubled(bounds) for bounds in self._bounds]
            if new:
                self._singles[:, first:last] = np.array([singles for _, singles, _ in new]).T
            for i, bounds in enumerate(self._bounds):
                values = [own[i] for _, _, own in new]
                ends = int(bounds[1, first - 1]) + np.cumsum([0, *map(len, values)])
                while ends[-1] > len(self._values[i]):
                    self._values[i] = _doubled(self._values[i])
                self._values[i][ends[0] : ends[-1]] = list(chain.from_iterable(values))
                bounds[:, first:last] = ends[:-1], ends[1:]
            self._size = last
            self.numbers.update((word, first + i) for i, (word, _, _) in enumerate(new))

    def take(
        self, numbers: npt.NDArray[np.intp]
    ) -> tuple[IntArray, list[tuple[IntArray, IntArray]]]:
        """Return the ids of some words, as :class:`Encoded` holds them."""
        sets: list[tuple[IntArray, IntArray]] = []
        for bounds, values in zip(self._bounds, self._values, strict=True):
            starts, ends = bounds[:, numbers]
            counts = ends - starts
            offsets = np.zeros(len(numbers) + 1, dtype=np.int32)
            np.cumsum(counts, out=offsets[1:])
            places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)
            sets.append((offsets, values[places]))
        return np.take(self._singles, numbers, axis=1), sets


def _reader(name: str, lexicon: Lexicon | None) -> Callable[[Word], str]:
    if name != TAGS:
        return reader_of(name)
    if lexicon is None:
        raise ValueError(f"the attribute {TAGS} needs a lexicon")
    return lexicon.value


def _doubled(array: IntArray) -> IntArray:
    return np.concatenate([array, np.zeros_like(array)], axis=-1)


def _frequent(counts: Counter[str], minimum: int) -> list[str]:
    # Ties are broken by the string, so that the order of the training data does not matter.
    kept = [(value, count) for value, count in counts.items() if count >= minimum]
    return [value for value, _ in sorted(kept, key=lambda item: (-item[1], item[0]))]
