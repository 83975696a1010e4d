"""Networks of 8 bits: products in whole numbers, the same bits by all sets of instructions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_networks import SMALL

from turbotree.networks import Network, WordVectors, _core, train_network
from turbotree.text import Sentence

KERNELS = _core.quantised_kernel_names()

Matrix = npt.NDArray[np.float32]


def in_steps(values: Matrix, axis: int) -> tuple[npt.NDArray[np.int64], Matrix]:
    """Round to 127 steps of the largest value of each row or column."""
    largest = np.abs(values).max(axis=axis, keepdims=True)
    scale = np.where(largest > 1e-30, largest / np.float32(127), np.float32(1))
    return np.rint(values.astype(np.float64) / scale).astype(np.int64), scale.astype(np.float32)


def product(a: Matrix, b: Matrix) -> npt.NDArray[np.float64]:
    """The textbook formula: scales times a product of whole numbers."""
    a_steps, a_scale = in_steps(a, 1)
    b_steps, b_scale = in_steps(b, 0)
    return (a_steps @ b_steps) * a_scale.astype(np.float64) * b_scale


@given(
    rows=st.integers(1, 40),
    depth=st.integers(1, 90),
    columns=st.integers(1, 70),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-20, 1e-3, 1.0, 1e4, 1e15]),
)
def test_products_are_those_of_whole_numbers(
    rows: int, depth: int, columns: int, seed: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    a = (rng.normal(size=(rows, depth)) * scale).astype(np.float32)
    a *= rng.random(a.shape) < 0.8
    b = rng.normal(size=(depth, columns)).astype(np.float32)
    c = (rng.normal(size=(rows, columns)) * scale).astype(np.float32)
    expected = product(a, b) + c
    # A value halfway between two steps may go either way: one step of one value in each sum.
    step = np.abs(a).max(axis=1, keepdims=True) / 127 * np.abs(b).max(axis=0)
    rounding = 1e-5 * (np.abs(a).astype(np.float64) @ np.abs(b) + np.abs(c))
    found = [_core.quantised_product(kernels, a, b, c) for kernels in KERNELS]
    assert (np.abs(found[0] - expected) <= step + rounding).all()
    for other in found[1:]:
        assert other.tobytes() == found[0].tobytes()


def test_weights_of_8_bits_are_kept_as_they_are() -> None:
    rng = np.random.default_rng(3)
    steps = rng.integers(-127, 128, size=(30, 20))
    steps[0] = 127
    scale = rng.random(20).astype(np.float32)
    b = steps.astype(np.float32) * scale
    unit = np.eye(30, dtype=np.float32)
    for kernels in KERNELS:
        none = np.zeros((30, 20), dtype=np.float32)
        np.testing.assert_allclose(_core.quantised_product(kernels, unit, b, none), b, rtol=1e-6)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, 3e38])
def test_what_is_not_finite_ends_in_the_same_bits_too(bad: float) -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(size=(3, 40)).astype(np.float32)
    a[1, 7] = bad
    b = rng.normal(size=(40, 9)).astype(np.float32)
    c = np.zeros((3, 9), dtype=np.float32)
    found = [_core.quantised_product(kernels, a, b, c) for kernels in KERNELS]
    for other in found:
        np.testing.assert_array_equal(other, found[0])
        assert np.isfinite(other[[0, 2]]).all()


def test_products_that_do_not_fit_are_refused() -> None:
    a, b = np.zeros((2, 3), dtype=np.float32), np.zeros((4, 5), dtype=np.float32)
    with pytest.raises(ValueError, match="do not fit"):
        _core.quantised_product("plain", a, b, a)
    with pytest.raises(ValueError, match="no such kernels"):
        _core.quantised_product("abacus", a, b[:3], np.zeros((2, 5), dtype=np.float32))


@pytest.fixture(scope="module")
def network(sentences: list[Sentence], vectors: WordVectors) -> Network:
    return train_network(sentences, options=SMALL, vectors=vectors)


def test_scores_of_8_bits_are_close_to_those_of_16(
    network: Network, sentences: list[Sentence]
) -> None:
    whole, fine = network.frozen(bits=8), network.frozen(bits=16)
    found, expected = (one.all_arcs(one.encode(sentences))[1] for one in (whole, fine))
    likely = expected > -3.0
    assert 0 < np.abs(found - expected)[likely].max() < 0.25


@pytest.mark.parametrize("kernels", _core.kernel_names())
def test_encodings_have_the_same_bits_by_all_instructions(
    network: Network, sentences: list[Sentence], kernels: str
) -> None:
    plain = network.frozen(bits=8).with_kernels("plain")
    other = plain.with_kernels(kernels)
    assert other.kernels == kernels
    expected = plain.all_arcs(plain.encode(sentences))[1]
    found = other.all_arcs(other.encode(sentences))[1]
    # Only the scores of arcs, which are no whole numbers, have rounding of their own.
    assert np.abs(found - expected).max() < 1e-4


def test_scores_depend_neither_on_the_batch_nor_on_threads(
    network: Network, sentences: list[Sentence]
) -> None:
    whole = network.frozen(bits=8)
    arcs, together = whole.all_arcs(whole.encode(sentences, threads=2))
    for number in (0, 7, 31):
        alone = whole.all_arcs(whole.encode([sentences[number]]))[1]
        assert (together[arcs.places(number)] == alone).all()
