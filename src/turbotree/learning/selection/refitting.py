"""What to do with a selection: train again, on what survived and without the regulariser's bias."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.features import AnyWeights, SparseWeights, Weights
from turbotree.features._core import MAX_TEMPLATES, Gradient
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord, OnInstance
from turbotree.learning.learner import LearnerOptions, OnEpoch, learn
from turbotree.learning.problem import Expectation, Problem, Task, excluded_parts
from turbotree.learning.regularisers import templates_of_keys
from turbotree.naming import unknown

#: What a refit may use: the features that survived, or all features of templates that did.
REFIT_FEATURES = ("selected", "templates")


def surviving_templates(weights: SparseWeights) -> list[int]:
    """Return the numbers of the templates that have a weight other than zero.

    >>> from turbotree.features import ScaledWeights
    >>> surviving_templates(ScaledWeights())
    []
    """
    keys, _ = weights.entries()
    return [int(number) for number in np.unique(templates_of_keys(keys))]


def selected_features(weights: SparseWeights) -> Weights:
    """Return ordinary weights that hold the surviving features, all zero, and take no others."""
    return Weights.closed_to(weights.entries()[0])


class RestrictedTask:
    """A task whose gradients have features of some templates only.

    It serves every kind of model. One that can be built with fewer templates is faster: these are
    still looked up, in vain.

    Parameters
    ----------
    task
        The whole task.
    templates
        Numbers of the templates to keep.
    """

    def __init__(self, task: Task, templates: Iterable[int]) -> None:
        self._task = task
        self._wanted = np.zeros(MAX_TEMPLATES, dtype=bool)
        for template in templates:
            if not 0 <= template < MAX_TEMPLATES:
                raise InputError(f"template {template}; expected 0 to {MAX_TEMPLATES - 1}")
            self._wanted[template] = True

    def __len__(self) -> int:
        return len(self._task)

    def problem(self, index: int) -> Problem:
        """Return one instance."""
        return _RestrictedProblem(self._task.problem(index), self._wanted)


class _RestrictedProblem:
    def __init__(
        self, problem: Problem, wanted: np.ndarray[tuple[int], np.dtype[np.bool_]]
    ) -> None:
        self._problem = problem
        self._wanted = wanted
        self.gold = problem.gold
        self.excluded = excluded_parts(problem)
        self.cost = problem.cost

    def scores(self, weights: AnyWeights) -> FloatArray:
        return self._problem.scores(weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        return self._problem.decode(scores)

    def marginals(self, scores: FloatArray) -> Expectation:
        return self._problem.marginals(scores)

    def gradient(self, coefficients: FloatArray) -> Gradient:
        gradient = self._problem.gradient(coefficients)
        gradient.keep_templates(self._wanted)
        return gradient


def refit(
    task: Task,
    selection: SparseWeights,
    options: LearnerOptions,
    *,
    features: str = "selected",
    checkpoint: Checkpoint | None = None,
    on_instance: OnInstance | None = None,
    on_epoch: OnEpoch | None = None,
) -> tuple[Weights, list[EpochRecord]]:
    """Train from zero on what a selection left (debiasing).

    Parameters
    ----------
    task
        The training set, as it was for the selection.
    selection
        Weights of the sparse learner.
    options
        Loss, passes, step, seed of the ordinary learner.
    features
        ``"selected"``: the features with a weight other than zero, as in the paper.
        ``"templates"``: any feature of a surviving template.
    checkpoint, on_instance, on_epoch
        As for :func:`~turbotree.learning.learn`.
    """
    if features not in REFIT_FEATURES:
        raise unknown("set of features", features, REFIT_FEATURES)
    start = None
    if features == "selected":
        start = selected_features(selection)
    else:
        task = RestrictedTask(task, surviving_templates(selection))
    return learn(
        task,
        options,
        start=start,
        checkpoint=checkpoint,
        on_instance=on_instance,
        on_epoch=on_epoch,
    )
