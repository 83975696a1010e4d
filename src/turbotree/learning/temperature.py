"""Calibrating probabilities: one number that makes the model as sure as it is right.

A model that was not trained as a CRF has scores of an arbitrary scale. Dividing them by a
temperature, chosen to make the gold answers of a development set most likely, turns them into
honest probabilities without changing the best answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from turbotree.arrays import FloatArray
from turbotree.features import AnyWeights
from turbotree.learning.losses import Loss
from turbotree.learning.problem import Problem

_Problem = TypeVar("_Problem", bound=Problem)

# Golden-section search over log(temperature): this range, this many steps (to 0.5 %).
_RANGE = (math.log(0.01), math.log(10.0))
_STEPS = 16
_RATIO = (math.sqrt(5.0) - 1.0) / 2.0


# Fitted on development data of three treebanks, models trained with a margin of 1 came out with
# 0.30 to 0.34 for arcs and 0.21 to 0.26 for labels.
_TYPICAL_PER_MARGIN = 0.3


def typical_temperature(loss: Loss) -> float:
    """Return a temperature to go by when there is no development set.

    A finite beta says itself what the scores mean. With an infinite one their scale is that of
    the margin; the perceptron has none.

    >>> typical_temperature(Loss.named("crf")), typical_temperature(Loss.named("svm"))
    (1.0, 0.3)
    """
    if loss.probabilistic:
        return 1.0 / loss.beta
    return loss.gamma * _TYPICAL_PER_MARGIN or 1.0


def surprise_of_answer(problem: Problem, scores: FloatArray) -> float:
    """Return how unlikely the whole answer is: its negative log probability."""
    gold = float((scores * problem.gold).sum())
    return problem.marginals(scores).log_partition - gold


def fit_temperature(
    problems: Sequence[_Problem],
    weights: AnyWeights,
    *,
    default: float,
    surprise: Callable[[_Problem, FloatArray], float] = surprise_of_answer,
) -> float:
    """Return the temperature under which the gold answers are most likely.

    Parameters
    ----------
    problems
        Instances that the weights were not trained on, the gold answer among the
        candidates; those that say that it is not (``gold_is_allowed``) are ignored.
    weights
        The model's weights.
    default
        The temperature if there are no problems.
    surprise
        What to make small: how unlikely the gold answer is, given the scores of the parts.
    """
    # A gold answer that cannot be given says nothing of the probabilities.
    problems = [problem for problem in problems if getattr(problem, "gold_is_allowed", True)]
    if not problems:
        return default
    scored = [(problem, problem.scores(weights)) for problem in problems]

    def total(log_temperature: float) -> float:
        inverse = math.exp(-log_temperature)
        return sum(surprise(problem, scores * inverse) for problem, scores in scored)

    low, high = _RANGE
    left, right = high - _RATIO * (high - low), low + _RATIO * (high - low)
    at_left, at_right = total(left), total(right)
    for _ in range(_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _RATIO * (high - low)
            at_left = total(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _RATIO * (high - low)
            at_right = total(right)
    return round(math.exp((low + high) / 2.0), 3)
