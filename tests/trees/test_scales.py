"""Algorithms on matrices of arc scores, whatever these are measured in, shifted or masked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.distortions import DISTORTIONS, resolution
from oracles.trees import all_trees

from turbotree import trees
from turbotree.errors import InfeasibleError

cases = pytest.mark.parametrize("distortion", [*DISTORTIONS, "constant"])


@st.composite
def problems(draw):
    """A matrix, the shape of trees, and a source of random numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    words = int(rng.integers(1, 5))
    shape = {"single_root": bool(rng.integers(2)), "projective": bool(rng.integers(2))}
    return 2 * rng.normal(size=(words + 1, words + 1)), shape, rng


def distorted(distortion, scores, rng):
    if distortion == "constant":
        return scores + rng.choice([-1e9, 1e6]), 1.0
    make, unit = DISTORTIONS[distortion]
    return make(rng)(scores), unit


def scored_trees(scores, shape):
    """All trees and their scores, the allowed ones only, best first."""
    words = np.arange(1, len(scores))
    every = [(scores[list(heads), words].sum(), heads) for heads in all_trees(len(words), **shape)]
    return sorted((pair for pair in every if pair[0] > -np.inf), key=lambda pair: -pair[0])


@cases
@settings(max_examples=20)
@given(problem=problems())
def test_the_best_trees_are_the_best_of_all(distortion, problem):
    scores, shape, rng = problem
    scores, unit = distorted(distortion, scores, rng)
    every = scored_trees(scores, shape)
    if not every:
        with pytest.raises(InfeasibleError):
            trees.maximum_spanning_tree(scores, **shape)
        return
    words = np.arange(1, len(scores))
    best = every[0][0]
    # Sums lose digits: a tree with a mask may be best only by what is lost.
    near = resolution(unit, best) + 1e-13 * np.abs(scores[np.isfinite(scores)]).max()
    heads = trees.maximum_spanning_tree(scores, **shape)
    assert scores[heads, words].sum() >= best - near
    found = trees.k_best(scores, 4, **shape)
    assert len(found) == min(4, len(every))
    for tree, (value, _) in zip(found, every, strict=False):
        assert tree.score == pytest.approx(value, abs=near)
        assert tree.score == pytest.approx(scores[tree.heads, words].sum(), rel=1e-9, abs=1e-9)


@cases
@settings(max_examples=20)
@given(problem=problems())
def test_probabilities_are_those_of_all_trees(distortion, problem):
    scores, shape, rng = problem
    scores, unit = distorted(distortion, scores, rng)
    every = scored_trees(scores, shape)
    if not every:
        return
    words = np.arange(1, len(scores))
    weights = np.exp([value - every[0][0] for value, _ in every])
    expected = np.zeros(scores.shape)
    for weight, (_, heads) in zip(weights / weights.sum(), every, strict=True):
        expected[list(heads), words] += weight
    found = trees.marginals(scores, **shape)
    lost = 1e-14 * max(unit, abs(every[0][0])) * len(scores)
    if lost > 1e-3:
        return  # what scores differ by is less than their sums can tell
    assert np.asarray(found) == pytest.approx(expected, abs=1e-7 + 10 * lost)
    # Masks cancel out here, up to their last digits.
    lost += 1e-16 * np.abs(scores[np.isfinite(scores)]).max() * len(scores)
    log_partition = every[0][0] + np.log(weights.sum())
    assert trees.log_partition(scores, **shape) == pytest.approx(
        log_partition, rel=1e-9, abs=1e-7 + 10 * lost
    )
