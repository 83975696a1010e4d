from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_oracles import KINDS, Enumeration

from turbotree.errors import InfeasibleError, InputError
from turbotree.trees import (
    entropy,
    k_best,
    log_partition,
    marginals,
    maximum_spanning_tree,
    sample,
    tree_marginals,
    tree_score,
)

arcs = st.tuples(st.integers(0, 4), st.integers(1, 4)).filter(lambda arc: arc[0] != arc[1])


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@settings(max_examples=50, deadline=None)
@given(
    required=st.lists(arcs, max_size=2),
    forbidden=st.lists(arcs, max_size=5),
    seed=st.integers(0, 2**32 - 1),
    as_masks=st.booleans(),
)
def test_every_function_keeps_to_required_and_forbidden_arcs(
    required, forbidden, seed, as_masks, single_root, projective
):
    scores = np.random.default_rng(seed).normal(size=(5, 5))
    allowed = scores.copy()
    for head, modifier in required:
        others = np.arange(5) != head
        allowed[others, modifier] = -np.inf
    for arc in forbidden:
        allowed[arc] = -np.inf
    oracle = Enumeration(allowed, single_root, projective)
    options = {"single_root": single_root, "projective": projective}
    options |= {"require": required, "forbid": forbidden}
    if as_masks:
        for name in ("require", "forbid"):
            mask = np.zeros((5, 5), dtype=bool)
            for arc in options[name]:
                mask[arc] = True
            options[name] = mask
    if not oracle.feasible:
        for function in (maximum_spanning_tree, log_partition, marginals, entropy, sample):
            with pytest.raises(InfeasibleError):
                function(scores, **options)
        with pytest.raises(InfeasibleError):
            k_best(scores, 2, **options)
        return
    heads = maximum_spanning_tree(scores, **options)
    assert tree_score(scores, heads) == pytest.approx(oracle.best)
    result = tree_marginals(scores, **options)
    np.testing.assert_allclose(result.probabilities, oracle.marginals, atol=1e-9)
    assert log_partition(scores, **options) == pytest.approx(oracle.log_partition)
    assert entropy(scores, **options) == pytest.approx(oracle.entropy, abs=1e-9)
    assert len(k_best(scores, 1000, **options)) == len(oracle.trees)
    drawn = sample(scores, 20, seed=seed, **options)
    assert all((oracle.trees == tree).all(axis=1).any() for tree in drawn)


def infeasible(message: str, **options: object) -> None:
    with pytest.raises(InfeasibleError, match=message):
        maximum_spanning_tree(np.zeros((5, 5)), **{"single_root": False, **options})


def test_a_word_with_two_required_heads_is_named():
    infeasible(
        r"required arcs \(1, 3\) and \(2, 3\) give word 3 two heads", require=[(1, 3), (2, 3)]
    )


def test_an_arc_both_required_and_forbidden_is_named():
    infeasible(r"arc \(1, 3\) is both required and forbidden", require=[(1, 3)], forbid=[(1, 3)])


def test_a_cycle_of_required_arcs_is_named():
    infeasible(r"cycle: \(2, 1\), \(3, 2\), \(1, 3\)", require=[(2, 1), (3, 2), (1, 3)])


def test_two_required_roots_are_named():
    infeasible(r"\(0, 1\) and \(0, 4\) make two roots", require=[(0, 4), (0, 1)], single_root=True)


def test_required_arcs_that_cross_are_named():
    infeasible(r"\(1, 3\) and \(4, 2\) cross", require=[(1, 3), (4, 2)], projective=True)


def test_a_required_arc_without_a_score_is_named():
    scores = np.zeros((3, 3))
    scores[2, 1] = -np.inf
    with pytest.raises(InfeasibleError, match=r"required arc \(2, 1\) has score -inf"):
        maximum_spanning_tree(scores, require=[(2, 1)], single_root=False)


def test_a_word_without_heads_is_named():
    infeasible("word 2 has no possible head", forbid=[(0, 2), (1, 2), (3, 2), (4, 2)])


def test_words_that_the_root_does_not_reach_are_named():
    infeasible(
        "the root does not reach words 1, 2", forbid=[(h, m) for h in (0, 3, 4) for m in (1, 2)]
    )


def test_two_unavoidable_roots_are_told():
    infeasible(
        "more than one root",
        forbid=[(h, m) for h in (1, 2) for m in (3, 4)] + [(h, m) for h in (3, 4) for m in (1, 2)],
        single_root=True,
    )


def test_unavoidable_crossings_are_told():
    only = [(3, 1), (4, 2), (0, 3), (3, 4)]
    rest = [(h, m) for m in range(1, 5) for h in range(5) if h != m and (h, m) not in only]
    infeasible("crossing arcs", forbid=rest, projective=True)


def test_the_matrix_of_a_batch_that_fails_is_named():
    with pytest.raises(InfeasibleError, match="matrix 1: required arcs"):
        maximum_spanning_tree(
            np.zeros((2, 4, 4)), require=[None, [(1, 2), (2, 1)]], single_root=False
        )
    with pytest.raises(InfeasibleError, match="matrix 1: no tree"):
        maximum_spanning_tree(np.zeros((2, 3, 3)), forbid=[[], [(0, 1), (2, 1)]], single_root=False)


@pytest.mark.parametrize(
    "wrong", [[(1, 1)], [(5, 1)], [(1, 0)], [(-1, 2)], [1, 2], [(1, 2, 3)], [("a", "b")], 7]
)
def test_arcs_that_do_not_exist_are_refused(wrong):
    with pytest.raises(InputError, match="require: "):
        maximum_spanning_tree(np.zeros((5, 5)), require=wrong, single_root=False)


def test_constraints_of_a_wrong_shape_are_refused():
    with pytest.raises(InputError, match=r"expected a boolean matrix of shape \(5, 5\)"):
        maximum_spanning_tree(
            np.zeros((5, 5)), forbid=np.zeros((4, 4), dtype=bool), single_root=False
        )
    with pytest.raises(InputError, match="one list of arcs for each of 2 matrices, got 1"):
        maximum_spanning_tree(np.zeros((2, 5, 5)), forbid=[[(1, 2)]], single_root=False)
    with pytest.raises(InputError, match=r"shape \(2, 5, 5\), got \(5, 5\)"):
        maximum_spanning_tree(
            np.zeros((2, 5, 5)), forbid=np.zeros((5, 5), dtype=bool), single_root=False
        )


def test_the_given_scores_stay_as_they_were():
    scores = np.zeros((4, 4))
    maximum_spanning_tree(scores, require=[(2, 1)], forbid=[(0, 3)], single_root=False)
    assert (scores == 0).all()
