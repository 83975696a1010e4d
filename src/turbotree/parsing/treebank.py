"""A treebank made ready for training."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from turbotree.errors import InputError
from turbotree.features import Encoded, Encoder, Parts
from turbotree.parsing.arcs import IntArray
from turbotree.parsing.labels import LabelDictionary
from turbotree.text import Sentence, check_tree, read_sentences

TrainingSource = str | os.PathLike[str] | Iterable[Sentence]


def read_trees(source: TrainingSource, what: str) -> list[Sentence]:
    """Read a treebank, refusing what is no tree; `what` names sentences that have no file."""
    sentences = (
        list(read_sentences(source)) if isinstance(source, str | os.PathLike) else list(source)
    )
    if not sentences:
        name = os.fspath(source) if isinstance(source, str | os.PathLike) else what
        raise InputError(f"{name}: no sentences")
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise InputError(f"{what}: expected sentences, got {type(sentence).__name__}")
        check_tree(sentence)
    return sentences


@dataclass(frozen=True)
class Treebank:
    """A treebank as integers, each sentence a batch of one."""

    encoded: list[Encoded]
    heads: list[IntArray]
    labels: list[IntArray]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], encoder: Encoder, names: list[str]) -> Treebank:
        """Encode sentences; `names` are the labels that training knows."""
        numbers = {name: i for i, name in enumerate(names)}
        return cls(
            [encoder.encode([sentence]) for sentence in sentences],
            [np.array(sentence.heads, dtype=np.int32) for sentence in sentences],
            # A label that training never saw is no label at all: it counts as wrong.
            [
                np.array([numbers.get(label, -1) for label in sentence.labels], dtype=np.int32)
                for sentence in sentences
            ],
        )

    @property
    def words(self) -> int:
        """Number of words."""
        return sum(len(heads) for heads in self.heads)


def label_dictionary(data: Treebank, encoder: Encoder, names: list[str]) -> LabelDictionary:
    """Collect which labels occur with which tags."""
    row = encoder.attributes.index("upos")
    seen: set[tuple[int, int, int]] = set()
    for encoded, heads, labels in zip(data.encoded, data.heads, data.labels, strict=True):
        tags = encoded.ids[row]
        seen.update(zip(tags[1:].tolist(), tags[heads].tolist(), labels.tolist(), strict=True))
    return LabelDictionary.fit(names, encoder.id_limit("upos"), seen)


def pruning_record(data: Treebank, candidates: Sequence[Parts]) -> dict[str, float]:
    """Tell how many candidates a word has, and how many gold arcs are not among them."""
    if not data.heads:
        return {}
    kept = sum(
        int(np.count_nonzero(heads[arcs.rows[:, 1] - 1] == arcs.rows[:, 0]))
        for heads, arcs in zip(data.heads, candidates, strict=True)
    )
    return {
        "heads_a_word": sum(len(arcs.rows) for arcs in candidates) / data.words,
        "gold_arcs_lost_percent": 100.0 * (data.words - kept) / data.words,
    }


def fingerprint(sentences: Sequence[Sentence]) -> str:
    """Return a checksum of the sentences' text."""
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(sentence.to_text().encode())
    return digest.hexdigest()
