"""Learning from one tree at a time, on top of a parser that is finished.

The scores of the parser are fixed, those of its network included. What is learnt is a second table
of weights for the same templates, which starts at zero and is added to them. Its steps are those
of training: as long as the loss asks for, and no longer than the largest step, so there is no
learning rate to choose. Trees learnt before are visited again, lest the last one count too much.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import Encoded, Parts, Weights
from turbotree.learning import EpochRecord, LearnerOptions, Loss
from turbotree.learning.learner import learn_from
from turbotree.parsing.labels import LabelDictionary, LabelModel
from turbotree.parsing.parser import Parser
from turbotree.parsing.parts import PartSet
from turbotree.parsing.training.label_task import LabelTask
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.treebank import UNKNOWN, Treebank
from turbotree.quantities import check_least
from turbotree.scoring import (
    Batch,
    PartScorer,
    PartScores,
    SparseScorer,
    WeightedSum,
    score_every,
    sparse,
    sparse_weight,
)
from turbotree.text import Sentence, check_tree


@dataclass(frozen=True, kw_only=True)
class OnlineOptions:
    """How to learn from single trees.

    Attributes
    ----------
    visits
        How often a new tree is visited.
    replay
        How many earlier trees are visited with it.
    largest_step
        No step is longer; see :class:`turbotree.learning.LearnerOptions`.
    time_limit_seconds
        Earlier trees are left for another time when this is over.
    seed
        Decides which earlier trees are visited.
    """

    visits: int = 2
    replay: int = 30
    largest_step: float = 0.001
    time_limit_seconds: float = 0.8
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("visits", 1), ("replay", 0), ("seed", 0)):
            check_least(name, getattr(self, name), least)
        if not self.time_limit_seconds > 0:
            raise InputError(
                f"time_limit_seconds is {self.time_limit_seconds}; expected more than 0"
            )


class OnlineLearner:
    """Learns from trees, one after the other; :attr:`parser` is what has become of the parser.

    It is not for several threads at a time. The parsers that it gives never change.

    Parameters
    ----------
    parser
        The parser to begin with; it needs sparse features.
    options
        How to learn.

    Attributes
    ----------
    count
        Trees learnt so far; one that was learnt again counts once.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(20, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> learner = OnlineLearner(parser)
    >>> for sentence in treebank(5, seed=2):
    ...     learner.learn(sentence)
    >>> learner.count
    5
    >>> learner.parser is parser
    False
    """

    def __init__(self, parser: Parser, options: OnlineOptions | None = None) -> None:
        self._base = parser
        self.options = options or OnlineOptions()
        self._parts, self._labels = _Table(parser.parts), _Table(parser.labels.scorer)
        self._dictionary = parser.labels.dictionary
        self._chance = np.random.default_rng(self.options.seed)
        self._trees: dict[tuple[str, ...], _Tree] = {}
        self._loss, self._decoder = _loss_of(parser)

    @property
    def count(self) -> int:
        """Trees learnt so far."""
        return len(self._trees)

    def learn(self, sentence: Sentence) -> None:
        """Learn from a tree, and from some of those before it.

        Relations that the parser does not know are passed over, and the words' heads are learnt.

        Raises
        ------
        InputError
            If the sentence has no whole tree.
        """
        ends = time.monotonic() + self.options.time_limit_seconds
        key = (sentence.sent_id or "", *sentence.forms)
        new = self._add(key, sentence)
        for _ in range(self.options.visits):
            self._visit(new)
        others = [name for name in self._trees if name != key]
        most = min(self.options.replay, len(others))
        for place in self._chance.choice(len(others), most, replace=False) if most else ():
            if time.monotonic() > ends:
                break
            self._visit(self._trees[others[place]])

    def learn_all(
        self,
        sentences: Iterable[Sentence],
        *,
        epochs: int = 3,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Learn from many trees and those before them, in several passes, whatever the time.

        `stop` is asked before each tree; once it says yes, learning ends.
        """
        self.remember(sentences)
        for _ in range(epochs):
            names = list(self._trees)
            for place in self._chance.permutation(len(names)):
                if stop():
                    return
                self._visit(self._trees[names[place]])

    def remember(self, sentences: Iterable[Sentence]) -> None:
        """Take note of trees that the parser knows already, to visit them again now and then."""
        for sentence in sentences:
            self._add((sentence.sent_id or "", *sentence.forms), sentence)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return what was learnt, as arrays."""
        return {
            f"{name} {part}": array
            for name, table in (("parts", self._parts), ("labels", self._labels))
            for part, array in table.weights.state().items()
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take what another learner of the same parser has learnt, and keep one's own trees."""
        for name, table in (("parts", self._parts), ("labels", self._labels)):
            own = {
                part.partition(" ")[2]: array
                for part, array in state.items()
                if part.startswith(name)
            }
            table.weights = Weights.restore(own)

    @property
    def parser(self) -> Parser:
        """The parser as it is now; it does not change when more is learnt."""
        base = self._base
        if not self._trees:
            return base
        labels = LabelModel(
            self._labels.with_own(base.labels.scorer, len(self._dictionary.names)),
            self._dictionary,
            base.labels.encoder,
        )
        return replace(base, parts=self._parts.with_own(base.parts), labels=labels)

    def _add(self, key: tuple[str, ...], sentence: Sentence) -> _Tree:
        check_tree(sentence)
        base, names = self._base, self._dictionary.names
        data = Treebank.of([sentence], base.encoder, names)
        encoded, heads, labels = data.encoded[0], data.heads[0], data.labels[0]
        labels[labels < 0] = UNKNOWN
        self._dictionary = _widened(self._dictionary, _tags(base, encoded), heads, labels)
        batch = data.batch(0)
        arcs = base.pruner.candidates(batch, heads)
        parts = PartSet.build(batch.lengths, arcs, sparse(base.parts).families)
        tree = _Tree(
            batch,
            encoded,
            heads,
            labels,
            arcs,
            self._parts.base_scores(base.parts, batch, parts),
        )
        self._trees[key] = tree
        return tree

    def _visit(self, tree: _Tree) -> None:
        base = self._base
        arcs = PartTask(
            self._parts.scorer,
            [tree.encoded],
            [tree.heads],
            base.shape,
            [tree.arcs],
            self._decoder,
            base_scores=[tree.base],
        )
        self._step(arcs, self._parts, self._loss)
        if (tree.labels == UNKNOWN).all():
            return
        model = LabelModel(self._labels.scorer, self._dictionary, base.labels.encoder)
        parts = model.chains(tree.encoded, tree.heads).parts
        own = self._labels.base_scores(base.labels.scorer, tree.batch, parts)
        labels = LabelTask(model, [tree.encoded], [tree.heads], [tree.labels], [own])
        self._step(labels, self._labels, Loss.named("svm"))

    def _step(self, task: PartTask | LabelTask, table: _Table, loss: Loss) -> None:
        options = LearnerOptions(loss, 1, self.options.largest_step)
        # No round ends: what counts are the weights as they are now, not their average.
        learn_from(task, 0, 1, options, table.weights, EpochRecord(1), ends_round=False)


@dataclass(frozen=True)
class _Tree:
    """A tree with what does not change while it is learnt."""

    batch: Batch
    encoded: Encoded
    heads: IntArray
    labels: IntArray
    arcs: Parts
    base: PartScores


@dataclass
class _Table:
    """The weights that are learnt for one scorer, and the scorer's templates."""

    of: PartScorer
    weights: Weights = field(default_factory=Weights)

    def __post_init__(self) -> None:
        self.scorer: SparseScorer = sparse(self.of)
        self.unit = sparse_weight(self.of)

    def base_scores(
        self, scorer: PartScorer, batch: Batch, parts: Mapping[str, Parts]
    ) -> PartScores:
        """Return the fixed scores, in units of the features' own."""
        return {
            name: _of_unit(scores, self.unit)
            for name, scores in score_every(scorer, batch, parts).items()
        }

    def with_own(self, scorer: PartScorer, labels: int | None = None) -> WeightedSum:
        """Return the fixed scorer plus what was learnt."""
        terms = scorer.terms if isinstance(scorer, WeightedSum) else ((1.0, scorer),)
        own = self.scorer.with_weights(self.weights.freeze(labels=labels))
        return WeightedSum([*terms, (self.unit, own)])


def _of_unit(scores: FloatArray, unit: float) -> FloatArray:
    return scores if unit == 1.0 else scores / unit


def _loss_of(parser: Parser) -> tuple[Loss, str]:
    """Return the loss and the decoder that the parser was trained with, the usual ones if unknown.

    A network beside features leaves scores that are logarithms of probabilities: the loss is then
    that of a CRF.
    """
    known = parser.record.get("options", {})
    if isinstance(parser.parts, WeightedSum):
        return Loss.named("crf"), "admm"
    try:
        loss = Loss(float(known["beta"]), float(known["gamma"]))
    except (KeyError, TypeError, ValueError, InputError):
        loss = Loss.named("svm")
    decoder = "exact" if known.get("decoder") == "exact" else "admm"
    return loss if math.isfinite(loss.gamma) else Loss.named("svm"), decoder


def _tags(parser: Parser, encoded: Encoded) -> IntArray:
    row = parser.encoder.attributes.index("upos")
    tags: IntArray = encoded.ids[row]
    return tags


def _widened(
    dictionary: LabelDictionary, tags: IntArray, heads: IntArray, labels: IntArray
) -> LabelDictionary:
    """Return a dictionary that allows the labels of a tree too.

    Those that the label of the root forbids, or demands, stay as they are and become unknown.
    """
    lists, sets = dictionary.lists, dictionary.all_lists()
    for word, (head, label) in enumerate(zip(heads.tolist(), labels.tolist(), strict=True)):
        modifier, above = int(tags[word + 1]), int(tags[head])
        if label < 0 or label in sets[lists[modifier, above]]:
            continue
        if dictionary.root is not None and (label == dictionary.root) != (head == 0):
            labels[word] = UNKNOWN
            continue
        if lists is dictionary.lists:
            lists = lists.copy()
        sets.append(sorted([*sets[lists[modifier, above]], label]))
        lists[modifier, above] = len(sets) - 1
    if lists is dictionary.lists:
        return dictionary
    widened = LabelDictionary.of_sets(dictionary.names, lists, sets)
    return replace(widened, root=dictionary.root)


def learnt(
    parser: Parser, trees: Sequence[Sentence], options: OnlineOptions | None = None
) -> Parser:
    """Return what becomes of a parser that learns from some trees, one after the other.

    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(20, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> learnt(parser, []) is parser
    True
    """
    learner = OnlineLearner(parser, options)
    for tree in trees:
        learner.learn(tree)
    return learner.parser
