"""The shares of voices, beside the least squares of SciPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from turbotree.learning.selection.garrotte import garrotte_of_size, non_negative_garrotte


def voices(seed, rows, columns, copies):
    """What some voices say, more right than wrong, a few of them nearly the same."""
    rng = np.random.default_rng(seed)
    said = rng.normal(0.3, 1.0, size=(rows, columns))
    for _ in range(copies):
        a, b = rng.integers(columns, size=2)
        said[:, a] = said[:, b] + 0.01 * rng.normal(size=rows)
    return said


cases = st.builds(
    voices, st.integers(0, 10_000), st.integers(5, 60), st.integers(1, 25), st.integers(0, 8)
)


@given(cases, st.sampled_from([1e-3, 0.1, 10.0]))
def test_shares_are_the_non_negative_least_squares(said, ridge):
    rows, columns = said.shape
    found = non_negative_garrotte(said.T @ said / rows, said.mean(axis=0), ridge)
    # The ridge as further rows, in which each voice alone should say nothing.
    penalised = np.vstack([said / np.sqrt(rows), np.sqrt(ridge) * np.eye(columns)])
    wanted = np.concatenate([np.ones(rows) / np.sqrt(rows), np.zeros(columns)])
    np.testing.assert_allclose(found, nnls(penalised, wanted)[0], atol=1e-6)


@given(cases, st.integers(1, 25))
def test_as_many_have_a_share_as_were_asked_for(said, count):
    moments, gains = said.T @ said / len(said), said.mean(axis=0)
    found = garrotte_of_size(moments, gains, count)
    assert (found >= 0).all()
    if count >= np.count_nonzero(gains > 0):
        # All that are right on average; with the strongest ridge, their shares are their gains.
        assert np.count_nonzero(found) >= min(count, np.count_nonzero(gains > 0))
    else:
        assert np.count_nonzero(found) >= count


def test_of_voices_that_say_the_same_few_have_a_share():
    rng = np.random.default_rng(3)
    two = rng.normal(0.5, 1.0, size=(2000, 2))
    said = np.hstack([two[:, :1] + 0.3 * rng.normal(size=(2000, 20)), two[:, 1:]])
    moments, gains = said.T @ said / len(said), said.mean(axis=0)
    best = np.argsort(-garrotte_of_size(moments, gains, 5))[:5]
    assert 20 in best  # though nineteen others may be right more often
    assert np.argmax(garrotte_of_size(moments, gains, 1)) == 20


def test_silence_has_no_share():
    assert garrotte_of_size(np.zeros((3, 3)), np.zeros(3), 2).tolist() == [0.0, 0.0, 0.0]
    assert len(garrotte_of_size(np.zeros((0, 0)), np.zeros(0), 2)) == 0
    assert garrotte_of_size(np.eye(2), np.array([-1.0, -0.5]), 1).tolist() == [0.0, 0.0]
