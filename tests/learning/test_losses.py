from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.trees import all_trees, arcs_of, log_sum

from turbotree.errors import InputError
from turbotree.learning import Expectation, Loss
from turbotree.parsing.arcs import TreeShape, all_arcs, arc_marginals, best_trees

SHAPE = TreeShape(single_root=False)


class TreeProblem:
    """A gold tree among all trees of some words."""

    def __init__(self, heads):
        self.lengths = np.array([len(heads)], dtype=np.int32)
        self.arcs = all_arcs(self.lengths)
        self.gold = self.indicator(heads)
        self.cost = 1.0 - self.gold

    def indicator(self, heads):
        on = set(arcs_of(heads))
        return np.array([float((h, m) in on) for h, m in self.arcs.rows.tolist()])

    def decode(self, scores):
        return self.indicator(best_trees(self.lengths, self.arcs, scores, SHAPE).tolist())

    def marginals(self, scores):
        probabilities, logs = arc_marginals(self.lengths, self.arcs, scores, SHAPE)
        return Expectation(probabilities, float(logs[0]))


@st.composite
def cases(draw):
    words = draw(st.integers(1, 4))
    gold = draw(st.sampled_from(all_trees(words)))
    problem = TreeProblem(gold)
    count = len(problem.gold)
    scores = draw(st.lists(st.floats(-4, 4), min_size=count, max_size=count))
    return problem, gold, np.array(scores)


betas = st.sampled_from([0.25, 1.0, 3.0])
gammas = st.sampled_from([0.0, 0.5, 1.0, 2.0])


def margins(problem, gold, scores, gamma):
    """For each tree, how far it beats the gold one, its cost counted in."""
    trees = all_trees(len(gold))
    on = np.array([problem.indicator(tree) for tree in trees])
    costs = [sum(a != b for a, b in zip(tree, gold, strict=True)) for tree in trees]
    return on, on @ scores - problem.gold @ scores + gamma * np.array(costs)


def smooth_loss(problem, gold, scores, beta, gamma):
    _, values = margins(problem, gold, scores, gamma)
    return log_sum((beta * values).tolist()) / beta


@examples(60)
@given(cases(), betas, gammas)
def test_smooth_losses_are_log_sums_over_all_trees(case, beta, gamma):
    problem, gold, scores = case
    loss, coefficients = Loss(beta, gamma).evaluate(problem, scores)
    expected = smooth_loss(problem, gold, scores, beta, gamma)
    assert loss == pytest.approx(expected, abs=1e-9)
    on, values = margins(problem, gold, scores, gamma)
    probabilities = np.exp(beta * (values - expected))
    assert coefficients == pytest.approx(probabilities @ on - problem.gold, abs=1e-9)


@examples(30)
@given(cases(), betas, gammas)
def test_coefficients_are_the_derivatives_of_the_loss(case, beta, gamma):
    problem, gold, scores = case
    _, coefficients = Loss(beta, gamma).evaluate(problem, scores)
    step = 1e-4
    for i in range(len(scores)):
        up, down = scores.copy(), scores.copy()
        up[i] += step
        down[i] -= step
        slope = (
            smooth_loss(problem, gold, up, beta, gamma)
            - smooth_loss(problem, gold, down, beta, gamma)
        ) / (2 * step)
        assert coefficients[i] == pytest.approx(slope, abs=1e-5)


@examples(60)
@given(cases(), gammas)
def test_an_infinite_beta_takes_the_worst_tree(case, gamma):
    problem, gold, scores = case
    loss, coefficients = Loss(math.inf, gamma).evaluate(problem, scores)
    on, values = margins(problem, gold, scores, gamma)
    assert loss == pytest.approx(values.max(), abs=1e-9)
    # One tree or another of those that reach the maximum.
    answer = coefficients + problem.gold
    worst = on[values >= values.max() - 1e-9]
    assert any(np.array_equal(answer, tree) for tree in worst)


@examples(60)
@given(cases(), st.sampled_from([50.0, 1000.0]), gammas)
def test_a_large_beta_comes_close_to_the_infinite_one(case, beta, gamma):
    problem, gold, scores = case
    smooth, _ = Loss(beta, gamma).evaluate(problem, scores)
    hard, _ = Loss(math.inf, gamma).evaluate(problem, scores)
    trees = len(all_trees(len(gold)))
    assert hard - 1e-9 <= smooth <= hard + math.log(trees) / beta + 1e-9


@examples(60)
@given(cases(), st.one_of(betas, st.just(math.inf)), gammas)
def test_losses_are_never_negative_and_scores_are_left_alone(case, beta, gamma):
    problem, _, scores = case
    before = scores.copy()
    loss, _ = Loss(beta, gamma).evaluate(problem, scores)
    assert loss >= 0.0
    assert np.array_equal(scores, before)


@pytest.mark.parametrize(
    ("name", "beta", "gamma"),
    [
        ("crf", 1.0, 0.0),
        ("softmax-margin", 1.0, 1.0),
        ("svm", math.inf, 1.0),
        ("perceptron", math.inf, 0.0),
    ],
)
def test_names_stand_for_members_of_the_family(name, beta, gamma):
    assert Loss.named(name) == Loss(beta, gamma)
    assert Loss(beta, gamma).name == name
    assert Loss(beta, gamma).probabilistic == (beta == 1.0)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(InputError, match=r"'hinge'.*crf.*svm"):
        Loss.named("hinge")


@pytest.mark.parametrize(
    ("beta", "gamma", "culprit"),
    [
        (0.0, 1.0, "beta"),
        (-1.0, 1.0, "beta"),
        (math.nan, 1.0, "beta"),
        (1e308, 1.0, "beta"),
        (1.0, 1e308, "gamma"),
        (1.0, -0.5, "gamma"),
        (1.0, math.nan, "gamma"),
        (1.0, math.inf, "gamma"),
    ],
)
def test_numbers_outside_the_family_are_refused(beta, gamma, culprit):
    with pytest.raises(InputError, match=culprit):
        Loss(beta, gamma)


@given(
    st.sampled_from(["crf", "softmax-margin", "svm"]),
    st.floats(0, 100),
    st.floats(0.001, 100),
    st.floats(0.001, 10),
)
def test_a_step_closes_the_loss_but_is_never_too_long(name, loss, norm, largest):
    step = Loss.named(name).step_size(loss, norm, largest)
    assert step == min(largest, loss / norm)


@given(st.floats(0, 100), st.floats(0.001, 100), st.floats(0.001, 10))
def test_the_perceptron_always_takes_the_largest_step(loss, norm, largest):
    assert Loss.named("perceptron").step_size(loss, norm, largest) == largest


@pytest.mark.parametrize("name", ["crf", "svm", "perceptron"])
def test_without_a_gradient_there_is_no_step(name):
    assert Loss.named(name).step_size(1.0, 0.0, 0.5) == 0.0


@examples(60)
@given(cases(), st.sampled_from([0.25, 1.0, 3.0, math.inf]), gammas, st.data())
def test_what_is_unknown_of_the_right_answer_is_free(case, beta, gamma, data):
    problem, gold, scores = case
    known = np.array(data.draw(st.lists(st.booleans(), min_size=len(gold), max_size=len(gold))))
    problem.cost = (1.0 - problem.gold) * known[problem.arcs.rows[:, 1] - 1]
    problem.excluded = problem.cost > 0
    loss, coefficients = Loss(beta, gamma).evaluate(problem, scores)

    trees = all_trees(len(gold))
    on = np.array([problem.indicator(tree) for tree in trees])
    right = [all(tree[m] == gold[m] for m in np.flatnonzero(known)) for tree in trees]
    augmented, own = on @ (scores + gamma * problem.cost), on[right] @ scores
    if math.isinf(beta):
        assert loss == pytest.approx(augmented.max() - own.max(), abs=1e-9)
        return
    totals = [log_sum((beta * values).tolist()) for values in (augmented, own)]
    assert loss == pytest.approx((totals[0] - totals[1]) / beta, abs=1e-9)
    everywhere = np.exp(beta * augmented - totals[0]) @ on
    in_right_ones = np.exp(beta * own - totals[1]) @ on[right]
    assert coefficients == pytest.approx(everywhere - in_right_ones, abs=1e-9)
