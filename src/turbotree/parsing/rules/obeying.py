"""From the answers of a parser to answers that obey rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from turbotree.errors import InfeasibleError, InputError
from turbotree.features import Encoded
from turbotree.graphs import Status
from turbotree.graphs.rules.syntax import Rule
from turbotree.graphs.rules.world import Bindings
from turbotree.parsing.arcs import FloatArray, IntArray, TreeShape
from turbotree.parsing.decoding import Certificate
from turbotree.parsing.labels import LabelScores
from turbotree.parsing.model import PartScores
from turbotree.parsing.parts import PartSet
from turbotree.parsing.rules.clashes import clash_message
from turbotree.parsing.rules.compiled import (
    ParserRules,
    RulesLike,
    compile_rules,
    label_patterns,
)
from turbotree.parsing.rules.labelling import LabelGraph, search_labels
from turbotree.parsing.rules.lazily import broken_rules, cost_of
from turbotree.parsing.rules.searching import FoundTree, search_tree
from turbotree.parsing.rules.unpruned import tree_of_all_arcs, with_arcs_of
from turbotree.parsing.rules.words import Words
from turbotree.parsing.rules.worlds import TreeWorld, matches
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser

#: So many arcs of a tree are left out by turns where its labels break rules.
_MOST_ARCS = 8

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


class LabelledTree(NamedTuple):
    """A tree with labels, and the sum of the scores of both, less the cost of broken rules."""

    tree: FoundTree
    labels: list[str]
    total: float


def concerned(
    rules: Sequence[Rule],
    broken: Mapping[str, Bindings],
    heads: IntArray,
    labels: Sequence[str],
) -> list[tuple[int, int]]:
    """Return some arcs at the words of broken instances, with labels that the rule asks for."""
    found: list[tuple[int, int]] = []
    for rule in rules:
        if rule.name not in broken:
            continue
        patterns = [one for patterns in sorted(label_patterns(rule)) for one in patterns]
        words = set(np.concatenate([[], *broken[rule.name].columns.values()]).tolist())
        for word, (head, label) in enumerate(zip(heads.tolist(), labels, strict=True), 1):
            if (not words or head in words or word in words) and matches(label, patterns):
                found.append((head, word))
    return found[:_MOST_ARCS]


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

        Where the best labels of a tree break rules, other labels are looked for, and other trees:
        the best without one of the arcs that are concerned. The highest sum of the scores of tree
        and labels is taken. If no labels of the tree obey, it becomes the best tree of which some
        do. Values and certificates are replaced in the lists.
        """
        rules = self.rules.of_labels
        if not rules:
            return heads, scores, labels
        names = self.parser.labels.dictionary.names
        rewarding = any(rule.weight is not None and rule.weight < 0 for rule in rules)
        changed, new_heads = labels.copy(), heads.copy()
        for sentence, words in enumerate(self.words):
            at = slice(self.first_words[sentence], self.first_words[sentence + 1])
            given = [names[label] for label in labels[at].tolist()]
            broken = broken_rules(rules, TreeWorld(words, heads[at], given))
            if not broken and not rewarding:
                continue
            tree = FoundTree(heads[at], values[sentence], certificates[sentence])
            found = self._labelled_tree(sentence, tree, concerned(rules, broken, heads[at], given))
            new_heads[at], values[sentence], certificates[sentence] = found.tree
            changed[at] = [names.index(label) for label in found.labels]
        if (new_heads != heads).any():
            scores = self.parser.labels.label(self.encoded, new_heads)
        return new_heads, scores, changed

    def _labelled_tree(
        self, sentence: int, tree: FoundTree, arcs: Sequence[tuple[int, int]]
    ) -> LabelledTree:
        """Return the best of a tree with other labels, and of the best trees without an arc."""
        alone = self.parser.encoder.encode([self.sentences[sentence]])
        try:
            best = self._labelled(sentence, alone, tree)
        except InfeasibleError:
            return self._labelled(sentence, alone, self._search(sentence, tree.heads, joint=True))
        bound = tree.certificate.bound
        for arc in arcs:
            try:
                other = self._search_candidates(sentence, tree.heads, without=arc)
                found = self._labelled(sentence, alone, other)
            except InfeasibleError:
                continue
            if found.total > best.total:
                # Of trees alone, the first is the better one: that is what is known.
                gap = max(0.0, bound - other.score)
                known = replace(other.certificate, status=Status.LIMIT, bound=bound, gap=gap)
                best = found._replace(tree=other._replace(certificate=known))
        return best

    def _labelled(self, sentence: int, encoded: Encoded, tree: FoundTree) -> LabelledTree:
        """Return a tree with its best labels that obey."""
        names, words = self.parser.labels.dictionary.names, self.words[sentence]
        scores = self.parser.labels.label(encoded, tree.heads)
        free = [names[label] for label in scores.best()[0].tolist()]
        rules, source = self.rules.of_labels, self.rules.source
        found = search_labels(words, tree.heads, free, scores, 0, 0, names, rules, source)
        value = LabelGraph(scores, 0, 0, names).score(found)
        broken = broken_rules(rules, TreeWorld(words, tree.heads, found))
        return LabelledTree(tree, found, tree.score + value - cost_of(rules, broken))

    def _search_candidates(
        self,
        sentence: int,
        heads: IntArray,
        *,
        without: tuple[int, int] | None = None,
        label_rules: Sequence[Rule] = (),
    ) -> FoundTree:
        """Search the candidate arcs."""
        own: dict[str, FloatArray] = {
            name: self.scores[name][where]
            for name, where in self.parts.sentence_slices(sentence).items()
        }
        return search_tree(
            self.words[sentence],
            self.parts,
            sentence,
            own,
            self.shape,
            self.rules.of_trees,
            self.rules.source,
            decoder=self.decoder,
            first=heads,
            without=without,
            thorough=self.decoder == "exact",
            label_rules=label_rules,
            labels_of=self.labels_of(sentence) if label_rules else None,
        )

    def _search(self, sentence: int, heads: IntArray, joint: bool) -> FoundTree:
        """Search the candidate arcs, or, if no tree of them obeys, more than those."""
        hard_labels = [rule for rule in self.rules.of_labels if rule.weight is None and joint]
        try:
            return self._search_candidates(sentence, heads, label_rules=hard_labels)
        except InfeasibleError:
            pass
        words, rules, source = self.words[sentence], self.rules.of_trees, self.rules.source
        alone = self.parser.encoder.encode([self.sentences[sentence]])
        labels_of = self.labels_of(sentence)
        hard = [rule for rule in rules if rule.weight is None]
        try:
            tree = tree_of_all_arcs(
                self.parser,
                alone,
                words,
                self.shape,
                hard,
                source,
                label_rules=hard_labels,
                labels_of=labels_of,
            )
        except InfeasibleError:
            every = [*hard, *hard_labels]
            message = clash_message(words, self.shape, every, source, labels_of)
            raise InfeasibleError(message) from None
        parts, scores = with_arcs_of(self.parser, alone, self.parts, sentence, tree)
        return search_tree(
            words,
            parts,
            0,
            scores,
            self.shape,
            rules,
            source,
            decoder=self.decoder,
            first=heads,
            known=tree,
            thorough=self.decoder == "exact",
            label_rules=hard_labels,
            labels_of=labels_of,
        )

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
