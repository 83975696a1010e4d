"""Fixed scores that are added while sparse weights learn."""

from __future__ import annotations

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.learning import LearnerOptions, Loss, learn
from turbotree.parsing import TrainingOptions
from turbotree.parsing.training.label_task import LabelTask
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.trainer import TrainingData
from turbotree.text import treebank


@pytest.fixture(scope="module")
def data():
    return TrainingData.of(list(treebank(6, seed=1)), [], TrainingOptions(model="standard"))


def task_with(data, base_scores=None):
    model, trees = data.blueprint.part_model(), data.train
    return PartTask(
        model, trees.encoded, trees.heads, data.blueprint.shape, base_scores=base_scores
    )


def test_base_scores_are_added_to_those_of_the_features(data):
    plain, weights = task_with(data), Weights()
    weights.add(plain.problem(0).gradient(plain.problem(0).gold), 0.5)
    rng = np.random.default_rng(1)
    arcs = [np.count_nonzero(plain.problem(i).cost) for i in range(len(plain))]
    words = [len(heads) for heads in data.train.heads]
    base = [{"arc": rng.normal(size=a + w)} for a, w in zip(arcs, words, strict=True)]
    for index, given in enumerate(base):
        before = plain.problem(index).scores(weights)
        after = task_with(data, base).problem(index).scores(weights)
        count = len(given["arc"])
        np.testing.assert_array_equal(after[:count], before[:count] + given["arc"])
        np.testing.assert_array_equal(after[count:], before[count:])


def test_nothing_is_left_to_learn_where_base_scores_say_it_all(data):
    plain = task_with(data)
    counts = [len(plain.problem(i).choices) for i in range(len(plain))]
    sure = [{"arc": 100.0 * plain.problem(i).gold[:count]} for i, count in enumerate(counts)]
    options = LearnerOptions(Loss.named("svm"), epochs=1)
    _, (record,) = learn(task_with(data, sure), options)
    assert (record.loss, record.updates) == (0.0, 0)
    assert learn(plain, options)[1][0].updates > 0


def test_base_scores_have_to_fit_the_parts(data):
    base = [{"arc": np.zeros(3)}] * len(data.train.heads)
    with pytest.raises(InputError, match=r"base scores of arc: shape .*; expected one per part"):
        task_with(data, base).problem(0)
    base = [{"arcs": np.zeros(3)}] * len(data.train.heads)
    with pytest.raises(InputError, match=r"unknown family of base scores 'arcs'.*'arc'"):
        task_with(data, base).problem(0)


def test_labels_take_base_scores_too(data):
    model, trees = data.blueprint.label_model(), data.train
    given = (model, trees.encoded, trees.heads, trees.labels)
    plain, options = LabelTask(*given), LearnerOptions(Loss.named("svm"), epochs=1)
    counts = [int(plain.problem(i).cost.sum()) + len(h) for i, h in enumerate(trees.heads)]
    sure = [{"label": 100.0 * plain.problem(i).gold[:n]} for i, n in enumerate(counts)]
    _, (record,) = learn(LabelTask(*given, sure), options)
    assert (record.loss, record.updates) == (0.0, 0)
    assert learn(plain, options)[1][0].updates > 0
