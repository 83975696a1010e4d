"""What templates are worth beside one another, found out in a trial: costs for the group lasso."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.features import Weights
from turbotree.features._core import MAX_TEMPLATES
from turbotree.learning.epochs import EpochRecord, order_of
from turbotree.learning.learner import LearnerOptions, gradient_of
from turbotree.learning.losses import Loss
from turbotree.learning.problem import ContrastedProblem, Task, strongest_rivals
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.regularisers import Groups, templates_of_keys
from turbotree.learning.selection.garrotte import garrotte_of_size

# Of the best template's share: what the others count at least.
_LEAST_SHARE = 1e-3
# Of the usual length: what chance counts at least. Features that all answers share say nothing.
_LEAST_CHANCE = 0.2
# Instances that only teach: what is said before says nothing yet.
_UNTRIED = 100
# Wrong parts that a right one is set against.
_RIVALS = 2
# Instances after which the features of least weight are forgotten, and how many stay.
_BETWEEN_CUTS = 100
_FEATURES_KEPT = 2_000_000


@dataclass(frozen=True)
class Trial:
    """What a trial found.

    Attributes
    ----------
    moments
        Of each two templates: the mean product of what they said for right parts against rivals,
        in instances that they had not yet learnt from.
    gains
        Of each template: the mean of what it said.
    chance
        How long its weights would be, had each step gone in a direction of its own.
    features
        Most features in memory at any time.
    """

    moments: FloatArray
    gains: FloatArray
    chance: FloatArray
    features: int

    def costs(self, budget: int, groups: Groups | None = None) -> FloatArray:
        """Return the templates' d for a budget: chance over share, the best and usual having 1.

        A template's share is its factor in the combination of all that tells right parts from
        wrong ones best, see :func:`~turbotree.learning.selection.garrotte.garrotte_of_size`.
        Templates of other parts than these, such as pairs of labels, have no share, and are not
        among the costs.

        With groups over the templates, return the groups' d: the length that chance gives to all
        the weights of a group, over the share of its best template. What is worth nothing can
        then not make a group dear that it is in.

        >>> moments = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 2.0]])
        >>> trial = Trial(moments, np.array([0.8, 0.2, 0.8]), np.ones(3), 0)
        >>> trial.costs(2).round().tolist()  # the third says what the first says, and more noise
        [1.0, 4.0, 1000.0]
        >>> trial.costs(2, Groups.of([[0, 1, 2], [1, 2], [2]])).round(1).tolist()
        [1.7, 5.7, 1000.0]
        """
        shares = garrotte_of_size(self.moments, self.gains, budget)
        best = shares.max(initial=0.0)
        if best > 0.0:
            usual = np.median(self.chance[self.chance > 0])
            lengths = np.maximum(self.chance / usual, _LEAST_CHANCE)
            shares = np.maximum(shares / best, _LEAST_SHARE)
        else:
            lengths = shares = np.ones(len(shares))
        if groups is None:
            costs: FloatArray = lengths / shares
            return costs
        # Templates without a share cost 1, as they do without groups.
        unknown = np.ones(max(0, groups.size - len(shares)))
        lengths = np.concatenate([lengths, unknown])[: groups.size]
        shares = np.concatenate([shares, unknown])[: groups.size]
        most = np.zeros(len(groups))
        np.maximum.at(most, groups.owners, shares[groups.members])
        together: FloatArray = groups.norms(lengths) / np.where(most > 0, most, 1.0)
        return together


def try_templates(
    task: Task,
    *,
    seed: int = 1,
    features: int = _FEATURES_KEPT,
    progress: Progress | None = None,
) -> Trial:
    """Learn from each instance once with all templates; see what each says of it beforehand.

    How long a template's weights are says little of what it is worth: weights of rare features
    grow by learning single sentences by heart. Here every instance is scored before anything is
    learnt from it, so that only what holds elsewhere, too, is counted. And what a template says is
    seen beside what the others say: of many that say the same, few are needed.

    Parameters
    ----------
    task
        The training set; its problems have to be contrasted ones.
    seed
        Decides the order of the instances.
    features
        How many to keep in memory: from time to time, those of the least weight are forgotten.
    progress
        Told how it goes.
    """
    told = progress or Silent()
    told.start("trial", len(task), 1)
    weights, options = Weights(), LearnerOptions(Loss.named("svm"))
    moments, gains, rows = np.zeros((0, 0)), np.zeros(0), 0
    squares, most = np.zeros(MAX_TEMPLATES), 0
    record = EpochRecord(1)
    for done, index in enumerate(order_of(len(task), seed, 0)):
        problem: Any = task.problem(int(index))
        if done >= min(_UNTRIED, len(task) // 2):
            said = _said(problem, weights)
            if not rows:
                moments, gains = np.zeros((said.shape[1],) * 2), np.zeros(said.shape[1])
            moments += said.T @ said
            gains += said.sum(axis=0)
            rows += len(said)
        loss, coefficients = options.loss.evaluate(problem, problem.scores(weights))
        gradient = gradient_of(problem, coefficients)
        record.loss += loss
        if gradient is not None:
            step = options.loss.step_size(loss, gradient.squared_norm, options.largest_step)
            weights.add(gradient, -step)
            squares += step**2 * _by_template(gradient.keys, np.square(gradient.values))
        most = max(most, len(weights))
        if (done + 1) % _BETWEEN_CUTS == 0:
            weights = _strongest(weights, features)
        told.instance("trial", done + 1, record)
    record.features = len(weights)
    told.epoch("trial", record)
    rows = max(1, rows)
    return Trial(moments / rows, gains / rows, np.sqrt(squares[: len(gains)]), most)


def _said(problem: ContrastedProblem, weights: Weights) -> FloatArray:
    """Return what each template says for right parts against rivals, one row per rival."""
    added = problem.contributions(weights)
    right, wrong = strongest_rivals(problem, added.sum(axis=1), _RIVALS)
    said: FloatArray = added[right] - added[wrong]
    return said


def _strongest(weights: Weights, most: int) -> Weights:
    if len(weights) <= most:
        return weights
    keys, values, _ = weights.table.entries()
    kept = np.sort(np.argpartition(-np.abs(values), most)[:most])
    return Weights.of(keys[kept], values[kept])


def _by_template(keys: npt.NDArray[np.uint64], values: FloatArray) -> FloatArray:
    sums = np.bincount(templates_of_keys(keys), values, minlength=MAX_TEMPLATES)
    return sums.astype(np.float64)
