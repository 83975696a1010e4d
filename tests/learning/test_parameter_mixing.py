"""Learning in shards, against averaging by hand and against learning without shards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.choices import ChoiceTask, PlainLearner

from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.learning import Checkpoint, LearnerOptions, Loss, learn
from turbotree.learning.learner import supported
from turbotree.learning.parameter_mixing import (
    SHARES,
    Mixing,
    learn_in_shards,
    learn_leg,
    merged,
    mixed,
    shard_weights,
)

CHOICES = [(colour, size) for colour in range(5) for size in range(5)]
OPTIONS = LearnerOptions(Loss.named("softmax-margin"), epochs=3, largest_step=0.1)


class Tasks:
    """Shards in this process, which end in reverse order."""

    def __init__(self, tasks):
        self.tasks = tasks

    @property
    def shards(self):
        return len(self.tasks)

    def supported(self):
        return merged([supported(task).state()["keys"] for task in self.tasks])

    def learn(self, options, leg, state):
        for number in reversed(range(len(self.tasks))):
            yield number, learn_leg(self.tasks[number], options, leg, state)


def random_instances(count, seed=4):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        numbers = rng.choice(len(CHOICES), size=4, replace=False)
        found.append(([CHOICES[i] for i in numbers], int(rng.integers(4))))
    return found


def by_hand(shards, options, mixing):
    """Learn as the module says, with dictionaries; give the last weights and their average.

    All shards have the same number of instances, so that all rounds count alike.
    """
    weights: dict[object, float] = {}
    history: list[dict[object, float]] = []  # of the mixtures of what the shards had in each round
    step = options.largest_step * len(shards)
    size = len(shards[0])
    for epoch in range(options.epochs):
        if len(shards) > 1 and epoch == options.epochs // 2:
            history = []
        for leg in range(mixing.times):
            first, last = (number * size // mixing.times for number in (leg, leg + 1))
            learners = []
            for data in shards:
                learner = PlainLearner(replace(options, largest_step=step))
                learner.weights.update(weights)
                learner.learn_epoch(data, epoch, first, last)
                learners.append(learner)
            mix = mixture(learners, weights, mixing.shares)
            for number in range(last - first):
                history.append(mix([learner.iterates[number] for learner in learners]))
            weights = mix([learner.weights for learner in learners])
    features = {f for iterate in history for f in iterate}
    average = {f: sum(i.get(f, 0.0) for i in history) / len(history) for f in features}
    return weights, average


def mixture(learners, start, shares):
    """Give what mixes dictionaries of weights, one of each learner."""
    features = {f for learner in learners for f in learner.weights}
    counts = [sum(learner.updates) for learner in learners]

    def share(number, feature):
        changed = [
            any(i.get(feature, 0.0) != start.get(feature, 0.0) for i in learner.iterates)
            for learner in learners
        ]
        if shares == "features" and any(changed):
            return changed[number] / sum(changed)
        if shares == "updates" and sum(counts):
            return counts[number] / sum(counts)
        return 1 / len(learners)

    shares_of_features = {f: [share(i, f) for i in range(len(learners))] for f in features}
    return lambda several: {
        f: sum(s * one.get(f, 0.0) for s, one in zip(shares_of_features[f], several, strict=True))
        for f in features
    }


def scores_by_hand(weights):
    learner = PlainLearner(OPTIONS)
    learner.weights.update(weights)
    return [learner.score(choice) for choice in CHOICES]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("loss", ["crf", "softmax-margin"])
@pytest.mark.parametrize("shards", [1, 2, 3])
def test_mixing_is_averaging_by_hand(shares, times, loss, shards):
    data = [random_instances(5, seed=number) for number in range(shards)]
    options = replace(OPTIONS, loss=Loss.named(loss))
    tasks = Tasks([ChoiceTask(instances) for instances in data])
    mixing = Mixing(shares, times)
    weights, _ = learn_in_shards(tasks, options, mixing=mixing)
    last, average = by_hand(data, options, mixing)
    found = tasks.tasks[0].weights_of(weights, CHOICES)
    assert found == pytest.approx(scores_by_hand(last), abs=1e-4)
    found = tasks.tasks[0].weights_of(weights.freeze(), CHOICES)
    assert found == pytest.approx(scores_by_hand(average), abs=1e-4)


@pytest.mark.parametrize("average_from", [0.0, 0.4])
@pytest.mark.parametrize("features", ["all", "supported"])
@pytest.mark.parametrize("loss", ["crf", "svm", "perceptron"])
def test_one_shard_learns_what_learning_without_shards_does(loss, features, average_from):
    task = ChoiceTask(random_instances(9))
    options = replace(OPTIONS, loss=Loss.named(loss), features=features, average_from=average_from)
    expected, records = learn(task, options)
    found, mixed_records = learn_in_shards(Tasks([task]), options)
    assert mixed_records == records
    for name, array in expected.state().items():
        assert np.array_equal(found.state()[name], array)


states = st.dictionaries(st.integers(1, 12), st.tuples(st.integers(-8, 8), st.integers(-8, 8)))


@examples(60)
@given(st.lists(st.tuples(states, st.integers(1, 5), st.integers(0, 3)), min_size=1, max_size=4))
def test_the_average_of_a_mixture_is_the_mixture_of_the_averages(given_states):
    keys = range(1, 13)
    made, averages, lasts = [], [], []
    for entries, rounds, _ in given_states:
        own = sorted(entries)
        made.append(
            {
                "keys": np.array(own, dtype=np.uint64),
                "weights": np.array([entries[k][0] for k in own], dtype=np.float32),
                "weighted_updates": np.array([entries[k][1] for k in own], dtype=np.float32),
                "round": np.array([rounds, 0]),
            }
        )
        pairs = [entries.get(k, (0, 0)) for k in keys]
        lasts.append([w for w, _ in pairs])
        averages.append([w - u / rounds for w, u in pairs])
    shares = shard_weights([updates for _, _, updates in given_states], "updates")
    assert sum(shares) == pytest.approx(1.0)
    found = mixed(made, shares)
    at = {int(key): i for i, key in enumerate(found["keys"])}
    assert sorted(at) == sorted({k for entries, _, _ in given_states for k in entries})
    for key in at:
        weight, update = found["weights"][at[key]], found["weighted_updates"][at[key]]
        mean = weight - update / found["round"][0]
        column = key - 1
        expected = sum(s * row[column] for s, row in zip(shares, averages, strict=True))
        assert mean == pytest.approx(expected, abs=1e-4)
        expected = sum(s * row[column] for s, row in zip(shares, lasts, strict=True))
        assert weight == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("seconds", [0.0, 60.0])
@pytest.mark.parametrize("stop_after", range(1, 12))
def test_a_run_that_was_killed_goes_on_to_the_same_weights(tmp_path, seconds, stop_after):
    data = [ChoiceTask(random_instances(5, seed=s)) for s in (1, 2)]
    expected, records = learn_in_shards(Tasks(data), OPTIONS)

    class Killed(Tasks):
        def learn(self, options, leg, state):
            for number, shard in super().learn(options, leg, state):
                self.left -= 1
                if not self.left:
                    raise KeyboardInterrupt
                yield number, shard

    killed = Killed(data)
    killed.left = stop_after
    checkpoint = Checkpoint(tmp_path / "state", {}, seconds_between=seconds)
    with pytest.raises(KeyboardInterrupt):
        learn_in_shards(killed, OPTIONS, checkpoint=checkpoint)
    found, again = learn_in_shards(Tasks(data), OPTIONS, checkpoint=checkpoint)
    assert again == records
    for name, array in expected.state().items():
        assert np.array_equal(found.state()[name], array)


def test_progress_is_told_shard_by_shard():
    tasks = Tasks([ChoiceTask(random_instances(n, seed=n)) for n in (2, 3)])
    told = []
    learn_in_shards(
        tasks, replace(OPTIONS, epochs=1), on_shard=lambda done, record: told.append(done)
    )
    # The second ends first; there are two legs, of one instance and the rest.
    assert told == [1, 2, 3, 5]


def test_keys_of_nothing_are_merged_to_nothing():
    assert merged([np.array([], dtype=np.uint64)]).tolist() == []
    assert len(Weights.restore(mixed([Weights().state(), Weights().state()], [0.5, 0.5]))) == 0


@pytest.mark.parametrize(
    ("choices", "reason"), [({"shares": "shaken"}, "unknown shares"), ({"times": 0}, "at least 1")]
)
def test_a_mixing_that_there_is_not_is_refused(choices, reason):
    with pytest.raises(InputError, match=reason):
        Mixing(**choices)
