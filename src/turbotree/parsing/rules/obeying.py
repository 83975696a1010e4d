"""From the answers of a parser to answers that obey rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from turbotree.errors import InfeasibleError, InputError
from turbotree.features import Encoded
from turbotree.parsing.arcs import FloatArray, IntArray, TreeShape
from turbotree.parsing.decoding import Certificate
from turbotree.parsing.labels import LabelScores
from turbotree.parsing.model import PartScores
from turbotree.parsing.parts import PartSet
from turbotree.parsing.rules.clashes import clash_message
from turbotree.parsing.rules.compiled import ParserRules, RulesLike, compile_rules
from turbotree.parsing.rules.labelling import search_labels
from turbotree.parsing.rules.lazily import broken_rules
from turbotree.parsing.rules.searching import FoundTree, search_tree
from turbotree.parsing.rules.unpruned import tree_of_all_arcs, with_arcs_of
from turbotree.parsing.rules.words import Words
from turbotree.parsing.rules.worlds import TreeWorld
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser

#: Decoders whose trees are the best of another kind: rules have nothing to hold them against.
_BY_RISK = ("mbr", "bp")


def read_rules(rules: RulesLike | None, parser: Parser, decoder: str) -> ParserRules | None:
    """Compile rules, and refuse labels and decoders that do not go with them."""
    if rules is None:
        return None
    compiled = compile_rules(rules).with_learnt(parser.record.get("rules", {}))
    compiled.check_labels(parser.labels.dictionary.names)
    if decoder in _BY_RISK:
        raise InputError(f"decoder {decoder!r} knows no rules; choose another, or leave them out")
    return compiled


@dataclass
class Obeying:
    """A batch of sentences whose parses have to obey rules.

    What is found without rules is kept wherever it obeys them.

    Attributes
    ----------
    parser, rules, sentences, encoded
        Who parses what, and how.
    parts, scores, shape, decoder
        As the parser decodes them.
    """

    parser: Parser
    rules: ParserRules
    sentences: Sequence[Sentence]
    encoded: Encoded
    parts: PartSet
    scores: PartScores
    shape: TreeShape
    decoder: str

    @cached_property
    def words(self) -> list[Words]:
        """The words of each sentence."""
        return [Words(sentence) for sentence in self.sentences]

    @cached_property
    def first_words(self) -> list[int]:
        """The place of each sentence's first word among those of the batch."""
        bounds: list[int] = np.concatenate([[0], np.cumsum(self.parts.lengths)]).tolist()
        return bounds

    def trees(
        self, heads: IntArray, values: list[float], certificates: list[Certificate]
    ) -> tuple[IntArray, list[float], list[Certificate]]:
        """Return the best trees that obey the rules that do not speak of labels."""
        rules = self.rules.of_trees
        if not rules:
            return heads, values, certificates
        heads, values, certificates = heads.copy(), list(values), list(certificates)
        rewarding = any(rule.weight is not None and rule.weight < 0 for rule in rules)
        for sentence, words in enumerate(self.words):
            at = slice(self.first_words[sentence], self.first_words[sentence + 1])
            if rewarding or broken_rules(rules, TreeWorld(words, heads[at])):
                found = self._search(sentence, heads[at], joint=False)
                heads[at], values[sentence], certificates[sentence] = found
        return heads, values, certificates

    def labels(
        self,
        heads: IntArray,
        values: list[float],
        certificates: list[Certificate],
        scores: LabelScores,
        labels: IntArray,
    ) -> tuple[IntArray, LabelScores, IntArray]:
        """Return labels that obey the rules, and the heads and scores that they go with.

        Labels come second: the tree stays as it is if any labels of it obey. Else it becomes the
        best tree of which some do; its value and certificate are replaced in the lists.
        """
        rules = self.rules.of_labels
        if not rules:
            return heads, scores, labels
        changed, stuck = labels.copy(), []
        for sentence in range(len(self.sentences)):
            try:
                self._relabel(sentence, heads, scores, changed)
            except InfeasibleError:
                stuck.append(sentence)
        if not stuck:
            return heads, scores, changed
        heads = heads.copy()
        for sentence in stuck:
            at = slice(self.first_words[sentence], self.first_words[sentence + 1])
            found = self._search(sentence, heads[at], joint=True)
            heads[at], values[sentence], certificates[sentence] = found
        scores = self.parser.labels.label(self.encoded, heads)
        again, _ = scores.best()
        for sentence in stuck:
            at = slice(self.first_words[sentence], self.first_words[sentence + 1])
            changed[at] = again[at]
            self._relabel(sentence, heads, scores, changed)
        return heads, scores, changed

    def _relabel(
        self, sentence: int, heads: IntArray, scores: LabelScores, labels: IntArray
    ) -> None:
        """Replace a sentence's labels by the best that obey."""
        names = self.parser.labels.dictionary.names
        at = slice(self.first_words[sentence], self.first_words[sentence + 1])
        given = [names[label] for label in labels[at].tolist()]
        found = search_labels(
            self.words[sentence],
            heads[at],
            given,
            scores,
            sentence,
            at.start,
            names,
            self.rules.of_labels,
            self.rules.source,
        )
        if found != given:
            labels[at] = [names.index(label) for label in found]

    def _search(self, sentence: int, heads: IntArray, joint: bool) -> FoundTree:
        """Search the candidate arcs, or, if no tree of them obeys, more than those."""
        hard_labels = [rule for rule in self.rules.of_labels if rule.weight is None]
        with_labels = {
            "label_rules": hard_labels if joint else (),
            "labels_of": self.labels_of(sentence) if joint else None,
        }
        words, rules = self.words[sentence], self.rules.of_trees

        def search(
            parts: PartSet, at: int, scores: PartScores, known: IntArray | None = None
        ) -> FoundTree:
            return search_tree(
                words,
                parts,
                at,
                scores,
                self.shape,
                rules,
                self.rules.source,
                decoder=self.decoder,
                first=heads,
                known=known,
                thorough=self.decoder == "exact",
                **with_labels,  # type: ignore[arg-type]
            )

        own: dict[str, FloatArray] = {
            name: self.scores[name][where]
            for name, where in self.parts.sentence_slices(sentence).items()
        }
        try:
            return search(self.parts, sentence, own)
        except InfeasibleError:
            pass
        alone = self.parser.encoder.encode([self.sentences[sentence]])
        hard = [rule for rule in rules if rule.weight is None]
        try:
            tree = tree_of_all_arcs(
                self.parser,
                alone,
                words,
                self.shape,
                hard,
                self.rules.source,
                **with_labels,  # type: ignore[arg-type]
            )
        except InfeasibleError:
            raise InfeasibleError(
                clash_message(
                    words,
                    self.shape,
                    [*hard, *(hard_labels if joint else ())],
                    self.rules.source,
                    self.labels_of(sentence),
                )
            ) from None
        parts, scores = with_arcs_of(self.parser, alone, self.parts, sentence, tree)
        return search(parts, 0, scores, tree)

    def labels_of(self, sentence: int) -> LabelsOf:
        """Return which labels each arc of a sentence may have."""
        return LabelsOf(self.parser, self.parser.encoder.encode([self.sentences[sentence]]))


class LabelsOf:
    """The labels that arcs of one sentence may have, by the parser's dictionary."""

    def __init__(self, parser: Parser, encoded: Encoded) -> None:
        self._dictionary = parser.labels.dictionary
        self._tags = encoded.ids[parser.encoder.attributes.index("upos")].tolist()

    def __call__(self, head: int, modifier: int) -> list[str]:
        """Return the names of an arc's labels."""
        known = self._dictionary
        which = known.lists[self._tags[modifier], self._tags[head]]
        labels = known.labels[known.offsets[which] : known.offsets[which + 1]]
        return [known.names[label] for label in labels.tolist()]
