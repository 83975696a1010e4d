from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_oracles import KINDS, Enumeration, is_projective, is_tree, score_matrices

from turbotree.errors import InfeasibleError
from turbotree.trees import maximum_spanning_tree, tree_score


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@settings(max_examples=150, deadline=None)
@given(scores=score_matrices(max_words=5))
def test_the_tree_scores_as_much_as_the_best_of_all_trees(scores, single_root, projective):
    oracle = Enumeration(scores, single_root, projective)
    if not oracle.feasible:
        with pytest.raises(InfeasibleError):
            maximum_spanning_tree(scores, single_root=single_root, projective=projective)
        return
    heads = maximum_spanning_tree(scores, single_root=single_root, projective=projective)
    assert (oracle.trees == heads).all(axis=1).any()
    assert tree_score(scores, heads) == pytest.approx(oracle.best, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("words", [7, 20, 63])
@pytest.mark.parametrize("seed", range(5))
def test_long_sentences_get_a_tree_no_single_change_improves(words, seed):
    scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1))
    for single_root, projective in KINDS:
        heads = maximum_spanning_tree(scores, single_root=single_root, projective=projective)
        assert is_tree(tuple(heads))
        assert not single_root or (heads == 0).sum() == 1
        assert not projective or is_projective(tuple(heads))
        best = tree_score(scores, heads)
        for word in range(words):
            for head in range(words + 1):
                other = heads.copy()
                other[word] = head
                other_tuple = tuple(other.tolist())
                if (
                    scores[head, word + 1] > scores[heads[word], word + 1]
                    and (not single_root or (other == 0).sum() == 1)
                    and is_tree(other_tuple)
                    and (not projective or is_projective(other_tuple))
                ):
                    assert tree_score(scores, other) <= best + 1e-9


def test_nested_cycles_are_expanded_in_the_right_order():
    # Words 1-2 form a cycle, which forms a larger one with word 3; only the root arc into 2 is
    # worth leaving for: 2 <- 0 costs 10 + 2, 1 <- 2 and 3 <- 1 stay.
    scores = np.full((4, 4), -100.0)
    scores[1, 2], scores[2, 1] = 10.0, 10.0
    scores[1, 3], scores[3, 1] = 9.0, 9.0
    scores[0] = [0.0, -5.0, -2.0, -9.0]
    assert maximum_spanning_tree(scores, single_root=False).tolist() == [2, 0, 1]


def test_a_single_root_is_kept_however_attractive_others_are():
    scores = np.zeros((4, 4))
    scores[0] = 1e12
    scores[0, 3] += 1e3
    heads = maximum_spanning_tree(scores, single_root=True)
    assert heads[2] == 0
    assert (heads == 0).sum() == 1


def test_single_root_differences_survive_beside_huge_root_scores():
    # A big constant added to root arcs would swallow differences of 1e-6 here.
    scores = np.zeros((3, 3))
    scores[0] = 1e10
    scores[1, 2] = 2e-6
    scores[2, 1] = 1e-6
    assert maximum_spanning_tree(scores, single_root=True).tolist() == [0, 1]


def test_ties_give_the_same_tree_every_time():
    for single_root, projective in KINDS:
        first = maximum_spanning_tree(
            np.zeros((9, 9)), single_root=single_root, projective=projective
        )
        again = maximum_spanning_tree(
            np.zeros((9, 9)), single_root=single_root, projective=projective
        )
        assert is_tree(tuple(first))
        np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
def test_no_words_give_no_heads_and_one_word_hangs_from_the_root(single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    assert maximum_spanning_tree(np.zeros((1, 1)), **options).shape == (0,)
    assert maximum_spanning_tree(np.zeros((2, 2)), **options).tolist() == [0]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_scaling_by_a_power_of_two_keeps_the_tree(data):
    scores = data.draw(score_matrices(max_words=5))
    oracle = Enumeration(scores, False, False)
    if oracle.feasible:
        np.testing.assert_array_equal(
            maximum_spanning_tree(scores, single_root=False),
            maximum_spanning_tree(scores * 4.0, single_root=False),
        )
