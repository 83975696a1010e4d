"""Compact tables against NumPy's half-precision numbers and the full tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.features import FrozenWeights, Weights
from turbotree.features._core import LABEL_BITS

_SHIFT = np.uint64(LABEL_BITS)


def random_keys(count: int, seed: int, labels: int = 1) -> np.ndarray:
    """Different keys with template numbers from 1 and labels below `labels`."""
    generator = np.random.default_rng(seed)
    keys = generator.integers(1 << 20, 1 << 63, 2 * count, dtype=np.uint64) >> _SHIFT << _SHIFT
    keys |= np.uint64(1) << _SHIFT
    keys |= generator.integers(0, labels, 2 * count, dtype=np.uint64)
    return generator.permutation(np.unique(keys))[:count]


def random_weights(count: int, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).normal(0, 0.1, count).astype(np.float32)
    return np.where(values == 0, np.float32(0.1), values)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_weights_round_to_the_nearest_half(values: list[float]) -> None:
    weights = np.array(values, dtype=np.float32)
    limit = np.float32(np.finfo(np.float16).max)
    expected = np.clip(weights, -limit, limit).astype(np.float16).astype(np.float32)
    for weight, half in zip(weights, expected, strict=True):
        key = random_keys(1, 5)
        frozen = Weights.of(key, np.array([weight])).freeze(bits=16)
        assert frozen.table.find(key).tolist() == [half]


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1000])
def test_small_tables_hold_all_their_weights(count: int) -> None:
    keys, values = random_keys(count, 1), random_weights(count, 2)
    frozen = Weights.of(keys, values).freeze(bits=16)
    assert len(frozen) == count
    np.testing.assert_array_equal(frozen.table.find(keys), values.astype(np.float16))


@pytest.mark.parametrize("labels", [1, 7, 4096])
def test_tables_with_labels_hold_all_their_weights(labels: int) -> None:
    features = random_keys(300, 1)
    keys = (features[:, None] | np.arange(0, labels, max(1, labels // 7), dtype=np.uint64)).ravel()
    values = random_weights(len(keys), 2)
    frozen = Weights.of(keys, values).freeze(labels=labels, bits=16)
    assert len(frozen) == len(keys)
    np.testing.assert_array_equal(frozen.table.find(keys), values.astype(np.float16))


def test_large_tables_confuse_as_few_features_as_they_promise() -> None:
    keys, values = random_keys(200_000, 1), random_weights(200_000, 2)
    frozen = Weights.of(keys, values).freeze(bits=16)
    wrong = np.count_nonzero(frozen.table.find(keys) != values.astype(np.float16))
    # At most two buckets of sixteen tags as a rule, each of which is another's by 2^-16.
    assert wrong / len(keys) < 2 * 16 / 2**16
    others = np.setdiff1d(random_keys(200_000, 3), keys)
    found = np.count_nonzero(frozen.table.find(others))
    assert found / len(others) < 2 * 16 / 2**16


def test_large_tables_with_labels_confuse_as_few_features_as_they_promise() -> None:
    keys, values = random_keys(200_000, 1, labels=50), random_weights(200_000, 2)
    frozen = Weights.of(keys, values).freeze(labels=50, bits=16)
    wrong = np.count_nonzero(frozen.table.find(keys) != values.astype(np.float16))
    assert wrong / len(keys) < 4 / 2**16


def test_compact_tables_take_a_third_of_the_room() -> None:
    keys, values = random_keys(50_000, 1), random_weights(50_000, 2)
    weights = Weights.of(keys, values)
    assert weights.freeze(bits=16).memory_bytes < 0.4 * weights.freeze().memory_bytes
    rows = (keys[:5000, None] | np.arange(8, dtype=np.uint64)).ravel()
    weights = Weights.of(rows, random_weights(len(rows), 3))
    compact = weights.freeze(labels=8, bits=16).memory_bytes
    assert compact < 0.4 * weights.freeze(labels=8).memory_bytes


def test_weights_up_to_the_threshold_are_omitted() -> None:
    keys = random_keys(3, 1)
    weights = Weights.of(keys, np.array([0.5, -0.1, 0.1], dtype=np.float32))
    assert weights.freeze(bits=16, threshold=0.1).table.find(keys).tolist() == [0.5, 0, 0]
    assert weights.freeze(labels=1, bits=16, threshold=0.1).table.find(keys).tolist() == [0.5, 0, 0]


def test_tables_are_the_same_however_they_grew() -> None:
    keys, values = random_keys(500, 1, labels=5), random_weights(500, 2)
    one = Weights.of(keys, values).freeze(labels=5, bits=16)
    other = Weights.of(keys[::-1].copy(), values[::-1].copy()).freeze(labels=5, bits=16)
    np.testing.assert_array_equal(one.slots, other.slots)


@given(st.data())
def test_damaged_tables_are_refused_or_harmless(data: st.DataObject) -> None:
    keys = random_keys(40, 1, labels=3)
    words = Weights.of(keys, random_weights(40, 2)).freeze(labels=3, bits=16).slots.copy()
    for _ in range(data.draw(st.integers(1, 3))):
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(st.integers(0, 0xFFFF))
    words = words[: data.draw(st.integers(0, len(words)))] if data.draw(st.booleans()) else words
    try:
        damaged = FrozenWeights(words, 2)
    except ValueError:
        return
    assert damaged.table.find(keys).shape == keys.shape
    assert len(damaged) <= len(words)


def test_other_sizes_and_types_are_refused() -> None:
    with pytest.raises(InputError, match="bits is 8; expected 16 or 32"):
        Weights().freeze(bits=8)
    with pytest.raises(TypeError, match="float64"):
        FrozenWeights(np.zeros((3, 2)), None)  # type: ignore[arg-type]
