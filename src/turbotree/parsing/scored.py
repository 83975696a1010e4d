"""A batch of sentences with the scores of their parts: what is decoded, and then labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import thread_time
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.parsing.arcs import arc_marginals, best_trees, note_on, only_allowed
from turbotree.parsing.constrained import label_limits
from turbotree.parsing.constraints import place
from turbotree.parsing.decoding.certificate import Certificate, FoundTree
from turbotree.parsing.decoding.decode import (
    ARC_DECODERS,
    BATCH_DECODERS,
    DECODERS_OF_SPANS,
    decode_as,
    decode_many,
    out_of_time,
    quick_tree,
)
from turbotree.parsing.labels import LabelLimits, LabelScores
from turbotree.parsing.parse import Parse, ParsedBatch
from turbotree.parsing.parts import ScoredParts
from turbotree.parsing.profile import Profile
from turbotree.scoring import Batch
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser

#: What a search that heeds no limit by itself gets beyond its time.
_GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class ScoredBatch(ScoredParts):
    """A batch whose parts have scores.

    Attributes
    ----------
    parser, sentences, batch
        What the scores come from.
    profile
        Where to count the time of each stage and the number of parts, if anywhere.
    ends
        When each stage ended, by the CPU clock of the thread; the first is the start.
    """

    parser: Parser
    sentences: Sequence[Sentence]
    batch: Batch
    profile: Profile | None
    ends: dict[str, float]

    def best_trees(
        self, decoder: str, decomposition: str, time_limit_seconds: float | None = None
    ) -> list[FoundTree]:
        """Return the tree of each sentence; the time limit is that of one sentence."""
        spans = self.has_spans
        if spans and decoder not in DECODERS_OF_SPANS:
            raise InputError(
                f"decoder {decoder!r} cannot keep spans together; choose one of "
                + ", ".join(DECODERS_OF_SPANS)
            )
        if decoder in ARC_DECODERS and not spans:
            return self._best_by_arcs(decoder)
        if decoder in ARC_DECODERS:
            decoder = "exact"
        alone = len(self.parts.lengths) == 1 or spans
        if decoder in BATCH_DECODERS and decomposition == "structured" and not alone:
            limit = time_limit_seconds
            found = dict(decode_many(enumerate(self), decoder, time_limit_seconds=limit))
            return [found[index] for index in range(len(found))]
        temperature = self.parser.arc_temperature if decoder == "bp" else 1.0
        hard_limit = None if time_limit_seconds is None else time_limit_seconds + _GRACE_SECONDS
        trees = []
        for sentence in self:
            if decoder == "bp":
                sentence = sentence.scaled(temperature)
            try:
                with time_limit(hard_limit):
                    tree = decode_as(sentence, decoder, decomposition, time_limit_seconds)
            except OutOfTimeError:
                if time_limit_seconds is None:
                    raise  # a limit around this one: its owner decides
                trees.append(self.tree_without_time(sentence.sentence, time_limit_seconds))
                continue
            trees.append(tree._replace(score=tree.score * temperature))
        return trees

    def tree_without_time(self, index: int, limit: float) -> FoundTree:
        """Return some good tree of a sentence whose time is over, with a bound."""
        sentence = self.sentence(index)
        if sentence.has_spans:
            # That there is none is not proven.
            raise InputError(
                f"{place(self.sentences[index])}: no tree that keeps the spans together was "
                f"found in {limit:g} seconds; allow more time"
            )
        found = quick_tree(sentence)
        return found._replace(certificate=replace(found.certificate, note=out_of_time(limit)))

    def _best_by_arcs(self, decoder: str) -> list[FoundTree]:
        parts, scores, shape = self.parts, self.scores["arc"], self.shape
        arcs, lengths = parts.arcs, parts.lengths
        decoded = scores
        note = note_on(int(lengths.max()), "mst", projective=shape.projective)  # such stand alone
        if note:
            decoder = "mst"
        if decoder == "mbr":
            beliefs, _ = arc_marginals(lengths, arcs, scores / self.parser.arc_temperature, shape)
            decoded = only_allowed(beliefs, scores)
        heads = best_trees(lengths, arcs, decoded, shape)
        # An arc is in the tree if its modifier's head is its own.
        sentence_of = np.repeat(np.arange(len(lengths)), np.diff(arcs.offsets))
        first_words = np.concatenate([[0], np.cumsum(lengths)])
        chosen = heads[first_words[sentence_of] + arcs.rows[:, 1] - 1] == arcs.rows[:, 0]
        values: list[float] = np.bincount(
            sentence_of[chosen], weights=scores[chosen], minlength=len(lengths)
        ).tolist()
        # With minimum risk, the tree is the best of another kind.
        unproven = decoder == "mbr" or (note and shape.projective)
        unknown = Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0, note) if unproven else None
        return [
            FoundTree(own, value, unknown or Certificate(Status.OPTIMAL, value, 0.0, 1, 0.0, note))
            for own, value in zip(np.split(heads, first_words[1:-1]), values, strict=True)
        ]

    def label_limits(self, of_tree: Sequence[int], heads: IntArray) -> LabelLimits | None:
        """Return the labels that words of trees may have; the trees are of these sentences."""
        if self.constraints is None:
            return None
        return label_limits(
            [self.sentences[i] for i in of_tree],
            [self.constraints[i] for i in of_tree],
            heads,
            self.parser.labels.dictionary,
        )

    def label(
        self,
        trees: Sequence[Sequence[FoundTree]],
        labelled: tuple[LabelScores, IntArray] | None = None,
    ) -> list[list[Parse]]:
        """Label the trees of each sentence, unless their labels are known already."""
        parser = self.parser
        counts = [len(found) for found in trees]
        of_tree = [index for index, count in enumerate(counts) for _ in range(count)]
        heads = np.concatenate(
            [np.zeros(0, dtype=np.int32), *(tree.heads for found in trees for tree in found)]
        )
        batch = self.batch
        if counts != [1] * len(counts):
            batch = batch.repeated(of_tree)
        if labelled is None:
            limits = self.label_limits(of_tree, heads)
            label_scores = parser.labels.label(batch, heads, limits)
            labels, _ = label_scores.best()
        else:
            label_scores, labels = labelled
        self.ends["labelling"] = thread_time()
        names = parser.labels.dictionary.names
        first_words = np.concatenate([[0], np.cumsum(batch.lengths)]).astype(np.int32)
        parsed = ParsedBatch(
            ScoredParts(self.parts, self.scores, self.shape, self.constraints),
            parser.arc_temperature,
            first_words,
            label_scores,
            parser.label_temperature,
            names,
            parser.smoothing,
            parser.lost_heads,
        )
        bounds = first_words.tolist()
        label_list = [names[label] for label in labels.tolist()]
        parses: list[list[Parse]] = []
        number = 0
        for index, found in enumerate(trees):
            own: list[Parse] = []
            for rank, tree in enumerate(found, 1):
                chosen = label_list[bounds[number] : bounds[number + 1]]
                if self.constraints is not None:
                    for modifier, label in self.constraints[index].labels.items():
                        chosen[modifier - 1] = label  # one that the model does not know, perhaps
                own.append(
                    Parse(
                        self.sentences[index],
                        tuple(tree.heads.tolist()),
                        tuple(chosen),
                        tree.score,
                        tree.certificate,
                        parsed,
                        index,
                        number,
                        rank,
                    )
                )
                number += 1
            parses.append(own)
        if self.profile is not None:
            proofs = sum(
                tree.certificate.status is Status.OPTIMAL for found in trees for tree in found
            )
            self.profile.count(self.parts, proofs, self.ends)
        return parses
