"""A small learning task in two forms: for the learner, and in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from oracles.trees import log_sum
from turbotree.features import Encoder, PartKind, Parts, Scorer
from turbotree.learning import Expectation, LearnerOptions
from turbotree.text import Sentence

#: Each choice has a colour and a size; its features are the two, and both together.
KIND = PartKind(("w",), {"colour": 5, "size": 5})
TEMPLATES = ["colour", "size", "colour size"]

Choice = tuple[int, int]
#: The choices of an instance, and which of them is right.
Instance = tuple[list[Choice], int]


class ChoiceProblem:
    """Choose one of several things."""

    def __init__(self, task: ChoiceTask, choices: list[Choice], right: int) -> None:
        self._task = task
        self._parts = Parts.of_one([[1, *choice] for choice in choices])
        self.gold = np.zeros(len(choices))
        self.gold[right] = 1.0
        self.cost = 1.0 - self.gold

    def scores(self, weights):
        return self._task.scorer.score(self._task.prepared, self._parts, weights)

    def decode(self, scores):
        answer = np.zeros(len(scores))
        answer[np.argmax(scores)] = 1.0
        return answer

    def marginals(self, scores):
        total = log_sum(scores.tolist())
        return Expectation(np.exp(scores - total), total)

    def gradient(self, coefficients):
        return self._task.scorer.gradient(self._task.prepared, self._parts, coefficients)


class ChoiceTask:
    """Some instances, as the learner wants them."""

    def __init__(self, instances: Sequence[Instance]) -> None:
        sentence = Sentence.from_words(["word"])
        encoder = Encoder.fit([sentence], [], [])
        self.instances = instances
        self.scorer = Scorer(TEMPLATES, KIND, encoder)
        self.prepared = self.scorer.prepare(encoder.encode([sentence]))

    def __len__(self) -> int:
        return len(self.instances)

    def problem(self, index: int) -> ChoiceProblem:
        return ChoiceProblem(self, *self.instances[index])

    def weights_of(self, weights, choices: Sequence[Choice]) -> list[float]:
        """Score choices under some weights."""
        parts = Parts.of_one([[1, *choice] for choice in choices])
        return self.scorer.score(self.prepared, parts, weights).tolist()


def features(choice: Choice) -> list[tuple[str, object]]:
    colour, size = choice
    return [("colour", colour), ("size", size), ("both", choice)]


@dataclass
class PlainLearner:
    """The learner of the papers, with a dictionary of weights and every iterate kept."""

    options: LearnerOptions
    weights: dict[object, float] = field(default_factory=lambda: defaultdict(float))
    iterates: list[dict[object, float]] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    updates: list[int] = field(default_factory=list)

    def score(self, choice: Choice) -> float:
        return sum(self.weights[feature] for feature in features(choice))

    @property
    def averaged(self) -> list[dict[object, float]]:
        """The iterates of the last rounds, as many as the options want."""
        return self.iterates[math.floor(self.options.average_from * len(self.iterates)) :]

    def average(self, choice: Choice) -> float:
        """Score a choice with the average of these iterates."""
        return math.fsum(
            iterate.get(feature, 0.0) for iterate in self.averaged for feature in features(choice)
        ) / len(self.averaged)

    def learn(self, instances: Sequence[Instance]) -> None:
        for epoch in range(self.options.epochs):
            self.learn_epoch(instances, epoch)

    def learn_epoch(
        self, instances: Sequence[Instance], epoch: int, first: int = 0, last: int | None = None
    ) -> None:
        allowed = None
        if self.options.features == "supported":
            allowed = {f for choices, right in instances for f in features(choices[right])}
        self.losses.append(0.0)
        self.updates.append(0)
        order = np.random.default_rng([self.options.seed, epoch]).permutation(len(instances))
        for index in order[first:last]:
            self._step(*instances[index], allowed)
            self.iterates.append(dict(self.weights))

    def _step(self, choices: list[Choice], right: int, allowed: set[object] | None) -> None:
        beta, gamma = self.options.loss.beta, self.options.loss.gamma
        margins = [
            self.score(choice) - self.score(choices[right]) + gamma * (i != right)
            for i, choice in enumerate(choices)
        ]
        if math.isinf(beta):
            loss = max(margins)
            on = [float(i == margins.index(loss)) for i in range(len(choices))]
        else:
            loss = log_sum(beta * margin for margin in margins) / beta
            on = [math.exp(beta * (margin - loss)) for margin in margins]
        self.losses[-1] += max(0.0, loss)
        gradient: dict[object, float] = defaultdict(float)
        for i, choice in enumerate(choices):
            coefficient = on[i] - (i == right)
            if abs(coefficient) < 1e-4:
                continue
            for feature in features(choice):
                gradient[feature] += coefficient
        norm = math.fsum(value * value for value in gradient.values())
        if norm == 0.0:
            return
        step = min(self.options.largest_step, loss / norm)
        if math.isinf(beta) and gamma == 0.0:
            step = self.options.largest_step
        if step <= 0.0:
            return
        self.updates[-1] += 1
        for feature, value in gradient.items():
            if allowed is None or feature in allowed:
                self.weights[feature] -= step * value
