"""What development data are for: scores along the way, and honest probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from turbotree.features import Parts
from turbotree.learning.temperature import fit_temperature, surprise_of_answer
from turbotree.parsing.arcs import Pruner, TreeShape, best_trees
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


def part_temperature(
    pruner: Pruner, model: PartScorer, dev: Treebank, shape: TreeShape, default: float
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
    assert features.weights is not None
    problems = [task.problem(i) for i in range(len(task))]
    arcs_alone = len(model.families) == 1
    surprise = surprise_of_answer if arcs_alone else PartProblem.error_of_arcs
    return unit * fit_temperature(
        problems, features.weights, default=default / unit, surprise=surprise
    )


def label_temperature(model: LabelModel, dev: Treebank, default: float) -> float:
    """Return the temperature under which the gold labels are most likely."""
    assert model.weights is not None
    unit = sparse_weight(model.scorer)
    base = []
    for i, heads in enumerate(dev.heads):
        batch = dev.batch(i)
        chains = model.chains(batch.of(model.encoder), heads)
        base.append(rest_of(model.scorer, batch, chains.parts))
    task = LabelTask(model, dev.encoded, dev.heads, dev.labels, base)
    problems = [task.problem(i) for i in range(len(task))]
    return unit * fit_temperature(problems, model.weights, default=default / unit)
