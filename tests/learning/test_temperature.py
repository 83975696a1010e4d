from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.trees import log_sum

from turbotree.learning import Expectation, Loss
from turbotree.learning.temperature import fit_temperature, typical_temperature
from turbotree.parsing import train_parser
from turbotree.text import treebank


class FixedChoice:
    """A choice of one thing among several, with scores that are given."""

    def __init__(self, scores, right):
        self._scores = np.array(scores)
        self.gold = np.zeros(len(scores))
        self.gold[right] = 1.0
        self.cost = 1.0 - self.gold

    def scores(self, weights):
        return self._scores

    def marginals(self, scores):
        total = log_sum(scores.tolist())
        return Expectation(np.exp(scores - total), total)


def surprise(problems, temperature):
    """How unlikely the right choices are, in nats."""
    return sum(
        log_sum((problem._scores / temperature).tolist())
        - float(problem._scores @ problem.gold) / temperature
        for problem in problems
    )


@st.composite
def problem_lists(draw):
    problems = []
    for _ in range(draw(st.integers(1, 5))):
        scores = draw(st.lists(st.floats(-5, 5), min_size=2, max_size=4))
        problems.append(FixedChoice(scores, draw(st.integers(0, len(scores) - 1))))
    return problems


@examples(50)
@given(problem_lists())
def test_no_other_temperature_makes_the_right_answers_clearly_likelier(problems):
    found = fit_temperature(problems, None, default=1.0)
    assert 0.01 <= found <= 10.0
    grid = np.exp(np.linspace(math.log(0.0101), math.log(9.9), 400))
    least = min(surprise(problems, temperature) for temperature in grid)
    assert surprise(problems, found) <= least * 1.001 + 1e-3


@pytest.mark.parametrize("scale", [0.1, 1.0, 2.5])
def test_a_model_becomes_as_sure_as_it_is_right(scale):
    # Scores say e^(4 scale) to 1 where the truth is 3 to 1: T = 4 scale / log 3 makes both agree.
    problems = [FixedChoice([4.0 * scale, 0.0], right) for right in (0, 0, 0, 1)]
    expected = 4.0 * scale / math.log(3.0)
    assert fit_temperature(problems, None, default=1.0) == pytest.approx(expected, rel=0.005)


def test_without_problems_the_temperature_is_one():
    assert fit_temperature([], None, default=0.7) == 0.7


def test_a_model_that_is_always_right_may_be_sure():
    problem = FixedChoice([5.0, 0.0], 0)
    assert surprise([problem], fit_temperature([problem], None, default=1.0)) < 1e-9


def test_a_model_that_is_always_wrong_should_be_as_unsure_as_can_be():
    assert fit_temperature([FixedChoice([5.0, 0.0], 1)], None, default=1.0) == pytest.approx(
        10.0, rel=0.01
    )


def test_without_a_development_set_the_loss_sets_the_scale():
    assert typical_temperature(Loss(4.0, 1.0)) == 0.25
    assert typical_temperature(Loss(math.inf, 2.0)) == 2 * typical_temperature(Loss.named("svm"))
    assert typical_temperature(Loss.named("perceptron")) == 1.0
    parser = train_parser(
        treebank(20, seed=1), model="arc", epochs=1, pruner_epochs=1, beta=2.0, gamma=0.0
    )
    assert parser.arc_temperature == 0.5
    assert parser.label_temperature == typical_temperature(Loss.named("svm"))
