from __future__ import annotations

import numpy as np
import pytest
from tree_oracles import KINDS, Enumeration

from turbotree.errors import InfeasibleError, InputError
from turbotree.trees import marginals, sample

DRAWS = 20_000


def assert_frequencies_fit(trees: np.ndarray, oracle: Enumeration) -> None:
    """Chi-square against the exact probabilities; rare trees are counted together."""
    numbers = {tuple(heads): index for index, heads in enumerate(oracle.trees.tolist())}
    counts = np.zeros(len(numbers))
    for heads in trees.tolist():
        counts[numbers[tuple(heads)]] += 1  # a KeyError would be a tree that does not exist
    expected = oracle.probabilities * len(trees)
    rare = expected < 10
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    observed, wanted = observed[wanted > 1e-6], wanted[wanted > 1e-6]
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    freedom = max(len(wanted) - 1, 1)
    # Mean `freedom`, variance twice that: six standard deviations, plus room for small cells.
    assert statistic < freedom + 6 * np.sqrt(2 * freedom) + 15


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@pytest.mark.parametrize("words", [1, 2, 4])
def test_trees_are_drawn_as_often_as_their_probability_says(words, single_root, projective):
    scores = np.random.default_rng(words).normal(size=(words + 1, words + 1))
    trees = sample(scores, DRAWS, seed=7, single_root=single_root, projective=projective)
    assert_frequencies_fit(trees, Enumeration(scores, single_root, projective))


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
def test_forbidden_arcs_are_never_drawn(single_root, projective):
    scores = np.random.default_rng(0).normal(size=(5, 5))
    scores[2, 1] = scores[1, 3] = scores[0, 4] = -np.inf
    trees = sample(scores, DRAWS, seed=1, single_root=single_root, projective=projective)
    assert_frequencies_fit(trees, Enumeration(scores, single_root, projective))


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("pull", [25.0, 2000.0])
def test_cycles_that_walks_never_leave_are_sampled_exactly(single_root, pull):
    # 25: a walk would need e^25 steps; 2000: the way out is no longer a double.
    scores = np.random.default_rng(3).normal(size=(5, 5))
    for head, modifier in [(1, 2), (2, 1), (3, 4), (4, 3)]:
        scores[head, modifier] += pull
    trees = sample(scores, 4000, seed=5, single_root=single_root)
    assert_frequencies_fit(trees, Enumeration(scores, single_root, False))


def test_scores_of_great_magnitude_are_sampled_exactly_from_projective_trees():
    scores = np.random.default_rng(3).normal(size=(5, 5))
    scores[1, 2] += 3000.0
    scores[:, 4] -= 3000.0
    trees = sample(scores, 4000, seed=5, projective=True, single_root=False)
    assert_frequencies_fit(trees, Enumeration(scores, False, True))


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
def test_arc_frequencies_of_a_long_sentence_fit_the_marginals(single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    scores = np.random.default_rng(11).normal(size=(16, 16)) * 2
    trees = sample(scores, DRAWS, seed=2, **options)
    frequencies = np.zeros((16, 16))
    for modifier in range(1, 16):
        frequencies[:, modifier] = np.bincount(trees[:, modifier - 1], minlength=16) / DRAWS
    probabilities = marginals(scores, **options)
    deviation = np.sqrt(probabilities * (1 - probabilities) / DRAWS)
    assert (abs(frequencies - probabilities) <= 5 * deviation + 5 / DRAWS).all()


def test_the_seed_decides_what_is_drawn():
    scores = np.zeros((9, 9))
    first = sample(scores, 50, seed=1, single_root=False)
    np.testing.assert_array_equal(first, sample(scores, 50, seed=1, single_root=False))
    assert (first != sample(scores, 50, seed=2, single_root=False)).any()


def test_matrices_of_a_batch_draw_different_numbers():
    trees = sample(np.zeros((2, 9, 9)), 20, seed=1, single_root=False)
    assert trees.shape == (2, 20, 8)
    assert (trees[0] != trees[1]).any()


def test_no_draws_and_no_words_give_empty_arrays():
    assert sample(np.zeros((4, 4)), 0, single_root=False).shape == (0, 3)
    assert sample(np.zeros((1, 1)), 5, single_root=False).shape == (5, 0)


def test_an_impossible_sample_is_refused():
    with pytest.raises(InfeasibleError):
        sample(np.full((3, 3), -np.inf), 2, single_root=False)
    with pytest.raises(InputError, match="count: expected at least 0, got -1"):
        sample(np.zeros((3, 3)), -1, single_root=False)
    with pytest.raises(InputError, match="seed"):
        sample(np.zeros((3, 3)), 1, seed="x", single_root=False)


@pytest.mark.parametrize("single_root", [False, True])
def test_trees_over_few_arcs_use_none_but_them(single_root):
    """Where few words can be the root's child, the marginals are those of a smaller problem."""
    rng = np.random.default_rng(3)
    words = np.arange(1, 13)
    for _ in range(30):
        scores = np.where(rng.random((13, 13)) < 0.3, rng.normal(size=(13, 13)), -np.inf)
        scores[0, 1:] = -np.inf
        scores[0, [4, 9]] = 0.0, -2.0
        scores[[4, 4, 9], [9, 1, 2]] = 0.0
        for word in words[2:]:
            scores[word - 1, word] = 1.0
        drawn = sample(scores, 20, seed=1, single_root=single_root)
        assert np.isfinite(scores[drawn, words].sum(axis=1)).all()
        assert (drawn == sample(scores, 20, seed=1, single_root=single_root)).all()
