"""All sets of kernels that this machine has give the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from small_networks import SMALL

from turbotree.networks import Network, _core, train_network
from turbotree.text import Sentence

KERNELS = _core.kernel_names()


def test_there_are_kernels_for_every_processor() -> None:
    assert KERNELS[-1] == "plain"


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("rows", [1, 5, 6, 7, 12, 13, 25, 130])
@pytest.mark.parametrize(("depth", "columns"), [(1, 1), (7, 33), (200, 64), (600, 31)])
def test_products_are_those_of_numpy(kernels: str, rows: int, depth: int, columns: int) -> None:
    rng = np.random.default_rng(rows * depth)
    a = rng.normal(size=(rows, depth)).astype(np.float32)
    b = rng.normal(size=(depth, columns)).astype(np.float32)
    expected = a.astype(np.float64) @ b
    tolerance = 1e-6 * depth
    assert np.abs(_core.product(kernels, a, b) - expected).max() < tolerance


@pytest.mark.parametrize("kernels", KERNELS)
def test_a_row_has_the_same_bits_in_any_batch(kernels: str) -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(40, 210)).astype(np.float32)
    b = rng.normal(size=(210, 50)).astype(np.float32)
    whole = _core.product(kernels, a, b)
    for begin, end in ((0, 1), (3, 20), (17, 40)):
        assert (_core.product(kernels, a[begin:end], b) == whole[begin:end]).all()


@pytest.fixture(scope="module")
def network(sentences: list[Sentence]) -> Network:
    return train_network(sentences, options=SMALL)


@pytest.mark.parametrize("kernels", KERNELS)
def test_scores_agree_between_kernels(
    network: Network, sentences: list[Sentence], kernels: str
) -> None:
    other = network.with_kernels(kernels)
    assert other.kernels == kernels
    plain = network.with_kernels("plain")
    expected = plain.all_arcs(plain.encode(sentences))[1]
    found = other.all_arcs(other.encode(sentences))[1]
    assert np.abs(found - expected).max() < 1e-4
    assert other.trees(other.encode(sentences)) == plain.trees(plain.encode(sentences))


def test_unknown_kernels_are_refused(network: Network) -> None:
    with pytest.raises(ValueError, match="no such kernels"):
        network.with_kernels("abacus")
