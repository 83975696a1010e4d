"""The object of one set of scores, and the functions in front of it."""

from __future__ import annotations

import numpy as np
import pytest

from turbotree import trees
from turbotree.errors import InputError
from turbotree.trees import Trees

SCORES = np.random.default_rng(7).normal(size=(2, 6, 6))
OPTIONS = {
    "lengths": [5, 4],
    "single_root": False,
    "projective": True,
    "require": [[(0, 2)], None],
    "forbid": [None, [(1, 2)]],
    "threads": 2,
}

FRONTS = {
    "maximum_spanning_tree": "best",
    "marginals": "marginals",
    "entropy": "entropy",
    "log_partition": "log_partition",
}


@pytest.mark.parametrize(("function", "method"), FRONTS.items())
def test_a_function_is_a_front_of_the_object(function, method):
    found = getattr(trees, function)(SCORES, **OPTIONS)
    np.testing.assert_array_equal(found, getattr(Trees(SCORES, **OPTIONS), method)())


def test_k_best_and_samples_are_those_of_the_object():
    own = Trees(SCORES, **OPTIONS)
    np.testing.assert_array_equal(trees.sample(SCORES, 9, seed=4, **OPTIONS), own.sample(9, seed=4))
    for some, others in zip(trees.k_best(SCORES, 4, **OPTIONS), own.k_best(4), strict=True):
        for tree, other in zip(some, others, strict=True):
            np.testing.assert_array_equal(tree.heads, other.heads)
            assert tree.score == other.score
    heads = own.best()
    np.testing.assert_array_equal(trees.tree_score(SCORES, heads, lengths=[5, 4]), own.score(heads))


def test_the_best_tree_scores_most_and_is_the_first_of_the_k_best():
    own = Trees(SCORES[0])
    best, *others = own.k_best(5)
    np.testing.assert_array_equal(best.heads, own.best())
    assert own.score(own.best()) == pytest.approx(best.score)
    assert all(other.score <= best.score for other in others)
    assert np.exp(own.score(best.heads) - own.log_partition()) <= own.marginals().max()


def test_a_single_root_is_the_default_everywhere():
    many_roots = np.full((4, 4), -1.0)
    many_roots[0] = 5.0
    assert (Trees(many_roots).best() == 0).sum() == 1
    assert (trees.maximum_spanning_tree(many_roots) == 0).sum() == 1
    np.testing.assert_array_equal(
        trees.marginals(many_roots), trees.marginals(many_roots, single_root=True)
    )
    assert (trees.maximum_spanning_tree(many_roots, single_root=False) == 0).all()


@pytest.mark.parametrize(("old", "new"), [("required", "require"), ("forbidden", "forbid")])
def test_earlier_spellings_work_and_warn(old, new):
    arcs = [(2, 1)]
    with pytest.warns(DeprecationWarning, match=f"{old}= is called {new}= now") as warned:
        found = trees.marginals(SCORES[0], **{old: arcs})
    assert warned[0].filename == __file__
    np.testing.assert_array_equal(found, trees.marginals(SCORES[0], **{new: arcs}))
    with pytest.raises(InputError, match="give one"):
        trees.marginals(SCORES[0], **{old: arcs, new: arcs})


@pytest.mark.parametrize("function", [trees.maximum_spanning_tree, trees.marginals, trees.sample])
def test_an_unknown_option_is_an_input_error(function):
    with pytest.raises(InputError, match="unknown option 'single_rot'; did you mean 'single_root'"):
        function(SCORES, single_rot=True)


def test_projective_trees_have_no_derivative_in_closed_form():
    with pytest.raises(InputError, match="projective=False"):
        Trees(SCORES[0], projective=True).marginal_derivative(SCORES[0])
