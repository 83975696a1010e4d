"""The family of losses from the CRF to the SVM, and the step that needs no learning rate.

For inverse temperature beta and cost weight gamma, with s the score of an answer,

    L = (1 / beta) * log sum over y' of exp(beta * (s(y') - s(y) + gamma * cost(y'))).

Where the right answer is known only in part, s(y) becomes the same soft maximum, without costs,
over all answers that agree with what is known.

============== ======== =====
name           beta     gamma
============== ======== =====
crf            1        0
softmax-margin 1        1
svm            infinite 1
perceptron     infinite 0
============== ======== =====
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.learning.problem import Problem, excluded_parts
from turbotree.naming import unknown

# Beyond all use, and far from where scores overflow.
_LARGEST = 1e12


@dataclass(frozen=True, slots=True)
class Loss:
    """One member of the family, by its two numbers.

    Examples
    --------
    >>> Loss.named("svm")
    Loss(beta=inf, gamma=1.0)
    >>> Loss(beta=5.0, gamma=1.0).name
    'beta=5,gamma=1'
    """

    beta: float
    gamma: float

    def __post_init__(self) -> None:
        if not (0 < self.beta <= _LARGEST or self.beta == math.inf):
            raise InputError(
                f"beta is {self.beta}; expected a positive number up to {_LARGEST:g}, or infinity"
            )
        if not 0 <= self.gamma <= _LARGEST:
            raise InputError(f"gamma is {self.gamma}; expected a number from 0 to {_LARGEST:g}")

    @classmethod
    def named(cls, name: str) -> Loss:
        """Return a loss by its usual name."""
        if name not in _NAMED:
            raise unknown("loss", name, _NAMED)
        return _NAMED[name]

    @classmethod
    def chosen(cls, name: str | None, beta: float | None, gamma: float | None) -> Loss:
        """Return the loss that options ask for, by its name or by both numbers; else the SVM's.

        >>> Loss.chosen(None, None, None).name, Loss.chosen(None, 1.0, 0.0).name
        ('svm', 'crf')
        """
        if beta is None and gamma is None:
            return cls.named(name or "svm")
        if name is not None:
            raise InputError("give either a loss by name or beta and gamma, not both")
        if beta is None or gamma is None:
            raise InputError("beta and gamma go together")
        return cls(beta, gamma)

    @property
    def name(self) -> str:
        """The usual name, or the two numbers."""
        for name, loss in _NAMED.items():
            if loss == self:
                return name
        return f"beta={self.beta:g},gamma={self.gamma:g}"

    @property
    def has_margin(self) -> bool:
        """Whether cost or temperature asks for a margin: steps then get smaller with the loss."""
        return self.gamma > 0 or self.probabilistic

    @property
    def probabilistic(self) -> bool:
        """Whether training needs marginals (finite beta) rather than the best answer."""
        return math.isfinite(self.beta)

    def evaluate(self, problem: Problem, scores: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss and, for each part, the derivative with respect to its score."""
        gold, gold_score = self._right_answer(problem, scores)
        augmented = scores + self.gamma * problem.cost if self.gamma else scores
        if self.probabilistic:
            expectation = problem.marginals(self.beta * augmented)
            loss = expectation.log_partition / self.beta - gold_score
            coefficients = expectation.probabilities - gold
        else:
            answer = problem.decode(augmented)
            loss = _dot(augmented, answer) - gold_score
            coefficients = answer - gold
        return max(0.0, loss), coefficients

    def _right_answer(self, problem: Problem, scores: FloatArray) -> tuple[FloatArray, float]:
        """Return the right answer and its score: what the model makes of it if some is unknown."""
        excluded = excluded_parts(problem)
        if excluded is None:
            return problem.gold, _dot(scores, problem.gold)
        allowed = np.where(excluded, -np.inf, scores)
        if self.probabilistic:
            expectation = problem.marginals(self.beta * allowed)
            return expectation.probabilities, expectation.log_partition / self.beta
        answer = problem.decode(allowed)
        return answer, _dot(scores, answer)

    def step_size(self, loss: float, squared_norm: float, largest: float) -> float:
        """Return the aggressive step min(largest, loss / |gradient|^2).

        Where neither cost nor temperature gives a margin (the perceptron), the loss says nothing
        of how far to go and is zero at the start: the step is then always the largest.
        """
        if squared_norm == 0.0:
            return 0.0
        if not self.has_margin:
            return largest
        return min(largest, loss / squared_norm)


def _dot(scores: FloatArray, answer: FloatArray) -> float:
    # Not the @ of BLAS, which shares long vectors out among threads: their number would then
    # decide the last digits, and waiting for a busy core costs more than the sum.
    return float((scores * answer).sum())


_NAMED = {
    "crf": Loss(1.0, 0.0),
    "softmax-margin": Loss(1.0, 1.0),
    "svm": Loss(math.inf, 1.0),
    "perceptron": Loss(math.inf, 0.0),
}
