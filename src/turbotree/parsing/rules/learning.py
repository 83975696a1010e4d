"""Weights of rules, learnt from a treebank with the rest of the model as it is.

A rule is a template with one feature: how many of its instances a tree breaks. Wrong arcs and
labels are made attractive by 1 each, as in training an SVM; where the best answer then differs
from the right one in what it breaks, the weights move by the smallest step that would set it
right, or by the largest step. The result is the average over all steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs.rules.syntax import Rule
from turbotree.parsing.decoding import decode
from turbotree.parsing.labels import LabelScores
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.rules.compiled import RulesLike, compile_rules
from turbotree.parsing.rules.groundings import TreeWorld
from turbotree.parsing.rules.labelling import LabelGraph, search_labels
from turbotree.parsing.rules.lazy_grounding import broken_rules
from turbotree.parsing.rules.searching import search_tree
from turbotree.parsing.rules.words import Words
from turbotree.parsing.training.treebank import TrainingSource, read_trees
from turbotree.scoring import Batch
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser

Weights = Mapping[str, float]
Counts = dict[str, int]


def learn_rule_weights(
    parser: Parser,
    rules: RulesLike,
    train: TrainingSource,
    *,
    epochs: int = 5,
    largest_step: float = 0.05,
) -> Parser:
    """Learn the weights of the rules that are written ``[?]``.

    Parameters
    ----------
    parser
        Stays as it is.
    rules
        As for :func:`turbotree.parsing.compile_rules`; hard rules and given weights are obeyed.
    train
        A treebank: a path, or sentences.
    epochs
        Passes over the sentences in which a rule is broken, or might be.
    largest_step
        How far one sentence may move a weight.

    Returns
    -------
    Parser
        The same parser, which knows the weights by the rules' names, and saves them too.

    Examples
    --------
    >>> from turbotree import Parser
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(40, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> rule = "rule one: [?] forall h: at most 1 m: label(h, m, 'nsubj*')"
    >>> knowing = learn_rule_weights(parser, rule, treebank(40, seed=1), epochs=2)
    >>> sorted(knowing.record["rules"])
    ['one']
    >>> parse = knowing.parse(next(treebank(1, seed=2)), rules=rule)
    """
    compiled = compile_rules(rules)
    compiled.check_labels(parser.labels.dictionary.names)
    wanted = [rule for rule in compiled.rules if rule.learn]
    if not wanted:
        raise InputError(f"{compiled.source}: no rule has the weight [?], to be learnt")
    sentences = read_trees(train, "train")
    weights = dict.fromkeys((rule.name for rule in wanted), 0.0)
    for kind, of_kind in ((_Labels, compiled.of_labels), (_Tree, compiled.of_trees)):
        names = [rule.name for rule in of_kind if rule.learn]
        if names:
            examples: list[_Labels | _Tree] = [
                example
                for sentence in sentences
                if (example := kind.of(parser, of_kind, compiled.source, sentence)) is not None
            ]
            weights |= _learn(examples, names, epochs, largest_step)
    known = {**parser.record.get("rules", {}), **weights}
    return replace(parser, record={**parser.record, "rules": known})


def _learn(
    examples: Sequence[_Labels | _Tree],
    names: Sequence[str],
    epochs: int,
    largest_step: float,
) -> dict[str, float]:
    weights = dict.fromkeys(names, 0.0)
    sums, rounds = dict.fromkeys(names, 0.0), 0
    for _ in range(epochs):
        for example in examples:
            loss, broken = example.answer(weights)
            change = {name: broken.get(name, 0) - example.gold.get(name, 0) for name in names}
            length = sum(count**2 for count in change.values())
            if length and loss > 0.0:
                step = min(largest_step, loss / length)
                for name, count in change.items():
                    weights[name] += step * count
            rounds += 1
            for name in names:
                sums[name] += weights[name]
    return {name: sums[name] / max(rounds, 1) for name in names}


def _counted(rules: Sequence[Rule], world: TreeWorld) -> Counts:
    return {name: bindings.size for name, bindings in broken_rules(rules, world).items()}


def _weighted(rules: Sequence[Rule], weights: Weights) -> list[Rule]:
    return [replace(r, weight=weights[r.name]) if r.name in weights else r for r in rules]


def _cost(rules: Sequence[Rule], counts: Counts) -> float:
    return sum((rule.weight or 0.0) * counts.get(rule.name, 0) for rule in rules)


@dataclass
class _Labels:
    """A sentence with its right tree, whose labels are to be found."""

    parser: Parser
    rules: Sequence[Rule]
    source: str
    words: Words
    heads: IntArray
    scores: LabelScores
    free: list[str]
    right: list[str]
    gold: Counts

    @classmethod
    def of(
        cls, parser: Parser, rules: Sequence[Rule], source: str, sentence: Sentence
    ) -> _Labels | None:
        """Make the example; None if the rules do not matter, or the right labels are unknown."""
        words, names = Words(sentence), parser.labels.dictionary.names
        heads = np.array(sentence.heads, dtype=np.int32)
        plain = parser.labels.label(Batch([sentence]), heads)
        nodes = plain.structure.nodes
        numbers = {name: i for i, name in enumerate(names)}
        right = np.array([numbers.get(label, -1) for label in sentence.labels])
        of_node = np.repeat(right[plain.structure.words], np.diff(nodes.label_offsets))
        wrong = nodes.labels != of_node
        if np.count_nonzero(~wrong) < len(right):
            return None
        scores = replace(plain, node_scores=plain.node_scores + wrong)
        free = [names[label] for label in scores.best()[0].tolist()]
        gold = _counted(rules, TreeWorld(words, heads, sentence.labels))
        if not gold and not _counted(rules, TreeWorld(words, heads, free)):
            return None
        return cls(parser, rules, source, words, heads, scores, free, list(sentence.labels), gold)

    def answer(self, weights: Weights) -> tuple[float, Counts]:
        """Return how much better the best answer looks than the right one, and what it breaks."""
        rules, names = _weighted(self.rules, weights), self.parser.labels.dictionary.names
        try:
            found = search_labels(
                self.words, self.heads, self.free, self.scores, names, rules, self.source
            )
        except InfeasibleError:
            return 0.0, {}
        counts = _counted(rules, TreeWorld(self.words, self.heads, found))
        graph = LabelGraph(self.scores, names)
        better = graph.score(found) - graph.score(self.right)
        return better - _cost(rules, counts) + _cost(rules, self.gold), counts


@dataclass
class _Tree:
    """A sentence whose tree is to be found."""

    rules: Sequence[Rule]
    source: str
    words: Words
    scored: ScoredSentence
    free: IntArray
    right: IntArray
    gold: Counts

    @classmethod
    def of(
        cls, parser: Parser, rules: Sequence[Rule], source: str, sentence: Sentence
    ) -> _Tree | None:
        """Make the example; None if the rules do not matter."""
        words = Words(sentence)
        right = np.array(sentence.heads, dtype=np.int32)
        batch = Batch([sentence])
        arcs = parser.pruner.candidates(batch, keep=right)
        parts = PartSet.build(batch.lengths, arcs, parser.parts.families)
        scores = parser.parts.score(batch, parts)
        wrong = right[arcs.rows[:, 1] - 1] != arcs.rows[:, 0]
        scores = {**scores, "arc": scores["arc"] + wrong}
        scored = ScoredSentence(parts, 0, scores, parser.shape)
        free = decode(scored).heads
        gold = _counted(rules, TreeWorld(words, right))
        if not gold and not _counted(rules, TreeWorld(words, free)):
            return None
        return cls(rules, source, words, scored, free, right, gold)

    def answer(self, weights: Weights) -> tuple[float, Counts]:
        """Return how much better the best answer looks than the right one, and what it breaks."""
        rules = _weighted(self.rules, weights)
        try:
            found = search_tree(
                self.words,
                self.scored,
                rules,
                self.source,
                first=self.free,
                thorough=False,
            )
        except InfeasibleError:
            return 0.0, {}
        right = self.scored.score(self.right) - _cost(rules, self.gold)
        return found.score - right, _counted(rules, TreeWorld(self.words, found.heads))
