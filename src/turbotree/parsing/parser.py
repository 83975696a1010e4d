"""The parser: sentences in, trees out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from turbotree.errors import InputError
from turbotree.features import Encoder, FiredFeature, explain
from turbotree.parsing.arcs import (
    ArcModel,
    IntArray,
    Pruner,
    TreeShape,
    arc_marginals,
    best_trees,
)
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.parse import Parse, ParsedBatch
from turbotree.parsing.storing import load_fields, store
from turbotree.parsing.streaming import in_batches, map_in_order
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.treebank import TrainingSource

DECODERS = ("mst", "eisner", "mbr")
_BATCH_SIZE = 32


@dataclass(frozen=True)
class Parser:
    """An arc-factored labelled dependency parser.

    Make one with :meth:`train` or :meth:`load`. A parser never changes, so threads may share it.
    """

    encoder: Encoder
    pruner: Pruner
    arcs: ArcModel
    labels: LabelModel
    shape: TreeShape
    arc_temperature: float
    label_temperature: float
    record: dict[str, Any]

    @classmethod
    def train(cls, train: TrainingSource, **options: Any) -> Parser:
        """Train a parser on a treebank; see :func:`turbotree.parsing.training.train_parser`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(100, seed=1), epochs=2)
        >>> parse = parser.parse(next(treebank(1, seed=2)))
        >>> len(parse.heads) == len(parse.sentence)
        True
        """
        from turbotree.parsing.training import train_parser

        return train_parser(train, **options)

    def parse(self, sentence: Sentence, **options: Any) -> Parse:
        """Parse one sentence; the options are those of :meth:`parse_batch`."""
        return self.parse_batch([sentence], **options)[0]

    def parse_batch(
        self,
        sentences: Sequence[Sentence],
        *,
        decoder: str | None = None,
        projective: bool | None = None,
        single_root: bool | None = None,
    ) -> list[Parse]:
        """Parse some sentences at once; heads and labels they already have are not looked at.

        Parameters
        ----------
        sentences
            What to parse.
        decoder
            ``"mst"``: the best tree. ``"eisner"``: the best projective tree. ``"mbr"``: the tree
            with most right arcs in expectation (minimum Bayes risk).
        projective
            Allow no crossing arcs, whatever the decoder.
        single_root
            Allow only one word under the root; by default as in the training data.
        """
        decoder, shape = self._decoding(decoder, projective, single_root)
        for sentence in sentences:
            if not isinstance(sentence, Sentence):
                raise InputError(
                    f"expected a Sentence, got {type(sentence).__name__}; "
                    "turbotree.text.read_conllu or Sentence.from_words make them"
                )
        if not sentences:
            return []
        encoded = self.encoder.encode(sentences)
        lengths = encoded.lengths
        arcs = self.pruner.candidates(encoded, shape=shape)
        arc_scores = self.arcs.score(encoded, arcs)
        decoded = arc_scores
        if decoder == "mbr":
            decoded, _ = arc_marginals(lengths, arcs, arc_scores / self.arc_temperature, shape)
        heads = best_trees(lengths, arcs, decoded, shape)
        label_scores = self.labels.label(encoded, heads)
        labels, _ = label_scores.best()
        batch = ParsedBatch(
            lengths,
            arcs,
            arc_scores,
            shape,
            self.arc_temperature,
            label_scores,
            self.label_temperature,
            self.labels.dictionary.names,
        )
        return self._parses(sentences, batch, heads, labels)

    def pipe(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int = _BATCH_SIZE,
        **options: Any,
    ) -> Iterator[Parse]:
        """Parse a stream of sentences, in order, holding only a few batches in memory.

        Parameters
        ----------
        sentences
            Any iterable; it is read as parsing goes on.
        threads
            Threads to use; the result is the same for any number.
        batch_size
            Sentences that are parsed at once.
        options
            As for :meth:`parse_batch`.
        """
        if threads < 1:
            raise InputError(f"threads is {threads}; expected at least 1")
        if batch_size < 1:
            raise InputError(f"batch size is {batch_size}; expected at least 1")
        self.parse_batch([], **options)  # complains now, not when the first parse is asked for
        batches = in_batches(sentences, batch_size)
        parses = map_in_order(partial(self.parse_batch, **options), batches, threads=threads)
        return (parse for batch in parses for parse in batch)

    def explain(self, sentence: Sentence, head: int, modifier: int) -> list[FiredFeature]:
        """List the features of one arc with their weights, heaviest first."""
        for name, word, least in (("head", head, 0), ("modifier", modifier, 1)):
            if not least <= word <= len(sentence):
                raise InputError(f"{name} {word} is outside the sentence ({len(sentence)} words)")
        if head == modifier:
            raise InputError(f"word {head} cannot be its own head")
        part = np.array([head, modifier], dtype=np.int32)
        encoded = self.encoder.encode([sentence])
        return explain(self.arcs.scorer, encoded, part, self.arcs.weights)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parser to one file, whole or not at all."""
        store(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Parser:
        """Map a parser's file into memory."""
        return cls(**load_fields(path))

    def templates(self) -> dict[str, list[str]]:
        """Return the template sets by name."""
        scorers = {
            "pruner": self.pruner.model.scorer,
            "arc": self.arcs.scorer,
            "label": self.labels.node_scorer,
            "label_pair": self.labels.pair_scorer,
        }
        return {name: [t.text for t in scorer.templates] for name, scorer in scorers.items()}

    def _decoding(
        self, decoder: str | None, projective: bool | None, single_root: bool | None
    ) -> tuple[str, TreeShape]:
        decoder = decoder or "mst"
        if decoder not in DECODERS:
            raise InputError(f"unknown decoder {decoder!r}; expected one of {', '.join(DECODERS)}")
        shape = self.shape
        if single_root is not None:
            shape = replace(shape, single_root=single_root)
        return decoder, replace(shape, projective=bool(projective) or decoder == "eisner")

    @staticmethod
    def _parses(
        sentences: Sequence[Sentence], batch: ParsedBatch, heads: IntArray, labels: IntArray
    ) -> list[Parse]:
        # An arc is in the tree if its modifier's head is its own.
        sentence_of = np.repeat(np.arange(len(sentences)), np.diff(batch.arcs.offsets))
        modifiers = batch.first_words[sentence_of] + batch.arcs.rows[:, 1] - 1
        chosen = heads[modifiers] == batch.arcs.rows[:, 0]
        scores = np.bincount(
            sentence_of[chosen], weights=batch.arc_scores[chosen], minlength=len(sentences)
        ).tolist()
        head_list, names = heads.tolist(), batch.label_names
        label_list = [names[label] for label in labels.tolist()]
        bounds = batch.first_words.tolist()
        return [
            Parse(
                sentence,
                tuple(head_list[bounds[i] : bounds[i + 1]]),
                tuple(label_list[bounds[i] : bounds[i + 1]]),
                scores[i],
                batch,
                i,
            )
            for i, sentence in enumerate(sentences)
        ]
