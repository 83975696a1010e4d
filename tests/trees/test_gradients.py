"""Derivatives of marginals against covariances by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.trees import all_trees

from turbotree.errors import InfeasibleError, InputError
from turbotree.trees import marginal_derivative, marginals


def covariance_product(scores, direction, single_root):
    """Sum over all trees, by the definition."""
    words = np.arange(1, len(scores))
    trees = np.array(all_trees(len(words), single_root=single_root))
    values = scores[trees, words].sum(axis=1)
    chances = np.exp(values - values.max())
    chances /= chances.sum()
    along = np.array([np.where(np.isfinite(d := direction[t, words]), d, 0).sum() for t in trees])
    indicators = np.zeros((len(trees), *scores.shape))
    for i, tree in enumerate(trees):
        indicators[i, tree, words] = 1.0
    mean = np.tensordot(chances, indicators, 1)
    return np.tensordot(chances * (along - chances @ along), indicators - mean, 1)


@settings(max_examples=80, deadline=None)
@given(
    words=st.integers(1, 5),
    seed=st.integers(0, 2**32),
    single_root=st.booleans(),
    scale=st.sampled_from([0.3, 3.0]),
    sparse=st.booleans(),
)
def test_derivatives_are_covariances(words, seed, single_root, scale, sparse):
    rng = np.random.default_rng(seed)
    scores = scale * rng.normal(size=(words + 1, words + 1))
    direction = rng.normal(size=scores.shape)
    if sparse:
        scores[rng.random(scores.shape) < 0.3] = -np.inf
    expected_trees = [
        t
        for t in all_trees(words, single_root=single_root)
        if np.isfinite(scores[list(t), range(1, words + 1)]).all()
    ]
    if not expected_trees:
        with pytest.raises(InfeasibleError):
            marginal_derivative(scores, direction, single_root=single_root)
        return
    found = marginal_derivative(scores, direction, single_root=single_root)
    expected = covariance_product(scores, direction, single_root)
    np.fill_diagonal(expected, 0.0)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("single_root", [False, True])
def test_a_padded_batch_gives_what_its_matrices_give_alone(single_root):
    rng = np.random.default_rng(2)
    scores, direction = rng.normal(size=(2, 3, 6, 6))
    lengths = np.array([5, 0, 3])
    options = {"single_root": single_root}
    batch = marginal_derivative(scores, direction, lengths=lengths, threads=2, **options)
    for item, length in enumerate(lengths):
        inside = (slice(length + 1),) * 2
        alone = marginal_derivative(scores[item][inside], direction[item][inside], **options)
        expected = np.zeros((6, 6))
        expected[inside] = alone
        assert batch[item].tolist() == expected.tolist()


def test_a_small_step_moves_long_sentences_as_predicted():
    rng = np.random.default_rng(3)
    scores, direction = 2 * rng.normal(size=(41, 41)), rng.normal(size=(41, 41))
    for single_root in (False, True):
        step = 1e-5
        ahead = marginals(scores + step * direction, single_root=single_root)
        back = marginals(scores - step * direction, single_root=single_root)
        found = marginal_derivative(scores, direction, single_root=single_root)
        assert found == pytest.approx((ahead - back) / (2 * step), abs=1e-7)


def test_a_direction_of_another_shape_is_refused():
    with pytest.raises(InputError, match="direction: expected shape"):
        marginal_derivative(np.zeros((3, 3)), np.zeros((2, 2)), single_root=False)
