"""What is done with a selection, and ways to select without learning."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from oracles.labelling import (
    FEATURES,
    LABELS,
    LabellingTask,
    fired,
    random_instances,
)

from turbotree.errors import InputError
from turbotree.features import LazyWeights, ScaledWeights
from turbotree.learning import (
    LazyPenalty,
    LearnerOptions,
    Loss,
    RestrictedTask,
    SparseOptions,
    TemplatePenalty,
    best_templates,
    count_features,
    frequent_features,
    information_gain,
    learn,
    learn_sparse,
    refit,
    selected_features,
    surviving_templates,
)
from turbotree.learning.regularisers import templates_of_keys
from turbotree.learning.selection.counting import DistinctCounter

SVM = LearnerOptions(Loss.named("svm"), epochs=3, largest_step=1.0)


@pytest.fixture(scope="module")
def task():
    return LabellingTask(random_instances(60, 2))


def keys_of(weights):
    return set(weights.table.entries()[0].tolist())


def test_a_refit_has_the_selected_features_and_no_others(task):
    for penalty, budget in ((TemplatePenalty(), 2), (LazyPenalty(by_label=False), 9)):
        options = SparseOptions(budget=budget, rounds_between=20)
        selection, _ = learn_sparse(task, penalty, options)
        weights, records = refit(task, selection, SVM)
        assert keys_of(weights) == set(selection.entries()[0].tolist())
        assert len(records) == 3
        # The selection itself is as it was, and so is what it starts from.
        assert keys_of(weights) == keys_of(selected_features(selection))
        start = selected_features(selection)
        assert start.table.closed
        assert not start.table.entries()[1].any()


def test_a_refit_on_templates_is_training_with_these_templates_alone(task):
    selection = ScaledWeights()
    for index in range(5):
        selection.add(task.problem(index).gradient(np.array([1.0, 2.0, -1.0])), 1.0)
    alive = np.zeros(len(selection.norms()))
    alive[[1, 3]] = 1.0
    selection.scale(alive)
    assert surviving_templates(selection) == [1, 3]
    weights, _ = refit(task, selection, SVM, features="templates")
    small = LabellingTask(task.instances, templates=["b", "a b"])
    expected, _ = learn(small, SVM)
    np.testing.assert_allclose(task.table(weights), small.table(expected), atol=1e-6)
    assert set(templates_of_keys(weights.table.entries()[0]).tolist()) == {1, 3}


def test_a_restricted_task_decides_as_the_whole_one(task):
    some, whole = RestrictedTask(task, [0]).problem(3), task.problem(3)
    scores = np.array([0.5, 1.0, 2.0])
    assert len(RestrictedTask(task, [0])) == len(task)
    np.testing.assert_array_equal(some.gold, whole.gold)
    np.testing.assert_array_equal(some.cost, whole.cost)
    np.testing.assert_array_equal(some.decode(scores), whole.decode(scores))
    np.testing.assert_array_equal(
        some.marginals(scores).probabilities, whole.marginals(scores).probabilities
    )


def test_information_gain_is_the_formula(task):
    expected = defaultdict(float)
    for template in range(4):
        joint = Counter()
        for inputs, right in task.instances:
            (feature,) = [f for f in fired(inputs) if FEATURES[f][0] == template]
            for label in range(LABELS):
                joint[(feature, label), label == right] += 1
        total = sum(joint.values())
        of_feature, of_answer = Counter(), Counter()
        for (feature, active), count in joint.items():
            of_feature[feature] += count
            of_answer[active] += count
        for (feature, active), count in joint.items():
            share = count / total
            marginals = of_feature[feature] / total * of_answer[active] / total
            expected[template] += share * math.log2(share / marginals)
    gains = information_gain(task)
    np.testing.assert_allclose(gains[:4], [expected[t] for t in range(4)], rtol=1e-6)
    assert (gains[4:] == 0).all()


def test_information_gain_prefers_what_tells_the_label():
    task = LabellingTask(random_instances(200, 5, rule=lambda x: x[2] % LABELS))
    assert best_templates(information_gain(task), 1) == [2]
    assert information_gain(LabellingTask([])).sum() == 0.0


def test_only_frequent_features_are_learnt(task):
    counts = Counter(
        (feature, right) for inputs, right in task.instances for feature in fired(inputs)
    )
    for at_least in (1, 2, 5):
        start = frequent_features(task, at_least)
        expected = sum(count >= at_least for count in counts.values())
        assert len(start) == expected
        weights, _ = learn(task, SVM, start=start)
        assert len(weights) == expected
        assert weights.table.entries()[1].any()


def test_features_are_counted_without_keeping_them(task):
    seen = {(f, right) for inputs, right in task.instances for f in fired(inputs)}
    expected = Counter(FEATURES[feature][0] for feature, _ in seen)
    counts = count_features(task)
    assert counts[:4].round().tolist() == [expected[t] for t in range(4)]
    assert (counts[4:] == 0).all()


@pytest.mark.parametrize("count", [1, 100, 3000, 12_000, 200_000])
def test_estimated_counts_are_right_to_a_few_percent(count):
    rng = np.random.default_rng(count)
    hashes = np.unique(rng.integers(1 << 42, size=count, dtype=np.uint64))
    keys = hashes << np.uint64(22) | np.uint64(8 << 12 | 3)
    counter = DistinctCounter()
    for _ in range(2):
        counter.add(rng.permutation(keys))
    # The standard error is 1.04 / sqrt(4096), 1.6 %.
    assert counter.counts()[7] == pytest.approx(len(hashes), rel=0.065, abs=0.5)
    assert counter.counts().sum() == counter.counts()[7]


def test_nothing_survives_where_nothing_was_learnt(task):
    assert surviving_templates(LazyWeights(by_label=True)) == []
    weights, _ = refit(task, ScaledWeights(), SVM)
    assert len(weights) == 0


@pytest.mark.parametrize(
    ("call", "culprit"),
    [
        (lambda task: refit(task, ScaledWeights(), SVM, features="most"), "most"),
        (lambda task: RestrictedTask(task, [-1]), "template -1"),
        (lambda task: best_templates([1.0], 0), "budget is 0"),
        (lambda task: frequent_features(task, 0), "frequency"),
    ],
)
def test_what_makes_no_sense_is_refused(task, call, culprit):
    with pytest.raises(InputError, match=culprit):
        call(task)
