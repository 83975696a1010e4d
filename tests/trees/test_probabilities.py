from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from tree_oracles import (
    KINDS,
    Enumeration,
    precise_matrix_tree,
    projective_log_partition,
    score_matrices,
)

from turbotree.errors import InfeasibleError
from turbotree.trees import entropy, log_partition, marginals, tree_marginals


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@settings(max_examples=150, deadline=None)
@given(scores=score_matrices(max_words=5))
def test_sums_over_trees_agree_with_enumeration(scores, single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    oracle = Enumeration(scores, single_root, projective)
    if not oracle.feasible:
        for function in (tree_marginals, log_partition):
            with pytest.raises(InfeasibleError):
                function(scores, **options)
        return
    result = tree_marginals(scores, **options)
    np.testing.assert_allclose(result.probabilities, oracle.marginals, rtol=0, atol=1e-9)
    assert result.log_partition == pytest.approx(oracle.log_partition, rel=1e-12, abs=1e-9)
    assert log_partition(scores, **options) == pytest.approx(result.log_partition, rel=1e-13)
    assert result.entropy == pytest.approx(oracle.entropy, abs=1e-7)


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@pytest.mark.parametrize("magnitude", [1.0, 1e3])
def test_six_words_agree_with_enumeration(single_root, projective, magnitude):
    scores = np.random.default_rng(6).normal(size=(7, 7)) * magnitude
    scores[1, 2] = scores[2, 1] = 4 * magnitude
    oracle = Enumeration(scores, single_root, projective)
    result = tree_marginals(scores, single_root=single_root, projective=projective)
    np.testing.assert_allclose(result.probabilities, oracle.marginals, rtol=0, atol=1e-9)
    assert result.log_partition == pytest.approx(oracle.log_partition, rel=1e-12)


def cyclic_weights(words: int, spread: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits and powers of ten; the best heads form a cycle that is very hard to leave."""
    random = np.random.default_rng(seed)
    shape = (words + 1, words + 1)
    digits = random.integers(1, 10, size=shape)
    powers = random.integers(-spread, spread + 1, size=shape)
    for word in range(1, words + 1):
        powers[word, word % words + 1] += 5 * spread
    # A few close calls, so that probabilities are not all 0 or 1.
    powers[random.random(shape) < 0.4] = 0
    return digits, powers


def scores_of(digits: np.ndarray, powers: np.ndarray) -> np.ndarray:
    return np.log(digits) + powers * math.log(10)


# Scores reach 5 * spread * log(10): about 140, 1,150 and 11,500 at the last three.
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize(
    ("words", "spread", "precision"),
    [(12, 1, 200), (12, 12, 1000), (10, 100, 6000), (6, 1000, 20_000)],
)
def test_near_singular_laplacians_agree_with_long_decimals(words, spread, precision, single_root):
    digits, powers = cyclic_weights(words, spread, seed=words)
    expected_log, expected = precise_matrix_tree(digits, powers, single_root, precision)
    result = tree_marginals(scores_of(digits, powers), single_root=single_root)
    np.testing.assert_allclose(result.probabilities, expected, rtol=0, atol=1e-9)
    assert result.log_partition == pytest.approx(expected_log, rel=1e-13, abs=1e-9)


def test_small_probabilities_have_full_relative_accuracy():
    digits, powers = cyclic_weights(8, 8, seed=3)
    _, expected = precise_matrix_tree(digits, powers, False, 600)
    # The scores themselves are rounded, to about 1e-14.
    np.testing.assert_allclose(
        marginals(scores_of(digits, powers), single_root=False), expected, rtol=1e-11
    )


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("magnitude", [1.0, 1e3])
def test_projective_sums_agree_with_the_interval_recurrence(single_root, magnitude):
    options = {"single_root": single_root, "projective": True}
    scores = np.random.default_rng(1).normal(size=(11, 11)) * magnitude
    scores[:, 1:] = np.where(np.random.default_rng(2).random((11, 10)) < 0.3, 0.0, scores[:, 1:])
    expected = projective_log_partition(scores, single_root)
    result = tree_marginals(scores, **options)
    assert result.log_partition == pytest.approx(expected, rel=1e-12)
    for head, modifier in [(0, 3), (2, 1), (4, 9), (10, 5)]:
        with_arc = scores.copy()
        with_arc[:, modifier] = -np.inf
        with_arc[head, modifier] = scores[head, modifier]
        probability = math.exp(projective_log_partition(with_arc, single_root) - expected)
        assert result.probabilities[head, modifier] == pytest.approx(probability, abs=1e-9)


@pytest.mark.parametrize("words", [1, 2, 5, 17, 40])
def test_equal_scores_give_cayleys_count_of_trees(words):
    zeros = np.zeros((words + 1, words + 1))
    assert log_partition(zeros, single_root=False) == pytest.approx(
        (words - 1) * math.log(words + 1), abs=1e-9
    )
    assert log_partition(zeros, single_root=True) == pytest.approx(
        (words - 1) * math.log(words), abs=1e-9
    )
    assert entropy(zeros, single_root=False) == pytest.approx(
        (words - 1) * math.log(words + 1), abs=1e-9
    )


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@pytest.mark.parametrize("scale", [1.0, 100.0, 1e4])
def test_long_sentences_have_columns_that_sum_to_one(single_root, projective, scale):
    scores = np.random.default_rng(8).normal(size=(61, 61)) * scale
    result = tree_marginals(scores, single_root=single_root, projective=projective)
    np.testing.assert_allclose(result.probabilities[:, 1:].sum(axis=0), 1.0, atol=1e-9)
    assert (result.probabilities >= 0).all()
    if single_root:
        assert result.probabilities[0].sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("mask", [-1e9, -1e30, float(np.finfo(np.float32).min)])
@pytest.mark.parametrize(("single_root", "projective"), KINDS)
def test_hugely_negative_scores_act_as_forbidden(mask, single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    scores = np.random.default_rng(4).normal(size=(8, 8))
    masked = np.random.default_rng(5).random((8, 8)) < 0.4
    masked[0, 1:] = False
    np.testing.assert_allclose(
        marginals(np.where(masked, mask, scores), **options),
        marginals(np.where(masked, -np.inf, scores), **options),
        atol=1e-12,
    )


def test_a_single_root_behind_a_closed_group_of_words_is_found():
    # Words 1 and 2 have only each other and the root: one of them is the root's child in every
    # tree, though words 3 to 5 have root arcs too.
    scores = np.random.default_rng(0).normal(size=(6, 6))
    scores[3:, 1] = scores[3:, 2] = -np.inf
    result = tree_marginals(scores, single_root=True)
    oracle = Enumeration(scores, True, False)
    np.testing.assert_allclose(result.probabilities, oracle.marginals, atol=1e-12)
    assert result.probabilities[0, 3:].sum() == 0.0


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
def test_no_words_and_one_word_have_one_tree(single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    empty = tree_marginals(np.zeros((1, 1)), **options)
    assert (empty.log_partition, empty.entropy) == (0.0, 0.0)
    assert empty.probabilities.tolist() == [[0.0]]
    one = tree_marginals(np.full((2, 2), 2.5), **options)
    assert (one.log_partition, one.entropy) == (2.5, 0.0)
    assert one.probabilities.tolist() == [[0.0, 1.0], [0.0, 0.0]]
