from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_oracles import KINDS, Enumeration, score_matrices

from turbotree.errors import InfeasibleError, InputError
from turbotree.trees import ScoredTree, k_best, maximum_spanning_tree, tree_score


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@settings(max_examples=60, deadline=None)
@given(scores=score_matrices(max_words=4), k=st.sampled_from([1, 2, 7, 30, 1000]))
def test_the_k_best_are_the_first_k_of_all_trees_sorted(scores, k, single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    oracle = Enumeration(scores, single_root, projective)
    if not oracle.feasible:
        with pytest.raises(InfeasibleError):
            k_best(scores, k, **options)
        return
    found = k_best(scores, k, **options)
    expected = np.sort(oracle.scores)[::-1][:k]
    assert [tree.score for tree in found] == pytest.approx(expected.tolist(), rel=1e-12, abs=1e-9)
    assert len({tuple(tree.heads) for tree in found}) == len(expected)
    for tree in found:
        assert (oracle.trees == tree.heads).all(axis=1).any()
        assert tree.score == pytest.approx(tree_score(scores, tree.heads), rel=1e-13, abs=1e-12)


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
def test_the_first_of_the_k_best_is_the_best_tree(single_root, projective):
    options = {"single_root": single_root, "projective": projective}
    scores = np.random.default_rng(2).normal(size=(26, 26))
    found = k_best(scores, 12, **options)
    np.testing.assert_array_equal(found[0].heads, maximum_spanning_tree(scores, **options))
    assert all(a.score >= b.score for a, b in itertools.pairwise(found))
    assert len({tuple(tree.heads) for tree in found}) == 12


def test_all_trees_come_back_when_all_scores_are_equal():
    assert len(k_best(np.zeros((5, 5)), 10_000, single_root=False)) == 125
    assert len(k_best(np.zeros((5, 5)), 10_000, single_root=True)) == 64


def test_no_words_have_one_empty_tree():
    (tree,) = k_best(np.zeros((1, 1)), 3, single_root=False)
    assert isinstance(tree, ScoredTree)
    assert tree.heads.shape == (0,)
    assert tree.score == 0.0


@pytest.mark.parametrize("k", [0, -1, 2.5, "many", None])
def test_a_wrong_k_is_refused(k):
    with pytest.raises(InputError, match="k: expected"):
        k_best(np.zeros((3, 3)), k, single_root=False)
