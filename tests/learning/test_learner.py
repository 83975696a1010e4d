from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.choices import ChoiceTask, PlainLearner, features

from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.learning import Checkpoint, EpochRecord, LearnerOptions, Loss, count_supported, learn

CHOICES = list(product(range(5), range(5)))

choices = st.tuples(st.integers(0, 4), st.integers(0, 4))
instances = st.lists(choices, min_size=1, max_size=4, unique=True).flatmap(
    lambda options: st.tuples(st.just(options), st.integers(0, len(options) - 1))
)
losses = st.sampled_from(
    [*map(Loss.named, ("crf", "softmax-margin", "svm", "perceptron")), Loss(3.0, 0.5)]
)
options = st.builds(
    LearnerOptions,
    losses,
    st.integers(1, 3),
    st.sampled_from([0.1, 1.0]),
    st.sampled_from(["all", "supported"]),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.5, 0.75]),
)


def random_instances(count, seed=4):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        numbers = rng.choice(len(CHOICES), size=4, replace=False)
        found.append(([CHOICES[i] for i in numbers], int(rng.integers(4))))
    return found


@examples(60)
@given(st.lists(instances, min_size=1, max_size=5), options)
def test_learning_is_that_of_the_papers_and_ends_with_the_average(data, options):
    task, plain = ChoiceTask(data), PlainLearner(options)
    plain.learn(data)
    if _close_call(data, options):
        return
    weights, records = learn(task, options)
    assert weights.round == len(plain.averaged)
    expected = [plain.score(choice) for choice in CHOICES]
    assert task.weights_of(weights, CHOICES) == pytest.approx(expected, abs=1e-4)
    expected = [plain.average(choice) for choice in CHOICES]
    assert task.weights_of(weights.freeze(), CHOICES) == pytest.approx(expected, abs=1e-4)
    assert [record.epoch for record in records] == list(range(1, options.epochs + 1))
    assert [record.loss for record in records] == pytest.approx(plain.losses, abs=1e-4)
    if math.isfinite(options.loss.beta):
        assert [record.updates for record in records] == plain.updates


@examples(30)
@given(st.lists(instances, min_size=1, max_size=5))
def test_supported_features_are_those_of_right_answers(data):
    found = {feature for options, right in data for feature in features(options[right])}
    assert count_supported(ChoiceTask(data)) == len(found)


def _close_call(data, options):
    """Tell whether rounding may decide between two answers: weights have 32 bits only."""
    if math.isfinite(options.loss.beta):
        return False
    plain = PlainLearner(options)
    close = []
    step = plain._step

    def watched(choices, right, allowed):
        margins = sorted(
            plain.score(c) + options.loss.gamma * (i != right) for i, c in enumerate(choices)
        )
        # Zeros tie for the core as well; sums that are equal here may differ in 32 bits.
        untouched = (0.0, options.loss.gamma)
        close.extend(b - a < 1e-5 and not a == b in untouched for a, b in pairwise(margins))
        step(choices, right, allowed)

    plain._step = watched
    plain.learn(data)
    return any(close)


def test_the_seed_decides_the_order_of_each_epoch():
    data = random_instances(6)

    def orders(seed):
        seen = []
        task = ChoiceTask(data)
        problem = task.problem
        task.problem = lambda index: seen.append(index) or problem(index)
        learn(task, LearnerOptions(Loss.named("crf"), epochs=2, seed=seed))
        assert sorted(seen[:6]) == sorted(seen[6:]) == list(range(6))
        return seen

    assert orders(1) == orders(1)
    assert orders(1) != orders(2)
    first = orders(1)
    assert first[:6] != first[6:]


def test_only_supported_features_exist_when_asked():
    data = random_instances(5)
    weights, records = learn(
        ChoiceTask(data), LearnerOptions(Loss.named("crf"), epochs=2, features="supported")
    )
    supported = {feature for options, right in data for feature in features(options[right])}
    assert len(weights) == len(supported)
    assert [record.features for record in records] == [len(supported)] * 2


def test_all_features_of_a_probabilistic_loss_exist_after_one_epoch():
    data = random_instances(5)
    weights, records = learn(ChoiceTask(data), LearnerOptions(Loss.named("crf"), epochs=1))
    seen = {feature for options, _ in data for choice in options for feature in features(choice)}
    assert records[0].features == len(weights) == len(seen)


def test_training_on_one_instance_for_one_epoch_learns_it():
    task = ChoiceTask([([(0, 0), (1, 1)], 1)])
    weights, _ = learn(task, LearnerOptions(Loss.named("svm"), epochs=1, largest_step=1.0))
    wrong, right = task.weights_of(weights.freeze(), [(0, 0), (1, 1)])
    # The aggressive step closes the loss: the margin is the cost.
    assert right - wrong == pytest.approx(1.0)


class KilledError(Exception):
    pass


def state_of(weights: Weights) -> dict:
    return {name: array.tolist() for name, array in weights.state().items()}


@pytest.mark.parametrize("kind", ["all", "supported"])
@pytest.mark.parametrize("loss", ["svm", "crf"])
@pytest.mark.parametrize("kills", [[1], [4], [5], [6], [10], [2, 3, 9], list(range(1, 13))])
@pytest.mark.parametrize("average_from", [0.0, 0.4])
def test_a_killed_run_goes_on_to_the_same_outcome(tmp_path, loss, kind, kills, average_from):
    task = ChoiceTask(random_instances(5))
    options = LearnerOptions(Loss.named(loss), epochs=3, features=kind, average_from=average_from)
    whole, records = learn(task, options, on_epoch=_score)
    path = tmp_path / "state"
    instances = 0

    def on_instance(done, record):
        nonlocal instances
        instances += 1
        if instances in kills:
            raise KilledError

    for _ in kills:
        with pytest.raises(KilledError):
            learn(
                task,
                options,
                checkpoint=Checkpoint(path, {}, seconds_between=0.0),
                on_instance=on_instance,
                on_epoch=_score,
            )
    resumed, resumed_records = learn(
        task, options, checkpoint=Checkpoint(path, {}), on_epoch=_score
    )
    assert state_of(resumed) == state_of(whole)
    assert resumed_records == records
    assert np.array_equal(resumed.freeze().slots, whole.freeze().slots)


def _score(weights: Weights, record: EpochRecord) -> None:
    record.scores["size"] = float(len(weights))


def test_a_finished_run_is_not_run_again(tmp_path):
    task = ChoiceTask(random_instances(5))
    options = LearnerOptions(Loss.named("svm"), epochs=2)
    first, records = learn(task, options, checkpoint=Checkpoint(tmp_path / "state", {}))

    def never(*_):
        raise AssertionError

    again, same = learn(
        task, options, checkpoint=Checkpoint(tmp_path / "state", {}), on_instance=never
    )
    assert state_of(again) == state_of(first)
    assert same == records


def test_progress_is_told_after_each_instance_and_each_epoch():
    told = []
    learn(
        ChoiceTask(random_instances(2)),
        LearnerOptions(Loss.named("crf"), epochs=2),
        on_instance=lambda done, record: told.append((record.epoch, done)),
        on_epoch=lambda weights, record: told.append((record.epoch, "end")),
    )
    assert told == [(1, 1), (1, 2), (1, "end"), (2, 1), (2, 2), (2, "end")]


def test_nothing_to_learn_from_leaves_the_weights_empty():
    weights, records = learn(ChoiceTask([]), LearnerOptions(Loss.named("svm"), epochs=2))
    assert len(weights) == 0
    assert [(record.loss, record.updates) for record in records] == [(0.0, 0)] * 2


@pytest.mark.parametrize(
    ("changes", "culprit"),
    [
        ({"epochs": 0}, "epochs"),
        ({"largest_step": 0.0}, "step"),
        ({"largest_step": -1.0}, "step"),
        ({"largest_step": math.nan}, "step"),
        ({"largest_step": math.inf}, "step"),
        ({"largest_step": 1e300}, "step"),
        ({"features": "none"}, "features"),
        ({"seed": -1}, "seed"),
        ({"average_from": 1.0}, "average"),
        ({"average_from": -0.1}, "average"),
    ],
)
def test_options_that_make_no_sense_are_refused(changes, culprit):
    with pytest.raises(InputError, match=culprit):
        LearnerOptions(Loss.named("svm"), **changes)
