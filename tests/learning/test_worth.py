"""What templates are worth, beside a trial in numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.labelling import (
    FEATURES,
    KIND,
    LABELS,
    TEMPLATES,
    LabellingTask,
    fired,
    random_instances,
)

from turbotree.features import parse_templates
from turbotree.learning import SelectionOptions, Selector
from turbotree.learning.epochs import order_of
from turbotree.learning.worth import try_templates

STEP = 0.01


def trial(instances, order):
    """Score each instance before learning from it, with a table of features and labels."""
    # Rounded as in a table of weights, for ties are broken by the last bit.
    weights = np.zeros((len(FEATURES), LABELS), dtype=np.float32)
    worth, squares = np.zeros(len(TEMPLATES)), np.zeros(len(TEMPLATES))
    for index in order:
        inputs, right = instances[index]
        features = list(fired(inputs))
        for feature in features:
            worth[FEATURES[feature][0]] += weights[feature, right] - weights[feature].mean(
                dtype=np.float64
            )
        scores = weights[features].sum(axis=0, dtype=np.float64)
        with_costs = scores + (np.arange(LABELS) != right)
        answer = int(np.argmax(with_costs))
        if answer != right:
            # Each feature once with the right label, once with the wrong one.
            length = 2 * len(features)
            step = min(STEP, (with_costs[answer] - scores[right]) / length)
            weights[features, right] += np.float32(step)
            weights[features, answer] -= np.float32(step)
            squares += 2 * step**2  # one feature of each template, with either label
    return worth, np.sqrt(squares), weights


@given(st.integers(1, 40), st.integers(0, 1000), st.integers(1, 50))
def test_a_trial_is_the_one_in_numpy(count, seed, instances):
    task = LabellingTask(random_instances(count, seed))
    found = try_templates(task, instances=instances, seed=seed)
    worth, chance, weights = trial(task.instances, order_of(count, seed, 0)[:instances])
    for ours, expected in ((found.worth, worth), (found.chance, chance)):
        np.testing.assert_allclose(ours[: len(TEMPLATES)], expected, atol=1e-6)
        assert (ours[len(TEMPLATES) :] == 0).all()
    assert found.features >= np.count_nonzero(weights)


def test_what_tells_the_label_is_worth_most():
    task = LabellingTask(random_instances(200, 5, rule=lambda inputs: inputs[2] % LABELS))
    costs = try_templates(task).costs()[: len(TEMPLATES)]
    assert np.argmin(costs) == 2
    assert costs[2] == 1.0


def test_an_empty_task_has_nothing_to_tell():
    found = try_templates(LabellingTask([]))
    assert found.features == 0
    assert (found.costs() == 1.0).all()


def test_a_selection_by_worth_counts_the_memory_of_its_trial():
    task = LabellingTask(random_instances(60, 2, rule=lambda inputs: inputs[1] % LABELS))
    how = SelectionOptions(costs="worth", rounds_between=20, epochs=2)
    found = Selector(task, parse_templates(TEMPLATES, KIND), how).select(1)
    assert found.templates == (1,)
    assert found.trial_features == try_templates(task, seed=how.seed).features
    assert found.peak_features >= found.trial_features > 0
