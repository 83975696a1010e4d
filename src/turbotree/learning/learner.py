"""The online learner: passes over the data, one aggressive step per sentence, the average kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.features._core import Gradient
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord, OnInstance, TrainingState
from turbotree.learning.losses import Loss
from turbotree.learning.problem import Problem, Task
from turbotree.naming import unknown
from turbotree.quantities import check_least

FEATURE_SETS = ("all", "supported")

# Derivatives this small change nothing that a score would show, but cost as much as large ones.
_NEGLIGIBLE = 1e-4
# Beyond all use, and far from where weights overflow.
LARGEST_STEP = 1e12


@dataclass(frozen=True, slots=True)
class LearnerOptions:
    """How to train.

    Attributes
    ----------
    loss
        Member of the (beta, gamma) family.
    epochs
        Passes over the data.
    largest_step
        The papers' 1 / (lambda m), lambda being the weight of the L2 term: smaller regularises
        more.
    features
        ``"supported"``: only features that occur in a gold answer. ``"all"``: features of wrong
        answers too, created when first needed.
    seed
        Decides the order of the instances.
    average_from
        Share of the rounds that the average omits, from 0 to less than 1: the weights of the
        first epochs are far from what they will be.
    """

    loss: Loss
    epochs: int = 10
    largest_step: float = 0.01
    features: str = "all"
    seed: int = 1
    average_from: float = 0.0

    def __post_init__(self) -> None:
        check_least("epochs", self.epochs, 1)
        if not 0 < self.largest_step <= LARGEST_STEP:
            raise InputError(
                f"largest step is {self.largest_step}; "
                f"expected a positive number up to {LARGEST_STEP:g}"
            )
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; expected 0 or more")
        if self.features not in FEATURE_SETS:
            raise unknown("set of features", self.features, FEATURE_SETS)
        if not 0 <= self.average_from < 1:
            raise InputError(f"average from is {self.average_from}; expected 0 to less than 1")

    def first_averaged(self, instances: int) -> int:
        """Return the round, from 1 on, whose weights are the first in the average.

        >>> LearnerOptions(Loss.named("svm"), epochs=4, average_from=0.5).first_averaged(10)
        21
        """
        return int(self.average_from * self.epochs * instances) + 1


#: Called after each epoch; may add development scores to the record.
OnEpoch = Callable[[Weights, EpochRecord], None]


def learn(
    task: Task,
    options: LearnerOptions,
    *,
    start: Weights | None = None,
    checkpoint: Checkpoint | None = None,
    on_instance: OnInstance | None = None,
    on_epoch: OnEpoch | None = None,
) -> tuple[Weights, list[EpochRecord]]:
    """Train weights on a task.

    Parameters
    ----------
    task
        The training set.
    options
        Loss, passes, step, seed.
    start
        Weights to begin with, which are changed; closed ones keep to the features they have.
        Without them, training begins with none.
    checkpoint
        Where to keep the state, so that a killed run can be taken up; a checkpoint that holds a
        state is continued, with the same outcome as an uninterrupted run.
    on_instance, on_epoch
        For progress displays and development scores.

    Returns
    -------
    The weights (freeze them to get the average) and one record per epoch.
    """

    def new_weights() -> Weights:
        weights = Weights() if start is None else start
        if options.features == "supported":
            support(weights, task)
            weights.close()
        return weights

    state = TrainingState.begin(new_weights, Weights.restore, EpochRecord, checkpoint)
    weights = state.weights

    def end_epoch(record: EpochRecord) -> None:
        record.features = len(weights)
        if on_epoch is not None:
            on_epoch(weights, record)

    for index, number, record in state.rounds(
        len(task), options.epochs, options.seed, on_instance=on_instance, end_epoch=end_epoch
    ):
        learn_from(task, index, number, options, weights, record)
    return weights, state.records


def learn_from(
    task: Task,
    index: int,
    number: int,
    options: LearnerOptions,
    weights: Weights,
    record: EpochRecord,
    *,
    ends_round: bool = True,
) -> None:
    """Learn from one instance of a task; `number` is that of the round, from 1 on.

    The round ends with it, and the weights count once in their average, unless told otherwise.
    """
    if number == options.first_averaged(len(task)) > 1:
        weights.restart_average()
    varied = getattr(task, "problem_in_round", None)
    problem = task.problem(index) if varied is None else varied(index, number)
    loss, coefficients = options.loss.evaluate(problem, problem.scores(weights))
    gradient = gradient_of(problem, coefficients)
    record.loss += loss
    if gradient is not None:
        step = options.loss.step_size(loss, gradient.squared_norm, options.largest_step)
        if step > 0.0:
            weights.add(gradient, -step)
            record.updates += 1
    if ends_round:
        weights.next_round()


def support(weights: Weights, task: Task) -> Weights:
    """Make room for the features of all right answers; return the weights."""
    for index in range(len(task)):
        problem = task.problem(index)
        weights.support(problem.gradient(problem.gold))
    return weights


def supported(task: Task) -> Weights:
    """Return zero weights for the features that occur in a right answer."""
    return support(Weights(), task)


def count_supported(task: Task) -> int:
    """Count the features that occur in a right answer; training may meet many more."""
    return len(support(Weights(), task))


def gradient_of(problem: Problem, coefficients: FloatArray) -> Gradient | None:
    """Return the gradient of a loss, given its derivatives; None where nothing is to be learnt."""
    coefficients[np.abs(coefficients) < _NEGLIGIBLE] = 0.0
    return problem.gradient(coefficients) if coefficients.any() else None
