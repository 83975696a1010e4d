from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples

from turbotree.features import (
    Encoder,
    FrozenWeights,
    LabelledParts,
    PartKind,
    Parts,
    Scorer,
    Weights,
    _core,
)
from turbotree.text import Sentence

NUMBERS = 150_000
LABELS = 40


class Numbered:
    """Features that are just numbers, so that any gradient can be made."""

    def __init__(self) -> None:
        sentence = Sentence.from_words(["word"])
        encoder = Encoder.fit([sentence], [], [])
        self.scorer = Scorer(["number"], PartKind(("w",), {"number": NUMBERS}), encoder)
        self.prepared = self.scorer.prepare(encoder.encode([sentence]))

    def parts(self, numbers, labels=None) -> Parts:
        rows = np.stack([np.ones(len(numbers)), np.asarray(numbers)], axis=1)
        parts = Parts.of_one(rows.reshape(-1, 2))
        if labels is None:
            return parts
        each = np.arange(len(numbers) + 1, dtype=np.int32)
        return LabelledParts(parts.rows, parts.offsets, each, np.array(labels, dtype=np.int32))

    def gradient(self, numbers, values, labels=None):
        values = np.asarray(values, dtype=np.float64)
        return self.scorer.gradient(self.prepared, self.parts(numbers, labels), values)

    def weights(self, table, numbers, labels=None) -> list[float]:
        return self.scorer.score(self.prepared, self.parts(numbers, labels), table).tolist()

    def keys(self, numbers) -> np.ndarray:
        return self.scorer.keys(self.prepared, self.parts(numbers))


@pytest.fixture(scope="module")
def numbered():
    return Numbered()


def test_a_table_grows_to_any_number_of_features(numbered):
    rng = np.random.default_rng(5)
    weights, model = Weights(), np.zeros(NUMBERS)
    for _ in range(6):
        numbers = rng.integers(NUMBERS, size=60_000)
        values = rng.integers(-4, 5, size=len(numbers)).astype(np.float64)
        weights.add(numbered.gradient(numbers, values), 0.25)
        np.add.at(model, numbers, 0.25 * values)
    assert numbered.weights(weights, np.arange(NUMBERS)) == model.tolist()
    seen = np.count_nonzero(model)
    assert 100_000 < seen <= len(weights) <= NUMBERS
    frozen = weights.freeze()
    assert numbered.weights(frozen, np.arange(NUMBERS)) == model.tolist()
    assert len(frozen) == seen
    assert frozen.memory_bytes < weights.table.memory_bytes


@examples(50)
@given(st.data())
def test_freezing_keeps_the_average_of_the_weights_at_the_end_of_every_round(numbered, data):
    weights, now = Weights(), np.zeros(5)
    ends = []
    for _ in range(data.draw(st.integers(0, 12))):
        for _ in range(data.draw(st.integers(0, 2))):
            numbers = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
            value, scale = data.draw(st.floats(-4, 4)), data.draw(st.floats(-2, 2))
            weights.add(numbered.gradient(numbers, [value] * len(numbers)), scale)
            np.add.at(now, numbers, value * scale)
        weights.next_round()
        ends.append(now.copy())
    assert weights.round == len(ends)
    average = np.mean(ends, axis=0) if ends else now
    frozen = numbered.weights(weights.freeze(), range(5))
    assert frozen == pytest.approx(average.tolist(), abs=2e-5)
    assert numbered.weights(weights, range(5)) == pytest.approx(now.tolist(), abs=2e-5)


def test_the_average_of_one_round_is_its_outcome(numbered):
    weights = Weights()
    weights.add(numbered.gradient([3], [2.0]), 0.5)
    weights.next_round()
    assert numbered.weights(weights.freeze(), [3]) == [1.0]


def test_weights_frozen_before_any_round_ends_are_the_weights_themselves(numbered):
    weights = Weights()
    weights.add(numbered.gradient([3, 4], [2.0, -1.0]), 1.0)
    assert numbered.weights(weights.freeze(), [3, 4, 5]) == [2.0, -1.0, 0.0]


@given(
    st.dictionaries(st.integers(0, 99), st.integers(-20, 20).map(lambda n: n / 4), max_size=30),
    st.integers(0, 20).map(lambda n: n / 4),
)
def test_freezing_leaves_out_weights_up_to_the_threshold(numbered, model, threshold):
    weights = Weights()
    weights.add(numbered.gradient(list(model), list(model.values())), 1.0)
    frozen = weights.freeze(threshold=threshold)
    kept = {n: w for n, w in model.items() if abs(w) > threshold}
    assert len(frozen) == len(kept)
    assert numbered.weights(frozen, range(100)) == [kept.get(n, 0.0) for n in range(100)]


def test_features_that_a_frozen_table_lacks_have_no_weight(numbered):
    weights = Weights()
    weights.add(numbered.gradient(range(20_000), np.ones(20_000)), 1.0)
    found = numbered.weights(weights.freeze(), range(20_000, NUMBERS))
    # Each look-up is wrong with a chance of about 2^-30.
    assert np.count_nonzero(found) <= 1


@given(st.data())
def test_labels_of_a_feature_are_weights_of_their_own(numbered, data):
    entries = data.draw(
        st.dictionaries(
            st.tuples(st.integers(0, 5), st.integers(0, LABELS - 1)),
            st.integers(1, 20).map(float),
            max_size=80,
        )
    )
    weights = Weights()
    numbers, labels = [n for n, _ in entries], [label for _, label in entries]
    weights.add(numbered.gradient(numbers, list(entries.values()), labels), 1.0)
    asked = [(n, label) for n in range(6) for label in range(LABELS)]
    expected = [entries.get(pair, 0.0) for pair in asked]
    numbers, labels = zip(*asked, strict=True)
    for table in (weights, weights.freeze(labels=LABELS), weights.freeze(labels=4096)):
        assert numbered.weights(table, numbers, labels) == expected
        keys = numbered.keys(numbers) | np.array(labels, dtype=np.uint64)
        assert table.table.find(keys).tolist() == expected


def test_a_closed_table_takes_no_new_features(numbered):
    weights = Weights()
    weights.support(numbered.gradient([1, 2], [1.0, -5.0]))
    assert len(weights) == 2
    assert numbered.weights(weights, [1, 2]) == [0.0, 0.0]
    weights.close()
    weights.add(numbered.gradient([2, 3], [4.0, 4.0]), 1.0)
    weights.support(numbered.gradient([5], [1.0]))
    assert len(weights) == 2
    assert numbered.weights(weights, [1, 2, 3, 5]) == [0.0, 4.0, 0.0, 0.0]


@given(st.data())
def test_a_restored_table_goes_on_as_if_nothing_had_happened(numbered, data):
    weights = Weights()

    def train(*tables):
        numbers = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=5))
        for table in tables:
            table.add(numbered.gradient(numbers, np.arange(len(numbers)) + 0.3), 0.7)
            table.next_round()

    for _ in range(data.draw(st.integers(0, 4))):
        train(weights)
    if data.draw(st.booleans()):
        weights.close()
    copy = Weights.restore(weights.state())
    for _ in range(data.draw(st.integers(0, 4))):
        train(weights, copy)
    first, second = weights.state(), copy.state()
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert np.array_equal(weights.freeze().slots, copy.freeze().slots)


@st.composite
def hard_keys(draw):
    """Keys that crowd together: at both ends of the table, and with only their labels apart."""
    top = draw(st.sampled_from([0, 1, 2**41, 2**42 - 2, 2**42 - 1]))
    template = draw(st.integers(1, 3))
    return (top << 22) | (template << 12) | draw(st.integers(0, 300))


@given(st.lists(st.one_of(hard_keys(), st.integers(1, 2**64 - 1)), max_size=60, unique=True))
def test_keys_that_crowd_together_are_kept_apart(keys):
    count = len(keys)
    state = {
        "keys": np.array(keys, dtype=np.uint64),
        "weights": np.arange(1, count + 1, dtype=np.float32),
        "weighted_updates": np.zeros(count, dtype=np.float32),
        "round": np.array([3, 0], dtype=np.int64),
    }
    weights = Weights.restore(state)
    assert len(weights) == count
    assert weights.table.find(state["keys"]).tolist() == list(range(1, count + 1))
    assert np.array_equal(weights.state()["keys"], np.sort(state["keys"]))
    frozen = weights.freeze(labels=4096)
    assert frozen.table.find(state["keys"]).tolist() == list(range(1, count + 1))
    absent = np.array([key ^ (1 << 21) for key in keys], dtype=np.uint64)
    absent = absent[~np.isin(absent, state["keys"]) & (absent != 0)]
    assert not weights.table.find(absent).any()


def frozen_model(model: dict[int, float]) -> FrozenWeights:
    weights = Weights()
    values = np.array(list(model.values()), dtype=np.float32)
    weights.table.restore(np.array(list(model), dtype=np.uint64), values, np.zeros_like(values))
    return weights.freeze()


@given(
    st.dictionaries(
        st.builds(
            lambda top, template: (top << 22) | (template << 12),
            st.sampled_from([0, 1, 2**41, 2**42 - 2, 2**42 - 1]),
            st.integers(1, 200),
        ),
        st.integers(1, 2**20).map(float),
        max_size=250,
    )
)
def test_features_that_overflow_their_buckets_are_found(model):
    frozen = frozen_model(model)
    assert len(frozen) == len(model)
    asked = [
        (top << 22) | (template << 12)
        for top in (0, 1, 2**41, 2**42 - 2, 2**42 - 1)
        for template in range(1, 201)
    ]
    found = frozen.table.find(np.array(asked, dtype=np.uint64)).tolist()
    assert found == [model.get(key, 0.0) for key in asked]


def unmixed(hash_: int) -> int:
    """Undo the mixer of ``core/features/keys.h``: a shift by half the bits undoes itself."""
    inverse = pow(0xD6E8FEB86659FD93, -1, 2**64)
    for _ in range(2):
        hash_ = (hash_ ^ hash_ >> 32) * inverse % 2**64
    return hash_ ^ hash_ >> 32


def test_of_features_that_look_the_same_in_a_bucket_one_is_kept():
    # Keys have 52 bits without their label, so one hash in 2^12 is that of a key.
    same_tag = (unmixed(high << 32 | 12345) for high in range(2**20))
    first, second = sorted(next(k for k in same_tag if 0 < k < 2**52) << 12 for _ in range(2))
    # The bits of these weights together would be infinity.
    frozen = frozen_model({first: 1.0, second: 2.0})
    assert len(frozen) == 1
    assert frozen.table.find(np.array([first, second], dtype=np.uint64)).tolist() == [1.0, 1.0]


def test_all_labels_of_a_feature_at_the_end_of_a_table_fit(numbered):
    labels = np.arange(_core.MAX_LABELS, dtype=np.uint64)
    keys = np.uint64((2**42 - 1) << 22 | 1 << 12) | labels
    values = np.arange(1, len(keys) + 1, dtype=np.float32)
    weights = Weights()
    weights.table.restore(keys, values, np.zeros_like(values))
    for table in (weights, weights.freeze(labels=len(labels))):
        assert np.array_equal(table.table.find(keys), values)


def test_an_empty_table_freezes_to_an_empty_one(numbered):
    frozen = Weights().freeze()
    assert len(frozen) == 0
    assert numbered.weights(frozen, [0, 1]) == [0.0, 0.0]


def test_frozen_weights_can_be_read_from_their_slots(numbered):
    weights = Weights()
    weights.add(numbered.gradient([1, 2], [1.5, -2.5], [7, 39]), 1.0)
    frozen = weights.freeze(labels=LABELS)
    assert frozen.label_bits == 6
    slots = frozen.slots.copy()
    slots.setflags(write=False)
    copy = FrozenWeights(slots, frozen.label_bits)
    assert numbered.weights(copy, [1, 2, 2], [7, 39, 7]) == [1.5, -2.5, 0.0]


def test_freezing_for_fewer_labels_than_there_are_is_refused():
    table = _core.WeightTable()
    labels = np.arange(8, dtype=np.uint64) | np.uint64(1 << 40)
    table.restore(labels, np.ones(8, np.float32), np.zeros(8, np.float32))
    assert len(table.freeze_labels(3, 0.0)) > 8
    with pytest.raises(ValueError, match="so few labels"):
        table.freeze_labels(2, 0.0)
    with pytest.raises(ValueError, match="so few labels"):
        table.freeze(0.0)
