"""A trained network: log-probabilities of heads, of their labels, and of words' labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import LabelledParts, Parts
from turbotree.files.safetensors import Array
from turbotree.networks import _core
from turbotree.networks.inputs import InputEncoder
from turbotree.networks.options import NetworkOptions
from turbotree.networks.vectors import WordVectors
from turbotree.networks.vocabulary import Vocabulary
from turbotree.stored import Stored
from turbotree.text import Sentence
from turbotree.trees import Trees

#: Sentences are computed in batches of about this many words.
_WORDS_AT_ONCE = 1500


@dataclass(frozen=True)
class States:
    """What a network makes of some sentences; all scores are computed from it."""

    network: Network
    encodings: _core.Encodings
    lengths: IntArray

    def __len__(self) -> int:
        return len(self.lengths)

    def repeated(self, sentences: npt.ArrayLike) -> States:
        """Return the states of some of the sentences, any of them several times."""
        chosen = np.asarray(sentences, dtype=np.int32)
        return States(
            self.network,
            self.network._core.repeated(self.encodings, chosen),
            self.lengths[chosen],
        )


class Network(Stored):
    """Embeddings, BiLSTM layers and biaffine scores (Dozat & Manning 2017), trained.

    Made by :func:`turbotree.networks.train_network`. The scores of arcs are logarithms of the
    probability of the head among all words of the sentence and the root; those of labels, of the
    label among all labels. The network of a tagger has labels of words in columns; that of a
    pipeline has both.
    """

    kind = "network"

    def __init__(
        self,
        vocabulary: Vocabulary,
        options: NetworkOptions,
        weights: npt.NDArray[np.float32],
        *,
        vectors: WordVectors | None = None,
        kernels: str = "",
        bits: int = 16,
    ) -> None:
        self.vocabulary = vocabulary
        self.options = options
        self.vectors = vectors
        self.weights = weights
        self.bits = bits
        self.sizes = sizes_of(vocabulary, options, vectors)
        self.inputs = InputEncoder.of(vocabulary, options, vectors)
        table = np.zeros(0, dtype=np.float32) if vectors is None else vectors.table.ravel()
        self._core = _core.Network(kernels, self.sizes, weights, table, whole_numbers=bits == 8)

    @property
    def labels(self) -> list[str]:
        """The relations, in the order of their numbers."""
        return self.vocabulary.labels

    @property
    def columns(self) -> dict[str, list[str]]:
        """The labels of words by column, in the order of their numbers."""
        return self.vocabulary.columns

    @property
    def reads_forms_alone(self) -> bool:
        """Whether tags and lemmas make no difference."""
        options = self.options
        return not options.tag_size and (options.lemmas == "forms" or not options.lemma_size)

    @property
    def kernels(self) -> str:
        """The instruction set that computes the scores."""
        return self._core.kernels

    def with_kernels(self, kernels: str) -> Network:
        """Return the same network computed with another set of instructions."""
        return Network(
            self.vocabulary,
            self.options,
            self.weights,
            vectors=self.vectors,
            kernels=kernels,
            bits=self.bits,
        )

    def matrices(self) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
        """Give the name and the weights of each matrix, in the order of the flat array."""
        at = 0
        for name, rows, columns in self.sizes.blocks():
            yield name, self.weights[at : at + rows * columns].reshape(rows, columns)
            at += rows * columns

    def encode(self, sentences: Sequence[Sentence], *, threads: int = 1) -> States:
        """Run the embeddings and the BiLSTM over some sentences, once for all scores."""
        inputs = self.inputs.encode(sentences)
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int32)
        return States(self, self._core.encode(inputs, _WORDS_AT_ONCE, threads), lengths)

    def score(self, states: States, parts: Mapping[str, Parts]) -> dict[str, FloatArray]:
        """Return log-probabilities of parts: one per ``arc``, one per ``label`` of each arc."""
        scores = {}
        for family, own in parts.items():
            if family == "arc":
                scores[family] = self._core.arcs(states.encodings, own.rows, own.offsets)
            elif family == "label" and isinstance(own, LabelledParts):
                scores[family] = self._core.labels(
                    states.encodings, own.rows, own.offsets, own.label_offsets, own.labels
                )
            else:
                raise InputError(f"a network has no scores for the parts {family!r}")
        return scores

    def column(self, states: States, name: str) -> npt.NDArray[np.float32]:
        """Return log-probabilities of a column's labels, one row per word of all sentences."""
        if name not in self.columns:
            raise InputError(f"a network without the column {name!r}")
        return self._core.column(states.encodings, list(self.columns).index(name))

    def likely_arcs(
        self, states: States, *, threshold: float = 1e-3, max_heads: int = 20
    ) -> tuple[Parts, FloatArray]:
        """Return the arcs that are at least `threshold` as likely as the word's likeliest one.

        They come in the order of :func:`turbotree.parsing.arcs.all_arcs`, with their
        log-probabilities; a threshold of 0 keeps all.
        """
        rows, offsets, scores = self._core.likely_arcs(states.encodings, threshold, max_heads)
        return Parts(rows, offsets), scores

    def all_arcs(self, states: States) -> tuple[Parts, FloatArray]:
        """Return all arcs with their log-probabilities."""
        return self.likely_arcs(states, threshold=0.0, max_heads=2**31 - 1)

    def parse(
        self, sentences: Sequence[Sentence], *, single_root: bool = True, threads: int = 1
    ) -> list[Sentence]:
        """Return the sentences with the trees that the network alone finds likeliest."""
        parsed: list[Sentence] = []
        for begin in range(0, len(sentences), 256):
            some = sentences[begin : begin + 256]
            states = self.encode(some, threads=threads)
            trees = self.trees(states, single_root=single_root)
            parsed += [
                one.with_tree(heads, [self.labels[label] for label in labels])
                for one, (heads, labels) in zip(some, trees, strict=True)
            ]
        return parsed

    def trees(
        self, states: States, *, single_root: bool = True
    ) -> list[tuple[list[int], list[int]]]:
        """Return the likeliest tree of each sentence: heads, and numbers of labels."""
        arcs, scores = self.all_arcs(states)
        heads: list[IntArray] = []
        for sentence, length in enumerate(states.lengths.tolist()):
            own = arcs.places(sentence)
            matrix = np.full((length + 1, length + 1), -np.inf)
            matrix[arcs.rows[own, 0], arcs.rows[own, 1]] = scores[own]
            heads.append(Trees(matrix, single_root=single_root).best().astype(np.int32))
        none = np.zeros(0, dtype=np.int32)
        words = [np.arange(1, len(own) + 1, dtype=np.int32) for own in heads]
        chosen = np.stack([np.concatenate([none, *heads]), np.concatenate([none, *words])], axis=1)
        count = len(self.labels)
        offsets = np.concatenate([[0], np.cumsum(states.lengths)]).astype(np.int32)
        every = LabelledParts(
            chosen,
            offsets,
            np.arange(len(chosen) + 1, dtype=np.int32) * np.int32(count),
            np.tile(np.arange(count, dtype=np.int32), len(chosen)),
        )
        best = self.score(states, {"label": every})["label"].reshape(-1, count).argmax(axis=1)
        return [
            (own.tolist(), best[offsets[i] : offsets[i + 1]].tolist())
            for i, own in enumerate(heads)
        ]

    # In a file

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance."""
        options, vectors = self.options, self.vectors
        return [
            f"{options.layers} BiLSTM layers of 2 x {options.hidden}",
            f"{len(self.vocabulary.words):,} words",
            *([f"{len(self.labels)} labels"] if self.labels else []),
            *(f"{len(labels)} labels of {name}" for name, labels in self.columns.items()),
            f"{len(self.weights):,} weights of {self.bits} bits",
            *([] if vectors is None else [str(vectors)]),
        ]

    def contents(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        from turbotree.networks.storing import contents  # storing makes networks

        return contents(self)

    @classmethod
    def from_contents(cls, arrays: dict[str, Array], header: dict[str, Any]) -> Network:
        """Undo :meth:`contents`."""
        from turbotree.networks.storing import network_of

        return network_of(arrays, header)

    def frozen(self, *, bits: int = 8) -> Network:
        """Return the network with its weights rounded to what a file of so many bits holds.

        With 8, sentences are encoded in whole numbers: faster, and the same on all processors.
        """
        from turbotree.networks.storing import rounded

        return rounded(self, bits)


def sizes_of(
    vocabulary: Vocabulary, options: NetworkOptions, vectors: WordVectors | None
) -> _core.Sizes:
    """Return the sizes of all matrices of a network."""
    trees = bool(vocabulary.labels) or not vocabulary.columns
    return _core.Sizes(
        words=len(vocabulary.words) + 1,
        word_size=options.word_size,
        surfaces=options.surface_buckets,
        surface_size=options.surface_size,
        tags=len(vocabulary.tags),
        tag_size=options.tag_size,
        lemmas=len(vocabulary.lemmas) + 1,
        lemma_size=options.lemma_size,
        vectors=0 if vectors is None else len(vectors.table),
        vector_size=0 if vectors is None else vectors.size,
        projected_size=0 if vectors is None else options.vector_size,
        layers=options.layers,
        hidden=options.hidden,
        arcs=options.arc_size if trees else 0,
        labels=max(1, len(vocabulary.labels)) if trees else 0,
        label_size=options.label_size if trees else 0,
        columns=[len(labels) for labels in vocabulary.columns.values()],
        column_size=options.column_size if vocabulary.columns else 0,
    )
