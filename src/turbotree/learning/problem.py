"""What a model tells the learner: a small protocol that every model kind fills in.

A structured problem is a list of parts of which an answer (a tree, a labelling) switches some on.
Scores, gold answer and costs are arrays with one entry per part, so the learner needs to know
nothing of trees or labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from turbotree.arrays import BoolArray, FloatArray, IndexArray
from turbotree.features import AnyWeights, Weights
from turbotree.features._core import Gradient


@dataclass(frozen=True, slots=True)
class Expectation:
    """Probability of each part, and the log-partition of the distribution they come from."""

    probabilities: FloatArray
    log_partition: float


class Problem(Protocol):
    """One training instance.

    Attributes
    ----------
    gold
        1 for each part of the right answer, 0 elsewhere.
    cost
        What a part adds to the cost of an answer that holds it; 0 for the parts of the gold one.
    excluded
        Need not be there, and may be None. If only a part of the right answer is known, `gold` is
        an answer that agrees with it, and these are the parts that no such answer holds.
    """

    gold: FloatArray
    cost: FloatArray

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each part."""
        ...

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best answer as an indicator over the parts; relaxed ones may be fractional."""
        ...

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the parts' probabilities under the Gibbs distribution with these scores."""
        ...

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the sum of the parts' features, each times its coefficient."""
        ...


class ContrastedProblem(Problem, Protocol):
    """A problem whose answers choose: one head per word, one label per word.

    Attributes
    ----------
    choices
        Of the parts that are chosen from, which are the first ones: the number of the choice.
    """

    choices: npt.NDArray[np.integer]

    def contributions(self, weights: Weights) -> FloatArray:
        """Return what each template adds to the scores of these parts, one row per part."""
        ...


def strongest_rivals(
    problem: ContrastedProblem, scores: FloatArray, most: int
) -> tuple[IndexArray, IndexArray]:
    """Set the right part of each choice against the wrong ones of the highest scores.

    Parameters
    ----------
    problem
        Says which parts are right, which are wrong (they have a cost), and what choice they are of.
    scores
        Of the parts that are chosen from.
    most
        How many wrong ones, at most, for each right one.

    Returns
    -------
    The right parts, each as often as it has rivals, and the rivals.
    """
    choices = problem.choices
    known = len(choices)
    right = np.full(int(choices.max(initial=-1)) + 1, -1, dtype=np.intp)
    chosen = np.flatnonzero(problem.gold[:known])
    right[choices[chosen]] = chosen
    wrong = np.flatnonzero(problem.cost[:known])
    wrong = wrong[right[choices[wrong]] >= 0]
    wrong = wrong[np.lexsort((-scores[wrong], choices[wrong]))]
    starts = np.searchsorted(choices[wrong], choices[wrong])
    wrong = wrong[np.arange(len(wrong)) - starts < most]
    return right[choices[wrong]], wrong


def excluded_parts(problem: Problem) -> BoolArray | None:
    """Return the parts that contradict what is known of the right answer, if some is unknown."""
    excluded: BoolArray | None = getattr(problem, "excluded", None)
    return excluded


class Task(Protocol):
    """A training set of problems; they are made again when asked for, to save memory.

    It may also have ``problem_in_round(index, number)``, which :func:`~turbotree.learning.learn`
    then calls instead of ``problem``: an instance that is a little different in each round, the
    first being 1. It has to be the same whenever it is asked for again, for runs to be resumed.
    """

    def __len__(self) -> int:
        """Return the number of instances."""
        ...

    def problem(self, index: int) -> Problem:
        """Return one instance."""
        ...
