"""A batch of sentences with the scores of their parts: what is decoded, and then labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from turbotree.arrays import IntArray
from turbotree.graphs import Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.certificate import Certificate
from turbotree.parsing.constrained import label_limits
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.labels import LabelLimits, LabelScores
from turbotree.parsing.parse import Parse, ParsedBatch
from turbotree.parsing.parts import PartSet
from turbotree.parsing.probabilities import Amend
from turbotree.parsing.profile import Profile
from turbotree.scoring import Batch, PartScores
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


class FoundTree(NamedTuple):
    """The heads of a tree, its score, and what is known of it."""

    heads: IntArray
    score: float
    certificate: Certificate


@dataclass(frozen=True)
class Scored:
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

    def scores_of(self, sentence: int) -> PartScores:
        """Return the scores of one sentence's parts, by family."""
        at = self.parts.sentence_slices(sentence)
        return {name: self.scores[name][where] for name, where in at.items()}

    @property
    def has_spans(self) -> bool:
        """Whether some sentence has spans that are subtrees."""
        return self.constraints is not None and any(own.spans for own in self.constraints)

    def amend(self, sentence: int) -> Amend | None:
        """Return what adds the factors that constraints of a sentence need; None for none."""
        if self.constraints is None or not self.constraints[sentence].spans:
            return None
        rows = self.parts.arcs.rows[self.parts.arcs.places(sentence)]
        return partial(self.constraints[sentence].add_spans, rows=rows)

    def constraints_of(self, sentence: int) -> Constraints | None:
        """Return what the tree of one sentence has to obey, if anything."""
        return self.constraints[sentence] if self.constraints is not None else None

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
        parsed = ParsedBatch(
            self.parts,
            self.scores,
            self.shape,
            self.constraints,
            batch.lengths,
            parser.arc_temperature,
            label_scores,
            parser.label_temperature,
            parser.labels.dictionary.names,
        )
        names, bounds = parsed.label_names, parsed.first_words.tolist()
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
