"""From a sentence's strings to the ids that a network's embeddings go by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np

from turbotree.arrays import IntArray
from turbotree.features.attributes import word_shape
from turbotree.networks import _core
from turbotree.networks.options import NetworkOptions
from turbotree.networks.vectors import WordVectors
from turbotree.networks.vocabulary import Lemmas, Vocabulary, lemmas_of, tag_features
from turbotree.text import Sentence

#: Forms of a running text repeat; what was found out is kept for up to this many different ones.
_CACHE_LIMIT = 200_000

_Key = TypeVar("_Key", bound=Any)
_EMPTY = np.zeros(0, dtype=np.int32)


class InputEncoder:
    """Turns sentences into the core's inputs.

    Examples
    --------
    >>> sentence = Sentence.from_words(["a", "cat", "a"], upos=["DET", "NOUN", "DET"])
    >>> encoder = InputEncoder(Vocabulary.fit([sentence]), surface_buckets=64)
    >>> arrays = encoder.arrays([sentence])
    >>> arrays["words"].tolist(), arrays["forms"].tolist(), arrays["starts"].tolist()
    ([1, 0, 1], [0, 1, 0], [0, 3])
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        surface_buckets: int,
        lemmas: Lemmas = "given",
        vectors: WordVectors | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.lemmas = lemmas
        self.surface_buckets = surface_buckets
        self.vectors = vectors
        self._words = {word: row for row, word in enumerate(vocabulary.words, 1)}
        self._lemmas = {lemma: row for row, lemma in enumerate(vocabulary.lemmas, 1)}
        self._tags = {feature: row for row, feature in enumerate(vocabulary.tags)}
        self._surfaces: dict[str, IntArray] = {}
        self._bundles: dict[tuple[str, str, str], IntArray] = {}

    @classmethod
    def of(
        cls, vocabulary: Vocabulary, options: NetworkOptions, vectors: WordVectors | None
    ) -> InputEncoder:
        """Return what encodes the inputs of a network with these options."""
        return cls(
            vocabulary,
            surface_buckets=options.surface_buckets,
            lemmas=options.lemmas,
            vectors=vectors,
        )

    def encode(self, sentences: Sequence[Sentence]) -> _core.Inputs:
        """Return the ids of some sentences' words."""
        return _core.Inputs(**self.arrays(sentences))

    def arrays(self, sentences: Sequence[Sentence]) -> dict[str, IntArray]:
        """Return the ids as arrays, by their names in the core."""
        forms = list(chain.from_iterable([sentence.forms for sentence in sentences]))
        lemmas = chain.from_iterable([lemmas_of(one, self.lemmas) for one in sentences])
        bundles = list(
            chain.from_iterable(
                [zip(one.upos, one.xpos, one.feats, strict=True) for one in sentences]
            )
        )
        form_ids, surface_starts, surfaces = _bags(forms, self._surfaces, self._surfaces_of)
        bundle_ids, tag_starts, tags = _bags(bundles, self._bundles, self._tags_of)
        word_row, lemma_row = self._words.get, self._lemmas.get
        return {
            "starts": _offsets([len(sentence) for sentence in sentences]),
            "words": _ids([word_row(form, 0) for form in forms]),
            "lemmas": _ids([lemma_row(lemma, 0) for lemma in lemmas]),
            "vectors": _EMPTY if self.vectors is None else self.vectors.rows_of(forms),
            "forms": form_ids,
            "surface_starts": surface_starts,
            "surfaces": surfaces,
            "bundles": bundle_ids,
            "tag_starts": tag_starts,
            "tags": tags,
        }

    def _surfaces_of(self, forms: list[str]) -> list[IntArray]:
        starts, features = _core.surface_features(
            forms,
            [form.lower() for form in forms],
            [word_shape(form) for form in forms],
            self.surface_buckets,
        )
        return _split(features, starts)

    def _tags_of(self, bundles: list[tuple[str, str, str]]) -> list[IntArray]:
        rows = self._tags
        return [_ids([rows[f] for f in tag_features(bundle) if f in rows]) for bundle in bundles]


def _bags(
    keys: list[_Key],
    known: dict[_Key, IntArray],
    find: Callable[[list[_Key]], list[IntArray]],
) -> tuple[IntArray, IntArray, IntArray]:
    """Number the different keys, and join their bags of ids; new ones are found and kept."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    new = [key for key in numbers if key not in known]
    if len(known) + len(new) > _CACHE_LIMIT:
        known.clear()
        new = list(numbers)
    if new:
        known.update(zip(new, find(new), strict=True))
    bags = [known[key] for key in numbers]
    joined = np.concatenate([_EMPTY, *bags])
    return _ids([numbers[key] for key in keys]), _offsets([len(bag) for bag in bags]), joined


def _split(values: IntArray, starts: IntArray) -> list[IntArray]:
    ends = starts.tolist()
    return [values[begin:end] for begin, end in pairwise(ends)]


def _ids(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int32)


def _offsets(lengths: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)
