"""The contract of everything that scores parts: sentences and parts in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import Parts
from turbotree.text import Sentence

_Encoding = TypeVar("_Encoding", covariant=True)
_Made = TypeVar("_Made")

#: One score per part, or per part and label, by family.
PartScores: TypeAlias = dict[str, FloatArray]


class SentenceEncoder(Protocol[_Encoding]):
    """Represents sentences as a scorer wants them: as integers, or as hidden states."""

    def encode(self, sentences: Sequence[Sentence], /) -> _Encoding:
        """Represent a batch; the representation has a method ``repeated`` as `Encoded` has."""


class Batch:
    """Sentences to score; each encoder represents them once, however many scorers ask.

    Parameters
    ----------
    sentences
        Any number of them.

    Examples
    --------
    >>> from turbotree.features import Encoder
    >>> sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    >>> encoder = Encoder.fit([sentence], ["upos"], [])
    >>> batch = Batch([sentence])
    >>> batch.of(encoder).ids.tolist(), batch.of(encoder) is batch.of(encoder)
    ([[3, 5, 6]], True)
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.lengths: IntArray = np.array([len(sentence) for sentence in sentences], dtype=np.int32)
        self._encoded: dict[int, tuple[Any, Any]] = {}
        self._derived: dict[int, tuple[Any, Any]] = {}

    @classmethod
    def encoded(cls, encoder: object, encoding: Any, sentences: Sequence[Sentence] = ()) -> Batch:
        """Make a batch of which one encoder's representation is known.

        Sentences may be missing: then no other encoder can be asked.
        """
        batch = object.__new__(cls)
        batch.sentences = sentences
        batch.lengths = encoding.lengths
        batch._encoded = {id(encoder): (encoder, encoding)}
        batch._derived = {}
        return batch

    def with_encoding(self, encoder: object, encoding: Any) -> Batch:
        """Return the batch with another representation by one encoder; others keep theirs."""
        batch = Batch.encoded(encoder, encoding, self.sentences)
        batch._encoded = {**self._encoded, **batch._encoded}
        return batch

    def with_sentences(self, sentences: Sequence[Sentence], encoder: object) -> Batch:
        """Return a batch of the same words with other tags, say, that the encoder does not read.

        What it has made of the words is kept, if it was asked.

        >>> from turbotree.features import Encoder
        >>> plain, tagged = (Sentence.from_words(["go"], upos=[tag]) for tag in ("_", "VERB"))
        >>> encoder = Encoder.fit([plain], ["form"], [])
        >>> batch = Batch([plain])
        >>> known = batch.of(encoder)
        >>> batch.with_sentences([tagged], encoder).of(encoder) is known
        True
        """
        batch = Batch(sentences)
        known = self._encoded.get(id(encoder))
        return batch if known is None else batch.with_encoding(*known)

    def __len__(self) -> int:
        return len(self.lengths)

    def of(self, encoder: SentenceEncoder[_Encoding]) -> _Encoding:
        """Return what an encoder makes of the sentences."""
        known = self._encoded.get(id(encoder))
        if known is None:
            if len(self.sentences) != len(self.lengths):
                raise ValueError("of these sentences only another encoder's representation is here")
            # The encoder is kept too: its number must not go to another one.
            known = self._encoded[id(encoder)] = (encoder, encoder.encode(self.sentences))
        encoding: _Encoding = known[1]
        return encoding

    def derived(self, owner: object, make: Callable[[], _Made]) -> _Made:
        """Return what a scorer has made of the sentences for itself, and keep it."""
        known = self._derived.get(id(owner))
        if known is None:
            known = self._derived[id(owner)] = (owner, make())
        made: _Made = known[1]
        return made

    def repeated(self, sentences: npt.ArrayLike) -> Batch:
        """Return a batch of these sentences of the batch, any of them several times.

        >>> words = [Sentence.from_words(["Birds", "sing"]), Sentence.from_words(["Hello"])]
        >>> Batch(words).repeated([1, 1, 0]).lengths.tolist()
        [1, 1, 2]
        """
        chosen = np.asarray(sentences, dtype=np.int64)
        batch = object.__new__(Batch)
        batch.sentences = [self.sentences[i] for i in chosen.tolist()] if self.sentences else ()
        batch.lengths = self.lengths[chosen]
        batch._encoded = {
            number: (encoder, encoding.repeated(chosen))
            for number, (encoder, encoding) in self._encoded.items()
        }
        batch._derived = {}
        return batch


class PartScorer(Protocol):
    """Scores the parts of sentences, family by family.

    Families are ``"arc"``, ``"sibling"`` and so on of parsers, ``"label"`` and ``"label_pair"`` of
    their labellers, ``"word"``, ``"pair"`` and ``"triple"`` of taggers.
    """

    @property
    def families(self) -> tuple[str, ...]:
        """The families that it scores."""

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return one score per part, or per part and label for labelled parts, by family.

        A family that the scorer does not know has no entry.
        """


def score_every(scorer: PartScorer, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
    """Score parts; those of families that the scorer does not know score 0."""
    known = scorer.score(batch, parts)
    return {
        name: known[name] if name in known else np.zeros(own.score_count)
        for name, own in parts.items()
    }


class WeightedSum:
    """Adds the scores of several scorers, each times its weight.

    A family that a scorer does not know counts 0 there.

    Parameters
    ----------
    terms
        Weights and scorers.
    """

    def __init__(self, terms: Sequence[tuple[float, PartScorer]]) -> None:
        if not terms:
            raise InputError("a weighted sum of no scorers")
        self.terms = tuple(terms)

    @property
    def scorers(self) -> tuple[PartScorer, ...]:
        """The scorers, without their weights."""
        return tuple(scorer for _, scorer in self.terms)

    @property
    def families(self) -> tuple[str, ...]:
        """The families that some scorer knows, in the order in which they come up."""
        return tuple(dict.fromkeys(name for one in self.scorers for name in one.families))

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return the weighted sums of the scores, by family."""
        total: PartScores = {}
        for weight, scorer in self.terms:
            for name, own in scorer.score(batch, parts).items():
                total[name] = total[name] + weight * own if name in total else weight * own
        return total
