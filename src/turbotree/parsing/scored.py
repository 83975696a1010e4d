"""A batch of sentences with the scores of their parts: what is decoded, and then labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import IntArray
from turbotree.graphs import Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.constrained import label_limits
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.decoding.certificate import FoundTree
from turbotree.parsing.labels import LabelLimits, LabelScores
from turbotree.parsing.parse import Parse, ParsedBatch
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.profile import Profile
from turbotree.scoring import Batch, PartScores
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


@dataclass(frozen=True)
class ScoredBatch:
    """A batch whose parts have scores.

    Attributes
    ----------
    parser, sentences, batch
        What the scores come from.
    parts, scores
        The candidate arcs with what they form, and their scores by family.
    shape, constraints
        Which trees are allowed; constraints are one per sentence, if there are some.
    counts
        Where time and parts are counted.
    """

    parser: Parser
    sentences: Sequence[Sentence]
    batch: Batch
    parts: PartSet
    scores: PartScores
    shape: TreeShape
    constraints: Sequence[Constraints] | None
    counts: Profile

    def sentence(self, index: int) -> ScoredSentence:
        """Return one sentence with its scores."""
        at = self.parts.sentence_slices(index)
        scores = {name: self.scores[name][where] for name, where in at.items()}
        constraints = self.constraints[index] if self.constraints is not None else None
        return ScoredSentence(self.parts, index, scores, self.shape, constraints)

    def __iter__(self) -> Iterator[ScoredSentence]:
        return map(self.sentence, range(len(self.sentences)))

    @property
    def has_spans(self) -> bool:
        """Whether some sentence has spans that are subtrees."""
        return self.constraints is not None and any(own.spans for own in self.constraints)

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
        parsed = ParsedBatch(self, batch.lengths, label_scores)
        names, bounds = parser.labels.dictionary.names, parsed.first_words.tolist()
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
