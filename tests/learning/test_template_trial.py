"""What templates are worth, beside a trial in numpy."""

from __future__ import annotations

from types import SimpleNamespace

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
from turbotree.learning.problem import strongest_rivals
from turbotree.learning.progress import Silent
from turbotree.learning.selection.template_trial import try_templates

STEP = 0.01


def trial(instances, order, untried):
    """Score each instance before learning from it, with a table of features and labels."""
    # Rounded as in a table of weights, for ties are broken by the last bit.
    weights = np.zeros((len(FEATURES), LABELS), dtype=np.float32)
    said, squares = [], np.zeros(len(TEMPLATES))
    for done, index in enumerate(order):
        inputs, right = instances[index]
        features = list(fired(inputs))
        scores = weights[features].sum(axis=0, dtype=np.float64)
        rivals = [label for label in range(LABELS) if label != right]
        if done >= untried:
            said += [weights[features, right] - weights[features, rival] for rival in rivals[:2]]
        with_costs = scores + (np.arange(LABELS) != right)
        answer = int(np.argmax(with_costs))
        if answer != right:
            # Each feature once with the right label, once with the wrong one.
            length = 2 * len(features)
            step = min(STEP, (with_costs[answer] - scores[right]) / length)
            weights[features, right] += np.float32(step)
            weights[features, answer] -= np.float32(step)
            squares += 2 * step**2  # one feature of each template, with either label
    return np.array(said, dtype=np.float64), np.sqrt(squares), weights


@given(st.integers(2, 140), st.integers(0, 1000))
def test_a_trial_is_the_one_in_numpy(count, seed):
    assert LABELS == 3  # all wrong labels are rivals, whatever their scores
    task = LabellingTask(random_instances(count, seed))
    found = try_templates(task, seed=seed)
    untried = min(100, count // 2)
    said, chance, weights = trial(task.instances, order_of(count, seed, 0), untried)
    np.testing.assert_allclose(found.moments, said.T @ said / len(said), atol=1e-7)
    np.testing.assert_allclose(found.gains, said.mean(axis=0), atol=1e-7)
    np.testing.assert_allclose(found.chance, chance, atol=1e-6)
    assert found.features >= np.count_nonzero(weights)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("rwf")), max_size=25),
    st.integers(1, 3),
    st.integers(0, 100),
)
def test_rivals_are_the_strongest_wrong_parts_of_a_choice(parts, most, seed):
    scores = np.random.default_rng(seed).permutation(len(parts)) / 2.0
    right = {}
    for part, (choice, kind) in enumerate(parts):
        if kind == "r" and choice not in right:
            right[choice] = part
    wrong = [p for p, (_, kind) in enumerate(parts) if kind == "w"]  # "f" is free
    expected = {
        (right[choice], rival)
        for choice in right
        for rival in sorted((p for p in wrong if parts[p][0] == choice), key=lambda p: -scores[p])[
            :most
        ]
    }
    # One part more, which is none to choose from.
    problem = SimpleNamespace(
        choices=np.array([choice for choice, _ in parts], dtype=np.int32),
        gold=np.array([float(p in right.values()) for p in range(len(parts))] + [1.0]),
        cost=np.array([float(p in wrong) for p in range(len(parts))] + [1.0]),
    )
    found = strongest_rivals(problem, scores, most)
    assert sorted(zip(*(side.tolist() for side in found), strict=True)) == sorted(expected)


def test_what_tells_the_label_is_worth_most():
    task = LabellingTask(random_instances(200, 5, rule=lambda inputs: inputs[2] % LABELS))
    costs = try_templates(task).costs(1)
    assert np.argmin(costs) == 2


def test_of_two_that_say_the_same_one_is_cheap():
    # "a b" says all that "a" says.
    task = LabellingTask(random_instances(400, 5, rule=lambda inputs: inputs[0] % LABELS))
    trial = try_templates(task)
    assert trial.gains[0] > 0
    assert trial.gains[3] > 0
    shares = 1.0 / trial.costs(1)[[0, 3]]
    assert shares[0] > 10 * shares[1]


def test_few_features_are_kept_where_few_are_allowed():
    task = LabellingTask(random_instances(500, 3, rule=lambda inputs: sum(inputs) % LABELS))
    free, tight = try_templates(task), try_templates(task, features=10)
    assert free.features > 20
    assert tight.features <= free.features
    assert not np.allclose(free.gains, tight.gains)


class Told(Silent):
    """Keeps what it is told."""

    def __init__(self):
        self.seen = []

    def start(self, name, instances, epochs):
        self.seen.append((name, instances, epochs))

    def instance(self, name, done, record):
        self.seen.append(done)

    def epoch(self, name, record):
        self.seen.append((name, record.epoch))


def test_the_progress_of_a_trial_is_told():
    told = Told()
    try_templates(LabellingTask(random_instances(3, 1)), progress=told)
    assert told.seen == [("trial", 3, 1), 1, 2, 3, ("trial", 1)]


def test_an_empty_task_has_nothing_to_tell():
    found = try_templates(LabellingTask([]))
    assert found.features == 0
    assert (found.costs(3) == 1.0).all()


def test_a_selection_by_trial_counts_the_memory_of_its_trial():
    task = LabellingTask(random_instances(60, 2, rule=lambda inputs: inputs[1] % LABELS))
    how = SelectionOptions(costs="trial", rounds_between=20, epochs=2)
    found = Selector(task, parse_templates(TEMPLATES, KIND), how).select(1)
    assert found.templates == (1,)
    assert found.trial_features == try_templates(task, seed=how.seed).features
    assert found.peak_features >= found.trial_features > 0
