"""From the answers of a parser to answers that obey rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Status
from turbotree.graphs.rules.syntax import Rule
from turbotree.graphs.rules.world import Bindings
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.parsing.constraints import place
from turbotree.parsing.decoding.certificate import FoundTree
from turbotree.parsing.labels import LabelScores
from turbotree.parsing.parse import Parse
from turbotree.parsing.rules.clashes import clash_message
from turbotree.parsing.rules.compiled import (
    ParserRules,
    RulesLike,
    compile_rules,
    label_patterns,
)
from turbotree.parsing.rules.groundings import TreeWorld, matches
from turbotree.parsing.rules.label_choices import LabelsOf
from turbotree.parsing.rules.labelling import LabelGraph, search_labels
from turbotree.parsing.rules.lazy_grounding import broken_rules, cost_of, rewards
from turbotree.parsing.rules.searching import search_tree
from turbotree.parsing.rules.unpruned import tree_of_all_arcs, with_arcs_of
from turbotree.parsing.rules.words import Words
from turbotree.parsing.scored import ScoredBatch
from turbotree.scoring import Batch

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser

#: So many arcs of a tree are omitted by turns where its labels break rules.
_MOST_ARCS = 8

#: Decoders whose trees are the best of another kind: rules have nothing to hold them against.
_BY_RISK = ("mbr", "bp")


def read_rules(rules: RulesLike, parser: Parser, decoder: str) -> ParserRules:
    """Compile rules, and refuse what does not go with them: labels, decoders."""
    compiled = compile_rules(rules).with_learnt(parser.record.get("rules", {}))
    compiled.check_labels(parser.labels.dictionary.names)
    if decoder in _BY_RISK:
        raise InputError(f"decoder {decoder!r} knows no rules; choose another, or omit them")
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


def obey(
    scored: ScoredBatch,
    rules: ParserRules,
    decoder: str,
    trees: Sequence[FoundTree],
    time_limit_seconds: float | None = None,
) -> list[Parse]:
    """Return parses that obey rules, given the best trees without them."""
    constrained = ConstrainedBatch(scored, rules, decoder, time_limit_seconds)
    found = constrained.trees(trees)
    scored.ends["decoding"] = thread_time()
    found, label_scores, labels = constrained.labels(found)
    return [own[0] for own in scored.label([[tree] for tree in found], (label_scores, labels))]


@dataclass
class ConstrainedBatch:
    """A batch of sentences whose parses have to obey rules.

    What is found without rules is kept wherever it obeys them.

    Attributes
    ----------
    scored
        The sentences with the scores of their parts.
    rules, decoder
        What to obey, and how to search.
    time_limit_seconds
        For the search of one sentence's tree, and again for its labels.
    """

    scored: ScoredBatch
    rules: ParserRules
    decoder: str
    time_limit_seconds: float | None = None

    @cached_property
    def words(self) -> list[Words]:
        """The words of each sentence."""
        return [Words(sentence) for sentence in self.scored.sentences]

    @property
    def parser(self) -> Parser:
        """Whose parses these are."""
        return self.scored.parser

    def trees(self, trees: Sequence[FoundTree]) -> list[FoundTree]:
        """Return the best trees that obey the rules that do not speak of labels."""
        rules = self.rules.of_trees
        rewarding = rewards(rules)
        found = []
        for sentence, (words, tree) in enumerate(zip(self.words, trees, strict=True)):
            with self._in_time(sentence):
                if rewarding or broken_rules(rules, TreeWorld(words, tree.heads)):
                    found.append(self.search(sentence, tree.heads, joint=False))
                else:
                    found.append(tree)
        return found

    @contextmanager
    def _in_time(self, sentence: int) -> Iterator[None]:
        """Break a search off when its time is over: half of it proves nothing about rules."""
        try:
            with time_limit(self.time_limit_seconds):
                yield
        except OutOfTimeError:
            raise InputError(
                f"{place(self.scored.sentences[sentence])}: no tree that obeys the rules of "
                f"{self.rules.source} was found in {self.time_limit_seconds:g} seconds"
            ) from None

    def labels(self, trees: Sequence[FoundTree]) -> tuple[list[FoundTree], LabelScores, IntArray]:
        """Return labels that obey the rules, with the trees and scores that they go with.

        Where the best labels of a tree break rules, other labels are looked for, and other trees:
        the best without one of the arcs that are concerned. The highest sum of the scores of tree
        and labels is taken. If no labels of the tree obey, it becomes the best tree of which some
        do.
        """
        rules, names = self.rules.of_labels, self.parser.labels.dictionary.names
        heads = np.concatenate([tree.heads for tree in trees])
        scores = self._scores_of_labels(heads)
        labels, _ = scores.best()
        rewarding = rewards(rules)
        found, first = list(trees), 0
        for sentence, (words, tree) in enumerate(zip(self.words, trees, strict=True)):
            at = slice(first, first + words.size)
            first = at.stop
            given = [names[label] for label in labels[at].tolist()]
            broken = broken_rules(rules, TreeWorld(words, tree.heads, given))
            if not broken and not rewarding:
                continue
            arcs = concerned(rules, broken, tree.heads, given)
            with self._in_time(sentence):
                best = self._labelled_tree(sentence, tree, arcs)
            found[sentence] = best.tree
            labels[at] = [names.index(label) for label in best.labels]
        changed = np.concatenate([tree.heads for tree in found])
        if (changed != heads).any():
            scores = self._scores_of_labels(changed)
        return found, scores, labels

    def _scores_of_labels(self, heads: IntArray) -> LabelScores:
        """Score the labels of all words of the batch in trees, as far as they may have them."""
        limits = self.scored.label_limits(range(len(self.words)), heads)
        return self.parser.labels.label(self.scored.batch, heads, limits)

    def _labelled_tree(
        self, sentence: int, tree: FoundTree, arcs: Sequence[tuple[int, int]]
    ) -> LabelledTree:
        """Return the best of a tree with other labels, and of the best trees without an arc."""
        alone = self.alone(sentence)
        try:
            best = self.labelled(sentence, alone, tree)
        except InfeasibleError:
            return self.labelled(sentence, alone, self.search(sentence, tree.heads, joint=True))
        bound = tree.certificate.bound
        for arc in arcs:
            try:
                other = self._search_candidates(sentence, tree.heads, without=arc)
                found = self.labelled(sentence, alone, other)
            except InfeasibleError:
                continue
            if found.total > best.total:
                # Of trees alone, the first is the better one: that is what is known.
                gap = max(0.0, bound - other.score)
                known = replace(other.certificate, status=Status.LIMIT, bound=bound, gap=gap)
                best = found._replace(tree=other._replace(certificate=known))
        return best

    def alone(self, sentence: int) -> Batch:
        """Return one sentence as a batch."""
        return self.scored.batch.repeated([sentence])

    def labelled(self, sentence: int, alone: Batch, tree: FoundTree) -> LabelledTree:
        """Return a tree with its best labels that obey; `alone` is the sentence as a batch."""
        names, words = self.parser.labels.dictionary.names, self.words[sentence]
        limits = self.scored.label_limits([sentence], tree.heads)
        scores = self.parser.labels.label(alone, tree.heads, limits)
        free = [names[label] for label in scores.best()[0].tolist()]
        rules, source = self.rules.of_labels, self.rules.source
        found = search_labels(words, tree.heads, free, scores, names, rules, source)
        value = LabelGraph(scores, names).score(found)
        broken = broken_rules(rules, TreeWorld(words, tree.heads, found))
        return LabelledTree(tree, found, tree.score + value - cost_of(rules, broken))

    def _search_candidates(
        self,
        sentence: int,
        heads: IntArray | None,
        *,
        without: tuple[int, int] | None = None,
        label_rules: Sequence[Rule] = (),
    ) -> FoundTree:
        """Search the candidate arcs."""
        return search_tree(
            self.words[sentence],
            self.scored.sentence(sentence),
            self.rules.of_trees,
            self.rules.source,
            decoder=self.decoder,
            first=heads,
            without=without,
            thorough=self.decoder == "exact",
            label_rules=label_rules,
            labels_of=self.labels_of(sentence) if label_rules else None,
        )

    def hard_label_rules(self) -> list[Rule]:
        """Return the rules of labels that have to hold."""
        return [rule for rule in self.rules.of_labels if rule.weight is None]

    def search(self, sentence: int, heads: IntArray | None, *, joint: bool) -> FoundTree:
        """Search the candidate arcs, or, if no tree of them obeys, more than those.

        Parameters
        ----------
        sentence
            Which sentence.
        heads
            Its best tree without rules, if that is known.
        joint
            Whether the tree has to be one that can be labelled as the rules want.
        """
        hard_labels = self.hard_label_rules() if joint else []
        try:
            return self._search_candidates(sentence, heads, label_rules=hard_labels)
        except InfeasibleError:
            pass
        words, rules, source = self.words[sentence], self.rules.of_trees, self.rules.source
        alone = self.alone(sentence)
        labels_of = self.labels_of(sentence)
        hard = [rule for rule in rules if rule.weight is None]
        scored = self.scored.sentence(sentence)
        try:
            tree = tree_of_all_arcs(
                self.parser,
                alone,
                words,
                scored,
                hard,
                source,
                label_rules=hard_labels,
                labels_of=labels_of,
            )
        except InfeasibleError:
            if scored.constraints:
                where = place(words.sentence)
                message = f"{where}: no tree obeys both the rules of {source} and the constraints"
                raise InfeasibleError(message) from None
            every = [*hard, *hard_labels]
            message = clash_message(words, self.scored.shape, every, source, labels_of)
            raise InfeasibleError(message) from None
        return search_tree(
            words,
            with_arcs_of(self.parser, alone, scored, tree),
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
        return LabelsOf(self.parser, self.alone(sentence))
