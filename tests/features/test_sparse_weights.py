from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.labelling import (
    INPUTS,
    LABELS,
    SIZE,
    TEMPLATE_OF,
    LabellingTask,
    dense_gradient,
    dense_table,
    label_partition,
)

from turbotree.features import LazyWeights, ScaledWeights
from turbotree.features._core import MAX_TEMPLATES
from turbotree.learning.regularisers import ElasticNet, GroupLasso

TASK = LabellingTask([])

coefficients = st.lists(st.integers(-3, 3).map(float), min_size=LABELS, max_size=LABELS)
additions = st.tuples(st.just("add"), st.sampled_from(INPUTS), coefficients)
factors = st.lists(st.sampled_from([0.0, 0.3, 0.9, 1.0]), min_size=4, max_size=4)
scaled_steps = st.lists(
    additions
    | st.tuples(st.just("scale"), factors)
    | st.tuples(st.just("threshold"), factors)
    | st.tuples(st.just("compact")),
    max_size=25,
)
lazy_steps = st.lists(
    additions | st.tuples(st.just("shrink"), st.floats(0, 1), st.floats(1, 1.5)), max_size=25
)


def per_template(numbers, otherwise):
    padded = np.full(MAX_TEMPLATES, otherwise)
    padded[: len(numbers)] = numbers
    return padded


def apply_scaled(weights: ScaledWeights, dense, step):
    """Do one thing to the weights and to the dense vector, which is returned."""
    if step[0] == "add":
        weights.add(TASK.gradient(step[1], step[2]), 0.5)
        return dense + 0.5 * dense_gradient(step[1], step[2])
    if step[0] == "scale":
        weights.scale(per_template(step[1], 1.0))
        return dense * np.array(step[1])[TEMPLATE_OF]
    if step[0] == "threshold":
        weights.threshold(per_template(step[1], 0.0))
        amounts = np.array(step[1])[TEMPLATE_OF]
        return np.sign(dense) * np.maximum(0.0, np.abs(dense) - amounts)
    weights.compact()
    return dense


@given(scaled_steps)
def test_scaled_weights_are_those_of_a_dense_vector(steps):
    weights, dense = ScaledWeights(), np.zeros(SIZE)
    for step in steps:
        dense = apply_scaled(weights, dense, step)
        squares = np.bincount(TEMPLATE_OF, dense**2)
        np.testing.assert_allclose(weights.norms()[:4] ** 2, squares, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(TASK.table(weights), dense_table(dense), rtol=0, atol=1e-4)
    assert (weights.norms()[4:] == 0).all()
    np.testing.assert_allclose(TASK.table(weights.plain()), dense_table(dense), rtol=0, atol=1e-4)
    before = TASK.table(weights)
    weights.compact()
    np.testing.assert_allclose(TASK.table(weights), before, rtol=0, atol=1e-5)
    assert len(weights) == sum(weights.sizes()) == len(weights.entries()[0])


def test_a_dead_template_is_forgotten_and_can_come_back():
    weights = ScaledWeights()
    gradient = TASK.gradient((0, 1, 2), [1.0, 0.0, -1.0])
    weights.add(gradient, 1.0)
    assert weights.sizes()[:4].tolist() == [2, 2, 2, 2]
    weights.scale(per_template([1.0, 0.0, 1.0, 0.5], 1.0))
    assert weights.sizes()[:4].tolist() == [2, 0, 2, 2]
    assert len(weights) == 6
    assert weights.norms()[1] == 0.0
    weights.add(gradient, 2.0)  # nothing is left of the first time
    np.testing.assert_allclose(weights.norms()[:4], np.sqrt(2) * np.array([3, 2, 3, 2.5]))
    assert len(weights) == 8


def test_memory_is_given_back_when_templates_die():
    task = LabellingTask([], templates=["a b c"])
    weights = ScaledWeights()
    many = [task.gradient(inputs, [1.0, 2.0, 3.0]) for inputs in INPUTS]
    for _ in range(3000):
        for gradient in many[:8]:
            weights.add(gradient, 1e-3)
        weights.scale(per_template([0.0], 1.0))
    assert len(weights) == 0
    weights.compact()
    assert weights.table.memory_bytes == ScaledWeights().table.memory_bytes


def test_scales_that_become_tiny_lose_nothing():
    weights = ScaledWeights()
    gradient = TASK.gradient((0, 0, 0), [1.0, 0.0, 0.0])
    weights.add(gradient, 1.0)
    for _ in range(60):
        weights.scale(per_template([0.5], 1.0))
    weights.add(gradient, 1.0)
    assert weights.norms()[0] == pytest.approx(1.0 + 0.5**60)
    assert np.isfinite(TASK.table(weights)).all()


def apply_lazy(weights: LazyWeights, step):
    if step[0] == "add":
        weights.add(TASK.gradient(step[1], step[2]), 0.5)
    else:
        weights.shrink(step[1], divisor=step[2])


def dense_shrink(dense, amount, divisor, by_label):
    if by_label:
        return GroupLasso(label_partition()).prox(dense, amount) / divisor
    net = ElasticNet(lasso=amount, ridge=divisor - 1.0)
    return net.prox(dense, 1.0)


@given(lazy_steps, st.booleans())
def test_lazy_and_eager_steps_give_the_weights_of_a_dense_vector(steps, by_label):
    lazy, eager = LazyWeights(by_label=by_label), LazyWeights(by_label=by_label)
    dense = np.zeros(SIZE)
    for step in steps:
        apply_lazy(lazy, step)
        apply_lazy(eager, step)
        eager.compact()
        if step[0] == "add":
            dense += 0.5 * dense_gradient(step[1], step[2])
        else:
            dense = dense_shrink(dense, *step[1:], by_label)
        np.testing.assert_allclose(TASK.table(lazy), dense_table(dense), rtol=0, atol=1e-4)
        np.testing.assert_allclose(TASK.table(lazy), TASK.table(eager), rtol=0, atol=1e-4)
    np.testing.assert_allclose(TASK.table(lazy.plain()), dense_table(dense), rtol=0, atol=1e-4)
    lazy.compact()
    np.testing.assert_allclose(TASK.table(lazy), dense_table(dense), rtol=0, atol=1e-4)
    assert len(lazy) == len(lazy.entries()[0])


def test_a_feature_that_was_away_for_long_makes_up_for_all_steps():
    weights = LazyWeights(by_label=False)
    weights.add(TASK.gradient((0, 0, 0), [1.0, 0.0, 0.0]), 1.0)
    for _ in range(2000):
        weights.shrink(1e-4)
    assert weights.entries()[1].tolist() == pytest.approx([0.8] * 4)
    for _ in range(10_000):
        weights.shrink(1e-5, divisor=1.01)
    weights.add(TASK.gradient((0, 0, 0), [0.5, 0.0, 0.0]), 1.0)
    assert weights.entries()[1].tolist() == pytest.approx([0.5] * 4)


def test_groups_of_many_labels_have_the_right_length():
    # More labels than the core keeps at hand without asking for memory.
    from turbotree.features import LabelledParts

    labels = 100
    parts = LabelledParts(
        np.array([[1, 0, 0, 0]], dtype=np.int32),
        np.array([0, 1], dtype=np.int32),
        np.array([0, labels], dtype=np.int32),
        np.arange(labels, dtype=np.int32),
    )
    weights = LazyWeights(by_label=True)
    values = np.arange(1.0, labels + 1)
    weights.add(TASK.scorer.gradient(TASK.prepared, parts, values), 1.0)
    weights.shrink(10.0)
    left = 1 - 10.0 / np.linalg.norm(values)
    scores = TASK.scorer.score(TASK.prepared, parts, weights)
    np.testing.assert_allclose(scores, 4 * values * left, rtol=1e-5)


@examples(40)
@given(scaled_steps, scaled_steps)
def test_scaled_weights_go_on_from_their_state_as_if_nothing_had_happened(first, second):
    weights = ScaledWeights()
    for step in first:
        apply_scaled(weights, np.zeros(SIZE), step)
    again = ScaledWeights.restore(weights.state())
    for step in second:
        apply_scaled(weights, np.zeros(SIZE), step)
        apply_scaled(again, np.zeros(SIZE), step)
    assert_same_state(weights, again)
    assert len(weights) == len(again)


@examples(40)
@given(lazy_steps, lazy_steps, st.booleans())
def test_lazy_weights_go_on_from_their_state_as_if_nothing_had_happened(first, second, by_label):
    weights = LazyWeights(by_label=by_label)
    for step in first:
        apply_lazy(weights, step)
    again = LazyWeights.restore(weights.state())
    for step in second:
        apply_lazy(weights, step)
        apply_lazy(again, step)
    assert_same_state(weights, again)


def assert_same_state(one, other):
    left, right = one.state(), other.state()
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


def test_unlabelled_parts_are_scored_alike():
    from oracles.choices import ChoiceTask

    task = ChoiceTask([([(0, 0), (1, 2)], 0)])
    gradient = task.problem(0).gradient(np.array([1.0, -2.0]))
    scaled, lazy = ScaledWeights(), LazyWeights(by_label=False)
    for weights in (scaled, lazy):
        weights.add(gradient, 1.0)
    scaled.scale(per_template([0.5, 0.5, 0.5], 1.0))
    lazy.shrink(0.5)
    assert task.weights_of(scaled, [(0, 0), (1, 2), (3, 3)]) == [1.5, -3.0, 0.0]
    assert task.weights_of(lazy, [(0, 0), (1, 2), (3, 3)]) == [1.5, -4.5, 0.0]


def test_features_of_unwanted_templates_leave_a_gradient():
    gradient = TASK.gradient((0, 1, 2), [1.0, 0.0, -1.0])
    wanted = np.zeros(MAX_TEMPLATES, dtype=bool)
    wanted[[1, 3]] = True
    gradient.keep_templates(wanted)
    assert len(gradient) == 4
    assert ((gradient.keys >> 12 & 1023) - 1).tolist() == [1, 3, 1, 3]
    assert gradient.values.tolist() == [1.0, 1.0, -1.0, -1.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: ScaledWeights().scale(np.ones(3)),
        lambda: ScaledWeights().scale(per_template([-1.0], 1.0)),
        lambda: ScaledWeights().threshold(per_template([np.nan], 1.0)),
        lambda: LazyWeights(by_label=False).shrink(-1.0),
        lambda: LazyWeights(by_label=False).shrink(1.0, divisor=0.5),
        lambda: ScaledWeights.restore(
            {
                "keys": np.array([5], dtype=np.uint64),
                "values": np.ones(1, dtype=np.float32),
                "scales": np.ones(MAX_TEMPLATES),
                "squared_norms": np.ones(MAX_TEMPLATES),
            }
        ),
        lambda: LazyWeights.restore(
            {
                "keys": np.array([1 << 12], dtype=np.uint64),
                "values": np.ones(1, dtype=np.float32),
                "steps": np.array([1], dtype=np.uint32),
                "products": np.ones(1),
                "taken": np.zeros(1),
                "by_label": np.array([False]),
            }
        ),
        lambda: TASK.gradient((0, 0, 0), [1.0, 0.0, 0.0]).keep_templates(np.ones(3, dtype=bool)),
    ],
)
def test_the_core_refuses_what_makes_no_sense(call):
    with pytest.raises(ValueError, match=r"expected|negative|key|step"):
        call()
