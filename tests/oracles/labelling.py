"""A small labelling task in two forms: for the sparse learner, and densely with numpy.

An instance is three whole numbers a, b, c and a label to choose; features are the numbers, and a
and b together, each with the label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from turbotree.features import Encoder, LabelledParts, PartKind, Scorer
from turbotree.learning import Expectation, SparseOptions
from turbotree.learning.regularisers import Groups
from turbotree.text import Sentence

VALUES = 4
LABELS = 3
KIND = PartKind(("w",), {"a": VALUES, "b": VALUES, "c": VALUES})
TEMPLATES = ["a", "b", "c", "a b"]

Inputs = tuple[int, int, int]
#: Three numbers, and the right label.
Instance = tuple[Inputs, int]

INPUTS: list[Inputs] = list(product(range(VALUES), repeat=3))


class LabelProblem:
    """Choose one label."""

    def __init__(self, task: LabellingTask, inputs: Inputs, right: int) -> None:
        self._task = task
        self.parts = parts_of([inputs])
        self.gold = np.zeros(LABELS)
        self.gold[right] = 1.0
        self.cost = 1.0 - self.gold

    def scores(self, weights):
        return self._task.scorer.score(self._task.prepared, self.parts, weights)

    @property
    def choices(self):
        return np.zeros(LABELS, dtype=np.int32)

    def contributions(self, weights):
        return self._task.scorer.contributions(self._task.prepared, self.parts, weights)

    def decode(self, scores):
        answer = np.zeros(LABELS)
        answer[np.argmax(scores)] = 1.0
        return answer

    def marginals(self, scores):
        total = float(np.logaddexp.reduce(scores))
        return Expectation(np.exp(scores - total), total)

    def gradient(self, coefficients):
        return self._task.scorer.gradient(self._task.prepared, self.parts, coefficients)


def parts_of(inputs: Sequence[Inputs]) -> LabelledParts:
    """Every label of some inputs."""
    rows = np.array([(1, *numbers) for numbers in inputs], dtype=np.int32)
    return LabelledParts(
        rows,
        np.array([0, len(rows)], dtype=np.int32),
        np.arange(0, LABELS * len(rows) + 1, LABELS, dtype=np.int32),
        np.tile(np.arange(LABELS, dtype=np.int32), len(rows)),
    )


class LabellingTask:
    """Some instances, as a learner wants them."""

    def __init__(self, instances: Sequence[Instance], templates: Sequence[str] = TEMPLATES) -> None:
        sentence = Sentence.from_words(["word"])
        encoder = Encoder.fit([sentence], [], [])
        self.instances = instances
        self.scorer = Scorer(templates, KIND, encoder)
        self.prepared = self.scorer.prepare(encoder.encode([sentence]))

    def __len__(self) -> int:
        return len(self.instances)

    def problem(self, index: int) -> LabelProblem:
        return LabelProblem(self, *self.instances[index])

    def keys(self, index: int):
        """Return the features of an instance, without labels."""
        return self.scorer.keys(self.prepared, self.problem(index).parts)

    def table(self, weights):
        """Score every label of every input, one row per input."""
        scores = self.scorer.score(self.prepared, parts_of(INPUTS), weights)
        return scores.reshape(-1, LABELS)

    def gradient(self, inputs: Inputs, coefficients):
        """Return the features of an input's labels, weighted."""
        return self.scorer.gradient(self.prepared, parts_of([inputs]), np.array(coefficients))


#: One entry per dense feature: its template, and its values.
FEATURES = [
    *((0, (v,)) for v in range(VALUES)),
    *((1, (v,)) for v in range(VALUES)),
    *((2, (v,)) for v in range(VALUES)),
    *((3, pair) for pair in product(range(VALUES), repeat=2)),
]
NUMBERS = {feature: number for number, feature in enumerate(FEATURES)}
#: Dense weights are one vector: all labels of the first feature, all labels of the second, ...
SIZE = len(FEATURES) * LABELS
TEMPLATE_OF = np.repeat([template for template, _ in FEATURES], LABELS)
FEATURE_OF = np.repeat(np.arange(len(FEATURES)), LABELS)


def fired(inputs: Inputs) -> list[int]:
    """Return the dense features of an input, without labels."""
    a, b, c = inputs
    return [NUMBERS[0, (a,)], NUMBERS[1, (b,)], NUMBERS[2, (c,)], NUMBERS[3, (a, b)]]


def dense_table(weights: np.ndarray) -> np.ndarray:
    """Score every label of every input."""
    by_feature = weights.reshape(-1, LABELS)
    return np.array([by_feature[fired(inputs)].sum(axis=0) for inputs in INPUTS])


def dense_gradient(inputs: Inputs, coefficients) -> np.ndarray:
    gradient = np.zeros((len(FEATURES), LABELS))
    gradient[fired(inputs)] += coefficients
    return gradient.ravel()


def template_partition(weights="one") -> Groups:
    return Groups.of_assignment(TEMPLATE_OF, weights=weights)


def label_partition() -> Groups:
    return Groups.of_assignment(FEATURE_OF, weights="one")


def dense_learner(
    instances: Sequence[Instance],
    options: SparseOptions,
    prox: Callable[[np.ndarray, float], np.ndarray],
) -> np.ndarray:
    """Algorithm 1 of the paper, a log-linear loss, a proximal step every K rounds to the end."""
    weights = np.zeros(SIZE)
    owed, left = 0.0, options.epochs * len(instances)
    for epoch in range(options.epochs):
        order = np.random.default_rng([options.seed, epoch]).permutation(len(instances))
        for index in order:
            inputs, right = instances[index]
            scores = weights.reshape(-1, LABELS)[fired(inputs)].sum(axis=0)
            probabilities = np.exp(scores - np.logaddexp.reduce(scores))
            step = options.first_step / np.sqrt(epoch + 1)
            weights = weights - step * dense_gradient(inputs, probabilities - np.eye(LABELS)[right])
            owed += step
            left -= 1
            if left % options.rounds_between == 0:
                weights = prox(weights, owed * options.strength)
                owed = 0.0
    return weights


def random_instances(count: int, seed: int, rule: Callable[[Inputs], int] | None = None):
    """Draw inputs, and labels by a rule or at random."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        inputs = tuple(int(v) for v in rng.integers(VALUES, size=3))
        found.append((inputs, rule(inputs) if rule else int(rng.integers(LABELS))))
    return found
