"""What development data are for: scores along the way, and honest probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.features import Parts
from turbotree.learning.temperature import fit_temperature, surprise_of_answer
from turbotree.parsing.arcs import Pruner, TreeShape, best_trees, single_heads, smoothed
from turbotree.parsing.decoding import decode, part_marginals
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.training.label_task import LabelTask
from turbotree.parsing.training.part_task import PartProblem, PartTask
from turbotree.parsing.training.treebank import Treebank
from turbotree.scoring import PartScorer, SparseScorer, rest_of, sparse_weight

#: Calls a function of the numbers from 0 on, on threads perhaps, and gives its answers in order.
Map = Callable[[Callable[[int], int], int], list[int]]

# Belief propagation is slow, and one number needs few trees.
_TREES_FOR_TEMPERATURE = 200
# What is tried for mixtures, whose scores are about logarithms of probabilities, on so many words.
_TEMPERATURES = (0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
_SMOOTHING = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.35, 0.4)
_WORDS_FOR_CALIBRATION = 20_000


def attachment(
    model: SparseScorer, dev: Treebank, candidates: Sequence[Parts], shape: TreeShape, map_: Map
) -> float:
    """Return the share of right heads, in per cent."""

    def right(i: int) -> int:
        batch = dev.batch(i)
        parts = PartSet.build(batch.lengths, candidates[i], model.families)
        scores = model.score(batch, parts)
        if parts.families:
            heads = decode(ScoredSentence(parts, 0, scores, shape)).heads
        else:
            heads = best_trees(batch.lengths, parts.arcs, scores["arc"], shape)
        return int(np.count_nonzero(heads == dev.heads[i]))

    return 100.0 * sum(map_(right, len(dev.heads))) / dev.words


def label_accuracy(model: LabelModel, dev: Treebank, map_: Map) -> float:
    """Return the share of right labels in right trees, in per cent."""

    def right(i: int) -> int:
        labels, _ = model.label(dev.batch(i), dev.heads[i]).best()
        return int(np.count_nonzero(labels == dev.labels[i]))

    return 100.0 * sum(map_(right, len(dev.heads))) / dev.words


def lost_heads(dev: Treebank, candidates: Sequence[Parts]) -> float:
    """Return how often the pruner is wrong where it leaves a word a single head.

    Without such a word there is nothing to doubt; one more of each kind, half wrong, stands for
    what a small treebank does not show.
    """
    single = wrong = 0
    for heads, arcs in zip(dev.heads, candidates, strict=True):
        rows = single_heads(arcs.rows, len(heads))
        single += len(rows)
        wrong += int(np.count_nonzero(heads[rows[:, 1] - 1] != rows[:, 0]))
    return round((wrong + 0.5) / (single + 1), 4) if single else 0.0


class Calibration(NamedTuple):
    """What makes honest probabilities of the scores of parts."""

    temperature: float
    smoothing: float = 0.0


def part_calibration(
    model: PartScorer, dev: Treebank, candidates: Sequence[Parts], shape: TreeShape
) -> Calibration:
    """Return temperature and smoothing that make the likeliest heads as sure as they are right.

    Sentences are looked at as the parser will see them: among the heads that the pruner leaves,
    whether the right one is there or not. Belief propagation among scores of several sources is
    too sure where it is sure and not sure enough elsewhere, which no temperature mends alone: a
    share of the probability is spread over all candidate heads.
    """
    chosen = _spread(dev.heads, _WORDS_FOR_CALIBRATION)
    if not chosen:
        return Calibration(1.0)
    scored, right = [], []
    for i in chosen:
        batch = dev.batch(i)
        parts = PartSet.build(batch.lengths, candidates[i], model.families)
        scored.append(ScoredSentence(parts, 0, model.score(batch, parts), shape))
        right.append(dev.heads[i][parts.arcs.rows[:, 1] - 1] == parts.arcs.rows[:, 0])
    found: dict[Calibration, float] = {}
    for temperature in _TEMPERATURES:
        marginals = [part_marginals(sentence.scaled(temperature)).arcs for sentence in scored]
        for share in _SMOOTHING:
            found[Calibration(temperature, share)] = sum(
                _error_of_likeliest(sentence.arcs, smoothed(sentence.arcs[:, 1], own, share), true)
                for sentence, own, true in zip(scored, marginals, right, strict=True)
            )
    return min(found, key=lambda calibration: found[calibration])


def _spread(heads: Sequence[IntArray], words: int) -> list[int]:
    """Return some sentences, evenly over all, with about so many words."""
    every = max(1, -(-sum(map(len, heads)) // words))
    return list(range(0, len(heads), every))


def _error_of_likeliest(arcs: IntArray, chances: FloatArray, right: BoolArray) -> float:
    """Return how far the probability of each word's likeliest head is from the truth, squared.

    >>> arcs = np.array([[0, 1], [2, 1], [0, 2], [1, 2]])
    >>> right = np.array([True, False, True, False])
    >>> _error_of_likeliest(arcs, np.array([0.5, 0.25, 0.25, 0.75]), right)
    0.8125
    """
    order = np.lexsort((-chances, arcs[:, 1]))
    first = order[np.flatnonzero(np.diff(arcs[order, 1], prepend=0))]
    return float(((chances[first] - right[first]) ** 2).sum())


def part_temperature(
    pruner: Pruner, model: SparseScorer, dev: Treebank, shape: TreeShape, default: float
) -> float:
    """Return the temperature under which the gold trees are most likely.

    Beyond arcs, where the probability of a whole tree is an approximation, the one under which the
    arcs' probabilities are nearest to the truth. (Squares do not mind the few arcs that belief
    propagation rules out and that are right all the same; logarithms would see nothing else.)
    """
    # A gold tree with more roots than the parser may give says nothing of its probabilities.
    usable = [
        i
        for i, heads in enumerate(dev.heads)
        if not shape.single_root or np.count_nonzero(heads == 0) == 1
    ]
    arcs_alone = len(model.families) == 1
    if not arcs_alone:
        usable = usable[:: max(1, -(-len(usable) // _TREES_FOR_TEMPERATURE))]
    heads = [dev.heads[i] for i in usable]
    candidates = [
        pruner.candidates(dev.batch(i), own) for i, own in zip(usable, heads, strict=True)
    ]
    task = PartTask(model, [dev.encoded[i] for i in usable], heads, shape, candidates)
    problems = [task.problem(i) for i in range(len(task))]
    surprise = surprise_of_answer if arcs_alone else PartProblem.error_of_arcs
    return fit_temperature(problems, model.trained_weights, default=default, surprise=surprise)


def label_temperature(model: LabelModel, dev: Treebank, default: float) -> float:
    """Return the temperature under which the gold labels are most likely."""
    unit = sparse_weight(model.scorer)
    base = []
    for i, heads in enumerate(dev.heads):
        batch = dev.batch(i)
        chains = model.chains(batch.of(model.encoder), heads)
        base.append(rest_of(model.scorer, batch, chains.parts))
    task = LabelTask(model, dev.encoded, dev.heads, dev.labels, base)
    problems = [task.problem(i) for i in range(len(task))]
    return unit * fit_temperature(problems, model.sparse.trained_weights, default=default / unit)
