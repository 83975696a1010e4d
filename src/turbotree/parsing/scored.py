"""A batch of sentences with the scores of their parts: what is decoded, and then labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import IntArray
from turbotree.graphs import Status
from turbotree.parsing.constrained import label_limits
from turbotree.parsing.decoding.certificate import FoundTree
from turbotree.parsing.labels import LabelLimits, LabelScores
from turbotree.parsing.parse import Parse, ParsedBatch
from turbotree.parsing.parts import ScoredParts
from turbotree.parsing.profile import Profile
from turbotree.scoring import Batch
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


@dataclass(frozen=True)
class ScoredBatch(ScoredParts):
    """A batch whose parts have scores.

    Attributes
    ----------
    parser, sentences, batch
        What the scores come from.
    counts
        Where time and parts are counted.
    """

    parser: Parser
    sentences: Sequence[Sentence]
    batch: Batch
    counts: Profile

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
        with self.counts.stage("labelling"):
            batch = self.batch
            if counts != [1] * len(counts):
                batch = batch.repeated(of_tree)
            if labelled is None:
                limits = self.label_limits(of_tree, heads)
                label_scores = parser.labels.label(batch, heads, limits)
                labels, _ = label_scores.best()
            else:
                label_scores, labels = labelled
        names = parser.labels.dictionary.names
        parsed = ParsedBatch(
            ScoredParts(self.parts, self.scores, self.shape, self.constraints),
            parser.arc_temperature,
            batch.lengths,
            label_scores,
            parser.label_temperature,
            names,
        )
        bounds = parsed.first_words.tolist()
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
        proofs = sum(tree.certificate.status is Status.OPTIMAL for found in trees for tree in found)
        self.counts.count(self.parts, proofs)
        return parses
