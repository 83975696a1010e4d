"""What templates are worth, found out in a short trial: costs for an adaptive group lasso."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree.features import Weights
from turbotree.features._core import MAX_TEMPLATES
from turbotree.learning.epochs import order_of
from turbotree.learning.learner import LearnerOptions, loss_and_gradient
from turbotree.learning.losses import Loss
from turbotree.learning.problem import Task
from turbotree.learning.regularisers import templates_of_keys

FloatArray = npt.NDArray[np.float64]

# Of the best template's worth: what the others count at least. Some do harm to new instances.
_LEAST_WORTH = 1e-6
# Of the usual length: what chance counts at least. Features that all answers share say nothing.
_LEAST_CHANCE = 0.2
# How much worth matters beside length; chosen on development data (docs/learning/selection.md).
_EXPONENT = 0.25


@dataclass(frozen=True)
class Trial:
    """What a trial found.

    Attributes
    ----------
    worth
        Of each template: how far its weights raised right answers above the average answer, in
        instances that they had not been learnt from.
    chance
        How long its weights would be, had each step gone in a direction of its own.
    features
        Features in memory in the end.
    """

    worth: FloatArray
    chance: FloatArray
    features: int

    def costs(self) -> FloatArray:
        """Return the templates' d: chance over a root of the worth, the best and usual having 1.

        >>> trial = Trial(np.array([16.0, 1.0, -1.0]), np.array([3.0, 3.0, 6.0]), 0)
        >>> trial.costs().round(2).tolist()
        [1.0, 2.0, 63.25]
        """
        best = self.worth.max(initial=0.0)
        if best <= 0.0:
            return np.ones(len(self.worth))
        usual = np.median(self.chance[self.chance > 0])
        lengths = np.maximum(self.chance / usual, _LEAST_CHANCE)
        costs: FloatArray = lengths / np.maximum(self.worth / best, _LEAST_WORTH) ** _EXPONENT
        return costs


def try_templates(task: Task, *, instances: int = 600, seed: int = 1) -> Trial:
    """Learn from some instances with all templates, and see what each says of the next one.

    How long a template's weights are says little of what it is worth: weights of rare features
    grow by learning single sentences by heart. Here every instance is scored before anything is
    learnt from it, so that only what holds elsewhere, too, is counted.

    Parameters
    ----------
    task
        The training set.
    instances
        How many to look at.
    seed
        Decides which.
    """
    weights, options = Weights(), LearnerOptions(Loss.named("svm"))
    worth, squares = np.zeros(MAX_TEMPLATES), np.zeros(MAX_TEMPLATES)
    for index in order_of(len(task), seed, 0)[:instances]:
        problem = task.problem(int(index))
        average = problem.marginals(np.zeros(len(problem.gold))).probabilities
        raised = problem.gradient(problem.gold - average)
        worth += _by_template(raised.keys, weights.table.find(raised.keys) * raised.values)
        loss, gradient = loss_and_gradient(problem, options.loss, weights)
        if gradient is not None:
            step = options.loss.step_size(loss, gradient.squared_norm, options.largest_step)
            weights.add(gradient, -step)
            squares += step**2 * _by_template(gradient.keys, np.square(gradient.values))
    return Trial(worth, np.sqrt(squares), len(weights))


def _by_template(keys: npt.NDArray[np.uint64], values: FloatArray) -> FloatArray:
    sums = np.bincount(templates_of_keys(keys), values, minlength=MAX_TEMPLATES)
    return sums.astype(np.float64)
