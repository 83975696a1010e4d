"""Selection without learning, to compare with: information gain, and a frequency cut-off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.features._core import MAX_TEMPLATES
from turbotree.learning.problem import Task
from turbotree.learning.regularisers import templates_of_keys


def information_gain(task: Task) -> FloatArray:
    """Return, for each template, what its features tell of a part being in the right answer.

    The paper's Eq. 16, in bits, with the parts of all instances as the events:

        IG_m = sum over f of template m, a in {0, 1} of  P(f, a) log2 (P(f, a) / (P(f) P(a))).

    Probabilities are shares of the template's own firings, so that templates of several kinds of
    parts can be compared. Of features that never fire in a right answer only the sum of firings
    matters, and that is all that is kept of them.
    """
    total = np.zeros(MAX_TEMPLATES)
    keys, active = _right_counts(task)
    # The same features, and no others, are counted in all parts.
    fired = Weights.closed_to(keys)
    for index in range(len(task)):
        problem = task.problem(index)
        gradient = problem.gradient(np.ones(len(problem.gold)))
        fired.add(gradient, 1.0)
        total += np.bincount(
            templates_of_keys(gradient.keys), gradient.values, minlength=MAX_TEMPLATES
        )
    _, count = _entries(fired)
    return _gain(templates_of_keys(keys), active, count, total)


def _gain(
    templates: npt.NDArray[np.int64], active: FloatArray, count: FloatArray, total: FloatArray
) -> FloatArray:
    """Sum the formula, given each feature's firings in right answers and in all parts."""

    def by_template(values: FloatArray) -> FloatArray:
        sums: FloatArray = np.bincount(templates, values, minlength=MAX_TEMPLATES).astype(float)
        return sums

    inactive = np.maximum(0.0, count - active)
    all_active = by_template(active)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_active = all_active / total
        p_inactive = 1.0 - p_active
        gain = by_template(_term(active, count, p_active[templates]))
        gain += by_template(_term(inactive, count, p_inactive[templates]))
        # Features that never fire in a right answer: P(f, 0) = P(f), all alike.
        never = np.maximum(0.0, total - by_template(count))
        gain += np.where(never > 0, -never * np.log2(p_inactive), 0.0)
        gain /= total
    gain[total == 0] = 0.0
    return gain


def _term(joint: FloatArray, count: FloatArray, marginal: FloatArray) -> FloatArray:
    """Return joint * log2 of P(f, a) / (P(f) P(a)), which is 0 where the joint count is."""
    terms: FloatArray = np.where(joint > 0, joint * np.log2(joint / (count * marginal)), 0.0)
    return terms


def best_templates(scores: npt.ArrayLike, budget: int) -> list[int]:
    """Return the numbers of the templates with the highest scores, in ascending order.

    >>> best_templates([0.1, 0.5, 0.3], 2)
    [1, 2]
    """
    numbers = np.asarray(scores, dtype=np.float64)
    if budget < 1:
        raise InputError(f"budget is {budget}; expected at least 1 template")
    return sorted(int(number) for number in np.argsort(-numbers, kind="stable")[:budget])


def frequent_features(task: Task, at_least: int) -> Weights:
    """Return weights, all zero, of the features that occur so often in right answers.

    They take no other features: give them to :func:`~turbotree.learning.learn` as ``start``.
    """
    if at_least < 1:
        raise InputError(f"at least {at_least}; expected a frequency of 1 or more")
    keys, counts = _right_counts(task)
    return Weights.closed_to(keys[counts >= at_least])


def most_frequent_features(task: Task, budget: int) -> npt.NDArray[np.uint64]:
    """Return the keys of the features that occur most often in right answers.

    The cut-off is the least count that leaves at most `budget` of them, so that features that
    occur equally often stay or go together.
    """
    if budget < 1:
        raise InputError(f"budget is {budget}; expected at least 1 feature")
    keys, counts = _right_counts(task)
    if len(keys) <= budget:
        return keys
    too_rare = np.partition(counts, len(keys) - budget - 1)[len(keys) - budget - 1]
    kept: npt.NDArray[np.uint64] = keys[counts > too_rare]
    return kept


def _right_counts(task: Task) -> tuple[npt.NDArray[np.uint64], FloatArray]:
    """Count how often each feature occurs in right answers."""
    counts = Weights()
    for index in range(len(task)):
        problem = task.problem(index)
        counts.add(problem.gradient(problem.gold), 1.0)
    return _entries(counts)


def _entries(weights: Weights) -> tuple[npt.NDArray[np.uint64], FloatArray]:
    keys, values, _ = weights.table.entries()
    return keys, values.astype(np.float64)
