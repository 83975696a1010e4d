"""What development data are for: scores along the way, and honest probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from turbotree.features import AnyWeights, Parts
from turbotree.learning.temperature import fit_temperature, surprise_of_answer
from turbotree.parsing.arcs import Pruner, TreeShape, best_trees, single_heads, smoothed
from turbotree.parsing.decoding import decode
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.training.label_task import LabelTask
from turbotree.parsing.training.part_task import PartProblem, PartTask
from turbotree.parsing.training.treebank import Treebank
from turbotree.scoring import PartScorer, SparseScorer, rest_of, sparse, sparse_weight

#: Calls a function of the numbers from 0 on, on threads perhaps, and gives its answers in order.
Map = Callable[[Callable[[int], int], int], list[int]]

# Belief propagation is slow, and one number needs few trees.
_TREES_FOR_TEMPERATURE = 200
# What is tried beside the best temperature without smoothing, and shares of smoothing.
_FACTORS = (0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2)
_SMOOTHING = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25)


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
    pruner: Pruner, model: PartScorer, dev: Treebank, shape: TreeShape, default: float
) -> Calibration:
    """Return temperature and smoothing under which the gold trees are most likely.

    Belief propagation among scores of several sources is too sure where it is sure and not sure
    enough elsewhere, which no temperature mends alone: a share of the probability is spread over
    all candidate heads.
    """
    problems, weights, unit = _part_problems(pruner, model, dev, shape)
    one = unit * fit_temperature(
        problems, weights, default=default / unit, surprise=PartProblem.error_of_arcs
    )
    if not problems:
        return Calibration(one)
    found: dict[Calibration, float] = {}
    for factor in _FACTORS:
        own = Calibration(round(one * factor, 3))
        scale = unit / own.temperature
        marginals = [problem.arc_marginals(problem.scores(weights) * scale) for problem in problems]
        for share in _SMOOTHING:
            found[own._replace(smoothing=share)] = sum(
                problem.error_of(smoothed(problem.choices, chances, share))
                for problem, chances in zip(problems, marginals, strict=True)
            )
    return min(found, key=lambda calibration: found[calibration])


def part_temperature(
    pruner: Pruner, model: PartScorer, dev: Treebank, shape: TreeShape, default: float
) -> float:
    """Return the temperature under which the gold trees are most likely.

    Beyond arcs, where the probability of a whole tree is an approximation, the one under which the
    arcs' probabilities are nearest to the truth. (Squares do not mind the few arcs that belief
    propagation rules out and that are right all the same; logarithms would see nothing else.)
    """
    problems, weights, unit = _part_problems(pruner, model, dev, shape)
    arcs_alone = len(model.families) == 1
    surprise = surprise_of_answer if arcs_alone else PartProblem.error_of_arcs
    return unit * fit_temperature(problems, weights, default=default / unit, surprise=surprise)


def _part_problems(
    pruner: Pruner, model: PartScorer, dev: Treebank, shape: TreeShape
) -> tuple[list[PartProblem], AnyWeights, float]:
    """Return sentences to fit probabilities on, the weights of features, and what they count."""
    # A gold tree with more roots than the parser may give says nothing of its probabilities.
    usable = [
        i
        for i, heads in enumerate(dev.heads)
        if not shape.single_root or np.count_nonzero(heads == 0) == 1
    ]
    if len(model.families) > 1:
        usable = usable[:_TREES_FOR_TEMPERATURE]
    encoded = [dev.encoded[i] for i in usable]
    heads = [dev.heads[i] for i in usable]
    batches = [dev.batch(i) for i in usable]
    candidates = [pruner.candidates(batch, own) for batch, own in zip(batches, heads, strict=True)]
    features, unit = sparse(model), sparse_weight(model)
    base = [
        rest_of(model, batch, {"arc": arcs})
        for batch, arcs in zip(batches, candidates, strict=True)
    ]
    task = PartTask(features, encoded, heads, shape, candidates, base_scores=base)
    return [task.problem(i) for i in range(len(task))], features.trained_weights, unit


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
