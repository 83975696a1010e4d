"""A treebank made ready for training."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from turbotree.arrays import BoolArray, IntArray
from turbotree.errors import InputError
from turbotree.features import Encoded, Encoder, Parts
from turbotree.parsing.labels import LabelDictionary
from turbotree.parsing.root_label import root_label, with_root_label
from turbotree.scoring import Batch
from turbotree.text import Sentence, check_partial_tree, check_tree, read_sentences

TrainingSource = str | os.PathLike[str] | Iterable[Sentence]


#: In place of a head or a label that nobody has given; a label that is not known has -1.
UNKNOWN = -2
_NO_LABEL = "_"


def read_trees(source: TrainingSource, what: str, *, partial: bool = False) -> list[Sentence]:
    """Read a treebank, refusing what is no tree; `what` names sentences that have no file.

    If it may be partial, words may lack their heads, and sentences that have none are omitted.
    """
    check = check_partial_tree if partial else check_tree
    sentences = (
        list(read_sentences(source)) if isinstance(source, str | os.PathLike) else list(source)
    )
    if not sentences:
        name = os.fspath(source) if isinstance(source, str | os.PathLike) else what
        raise InputError(f"{name}: no sentences")
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise InputError(f"{what}: expected sentences, got {type(sentence).__name__}")
        check(sentence)
    if partial:
        sentences = [s for s in sentences if any(head is not None for head in s.heads)]
        if not sentences:
            raise InputError(f"{what}: no word has a head")
    return sentences


@dataclass(frozen=True)
class Treebank:
    """A treebank as integers, each sentence a batch of one.

    Attributes
    ----------
    sentences, encoder, encoded
        The sentences, and what the encoder makes of each.
    heads, labels
        Those of their words; `UNKNOWN` if they are not given.
    known
        Which heads were given.
    """

    sentences: Sequence[Sentence]
    encoder: Encoder
    encoded: list[Encoded]
    heads: list[IntArray]
    labels: list[IntArray]
    known: list[BoolArray]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], encoder: Encoder, names: list[str]) -> Treebank:
        """Encode sentences; `names` are the labels that training knows."""
        # A label that training never saw is no label at all: it counts as wrong.
        numbers = {name: i for i, name in enumerate(names)}
        heads, labels = [], []
        for sentence in sentences:
            given = [UNKNOWN if head is None else head for head in sentence.heads]
            heads.append(np.array(given, dtype=np.int32))
            of_words = [numbers.get(label, -1) for label in sentence.labels]
            labels.append(np.array(of_words, dtype=np.int32))
            labels[-1][heads[-1] == UNKNOWN] = UNKNOWN
            if _NO_LABEL not in numbers:
                labels[-1][np.array(sentence.labels) == _NO_LABEL] = UNKNOWN
        encoded = [encoder.encode([sentence]) for sentence in sentences]
        known = [of_words != UNKNOWN for of_words in heads]
        return cls(sentences, encoder, encoded, heads, labels, known)

    def batch(self, index: int) -> Batch:
        """Return one sentence as a batch."""
        sentence = self.sentences[index : index + 1]
        return Batch.encoded(self.encoder, self.encoded[index], sentence)

    @property
    def known_heads(self) -> int:
        """Number of words whose head was given."""
        return int(sum(np.count_nonzero(known) for known in self.known))

    @property
    def complete(self) -> bool:
        """Whether every word has a head."""
        return self.known_heads == self.words

    def completed(self, trees: Sequence[IntArray]) -> Treebank:
        """Return the treebank with these trees, which hold the known heads."""
        return replace(self, heads=list(trees))

    @property
    def words(self) -> int:
        """Number of words."""
        return sum(len(heads) for heads in self.heads)


def label_dictionary(data: Treebank, encoder: Encoder, names: list[str]) -> LabelDictionary:
    """Collect which labels occur with which tags, and which one under the root."""
    row = encoder.attributes.index("upos")
    seen: set[tuple[int, int, int]] = set()
    for encoded, heads, labels in zip(data.encoded, data.heads, data.labels, strict=True):
        tags, given = encoded.ids[row], labels >= 0
        triples = tags[1:][given], tags[heads[given]], labels[given]
        seen.update(zip(*(column.tolist() for column in triples), strict=True))
    dictionary = LabelDictionary.fit(names, encoder.id_limit("upos"), seen)
    return with_root_label(dictionary, root_label(data.heads, data.labels))


def pruning_record(data: Treebank, candidates: Sequence[Parts]) -> dict[str, float]:
    """Return how many candidates a word has, and how many gold arcs are not among them."""
    if not data.heads:
        return {}
    kept = sum(
        int(np.count_nonzero(heads[arcs.rows[:, 1] - 1] == arcs.rows[:, 0]))
        for heads, arcs in zip(data.heads, candidates, strict=True)
    )
    return {
        "heads_per_word": sum(len(arcs.rows) for arcs in candidates) / data.words,
        "gold_arcs_lost_percent": 100.0 * (data.words - kept) / data.words,
    }


def names_of_labels(sentences: Sequence[Sentence]) -> list[str]:
    """Return the labels of the words that have a head.

    ``_`` is a label that nobody has given, unless nobody has given any.
    """
    names = {
        label
        for sentence in sentences
        for label, head in zip(sentence.labels, sentence.heads, strict=True)
        if head is not None
    }
    return sorted(names - {_NO_LABEL} or names)


def single_root(sentences: Sequence[Sentence], wanted: bool | None) -> bool:
    """Return whether trees have a single root, by the treebank if nothing is wanted."""
    several = next((s for s in sentences if s.heads.count(0) > 1), None)
    if wanted and several is not None:
        raise InputError.at(
            several.path,
            several.line,
            f"{several.heads.count(0)} words under the root, but a single one was asked for",
        )
    return several is None if wanted is None else wanted
