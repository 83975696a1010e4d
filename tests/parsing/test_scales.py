"""Trees and proofs do not depend on how scores are measured, shifted or masked."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.distortions import DISTORTIONS, resolution
from oracles.part_scores import score_of
from oracles.trees import all_trees

import turbotree as tt
from turbotree.errors import InfeasibleError
from turbotree.graphs import Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.arrays.parts import dense_parts, part_scores
from turbotree.parsing.decoding import decode as decode_parts
from turbotree.parsing.decoding.k_best import k_best_by_graph
from turbotree.parsing.parts import ScoredSentence

#: Decoders of parsers, and how they write a sentence.
DECODERS = [
    ("auto", None),
    ("exact", None),
    ("admm", None),
    ("admm", "logic"),
    ("subgradient", None),
    ("lp", None),
    ("lp-single", None),
    ("lp2009", None),
    ("ilp", None),
    ("ilp", "structured"),
    ("bp", None),
]


@functools.cache
def trees(words, single_root, projective):
    return list(all_trees(words, single_root=single_root, projective=projective))


class Problem:
    """Scores of a few words, as arrays, and the shape of trees."""

    def __init__(self, rng):
        self.words = int(rng.integers(2, 5))
        self.single_root, self.projective = bool(rng.integers(2)), rng.integers(3) == 0
        side = self.words + 1
        self.arcs = rng.normal(size=(side, side)) * 2
        which = rng.integers(3)
        self.siblings = rng.normal(size=(side,) * 3) if which != 0 else None
        self.grandparents = rng.normal(size=(side,) * 3) if which != 1 else None

    def change(self, arcs, parts):
        self.arcs = arcs(self.arcs)
        self.siblings = None if self.siblings is None else parts(self.siblings)
        self.grandparents = None if self.grandparents is None else parts(self.grandparents)

    def best(self):
        every = trees(self.words, self.single_root, bool(self.projective))
        return max(self.score(tree) for tree in every)

    def score(self, heads):
        return score_of(list(heads), self.arcs, self.siblings, self.grandparents)

    def decode(self, decoder="auto"):
        found = tt.decode(
            self.arcs,
            sibling_scores=self.siblings,
            grandparent_scores=self.grandparents,
            single_root=self.single_root,
            projective=bool(self.projective),
            decoder=decoder,
        )
        return found.heads, found.score, found.certificate

    def as_parts(self):
        grandparents = self.grandparents is not None
        parts, places = dense_parts(self.arcs, self.words, grandparents=grandparents)
        own = {"arc": self.arcs, "sibling": self.siblings, "grandparent": self.grandparents}
        shape = TreeShape(self.single_root, bool(self.projective))
        return parts, part_scores(own, places), shape

    def decode_parts(self, decoder, decomposition):
        parts, scores, shape = self.as_parts()
        return decode_parts(
            ScoredSentence(parts, 0, scores, shape), decoder, decomposition=decomposition
        )


def assert_honest(problem, found, unit, *, proven):
    heads, score, certificate = found
    best, own = problem.best(), problem.score(heads)
    near = resolution(unit, best)
    assert score == pytest.approx(own, rel=1e-9, abs=1e-9 * unit)
    assert certificate.bound >= best - near
    assert certificate.status is Status.OPTIMAL or not proven
    if certificate.status is Status.OPTIMAL:
        assert own >= best - near
    # The arcs are allowed, though a tree made of a fractional solution may have a forbidden part.
    assert (problem.arcs[heads, np.arange(1, problem.words + 1)] > -np.inf).all()


problems = st.integers(0, 2**32 - 1).map(np.random.default_rng).map(lambda rng: (Problem(rng), rng))


@pytest.mark.parametrize("where", ["arcs", "parts", "everywhere"])
@pytest.mark.parametrize("distortion", DISTORTIONS)
@settings(max_examples=10)
@given(drawn=problems)
def test_decode_proves_the_best_tree(distortion, where, drawn):
    problem, rng = drawn
    make, unit = DISTORTIONS[distortion]
    change = make(rng)
    if "times" in distortion:
        where = "everywhere"
    problem.change(
        change if where != "parts" else lambda scores: scores * unit,
        change if where != "arcs" else lambda scores: scores * unit,
    )
    if problem.best() == -np.inf:
        with pytest.raises(InfeasibleError):
            problem.decode()
        return
    assert_honest(problem, problem.decode(), unit, proven=True)


@pytest.mark.parametrize(("decoder", "decomposition"), DECODERS)
@settings(max_examples=25)
@given(drawn=problems, distortion=st.sampled_from(sorted(DISTORTIONS)))
def test_no_decoder_gives_a_false_proof(decoder, decomposition, drawn, distortion):
    problem, rng = drawn
    if decomposition == "logic" or decoder in ("lp-single", "lp2009"):
        problem.projective = False
    make, unit = DISTORTIONS[distortion]
    change = make(rng)
    problem.change(change, change)
    if problem.best() == -np.inf:
        return
    found = problem.decode_parts(decoder, decomposition)
    exact = decoder in ("auto", "exact", "ilp")
    if decoder == "bp":
        assert (problem.arcs[found[0], np.arange(1, problem.words + 1)] > -np.inf).all()
        assert found[1] == pytest.approx(problem.score(found[0]), rel=1e-9, abs=1e-9 * unit)
    else:
        assert_honest(problem, found, unit, proven=exact)


def test_a_tree_with_a_forbidden_part_comes_with_a_true_bound():
    rng = np.random.default_rng(108102)  # whose relaxation rounds to such a tree
    problem = Problem(rng)
    problem.projective = False
    make, unit = DISTORTIONS["masks of -1e9 and -inf"]
    change = make(rng)
    problem.change(change, change)
    found = problem.decode_parts("lp-single", None)
    assert found.score == -np.inf
    assert found.certificate.gap == np.inf
    assert_honest(problem, found, unit, proven=False)


@settings(max_examples=120)
@given(drawn=problems, distortion=st.sampled_from(sorted(DISTORTIONS)))
def test_the_k_best_trees_are_the_best_of_all(drawn, distortion):
    problem, rng = drawn
    make, unit = DISTORTIONS[distortion]
    change = make(rng)
    problem.change(change, change)
    every = trees(problem.words, problem.single_root, bool(problem.projective))
    best = sorted((problem.score(tree) for tree in every), reverse=True)
    best = [value for value in best if value > -np.inf]
    if not best:
        return
    parts, scores, shape = problem.as_parts()
    found = k_best_by_graph(ScoredSentence(parts, 0, scores, shape), 5, exact=True)
    assert len(found) == min(5, len(best))
    for tree, value in zip(found, best, strict=False):
        near = resolution(unit, value)
        assert tree.certificate.status is Status.OPTIMAL
        assert tree.score == pytest.approx(value, abs=near)
        assert tree.score == pytest.approx(problem.score(tree.heads), abs=near)


@pytest.mark.parametrize("constant", [1e4, -1e6, 1e9])
@settings(max_examples=20)
@given(drawn=problems)
def test_a_constant_of_all_arcs_changes_nothing_else(constant, drawn):
    problem, _ = drawn
    heads, score, _ = problem.decode()
    problem.arcs = problem.arcs + constant
    again = problem.decode()
    assert_honest(problem, again, 1.0, proven=True)
    assert again[1] == pytest.approx(score + constant * problem.words, rel=1e-9)
    # The constant costs the scores some of their digits.
    assert problem.score(heads) == pytest.approx(problem.score(again[0]), abs=1e-14 * abs(constant))


@pytest.mark.parametrize("size", [1e4, 1e9])
@settings(max_examples=20)
@given(drawn=problems)
def test_masks_of_arcs_are_as_good_as_forbidding_them(size, drawn):
    problem, rng = drawn
    chosen = rng.random(problem.arcs.shape) < 0.3
    plain = problem.arcs
    problem.arcs = np.where(chosen, -np.inf, plain)
    if problem.best() == -np.inf:
        return
    heads, score, _ = problem.decode()
    problem.arcs = np.where(chosen, -size, plain)
    again = problem.decode()
    assert_honest(problem, again, 1.0, proven=True)
    assert (again[0] == heads).all() or again[1] == pytest.approx(score, abs=2e-5)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_words_of_a_bag_may_change_places(seed):
    # Without siblings, the order of words does not matter where arcs may cross.
    rng = np.random.default_rng(seed)
    problem = Problem(rng)
    problem.siblings, problem.projective = None, False
    problem.grandparents = rng.normal(size=(problem.words + 1,) * 3)
    heads, score, _ = problem.decode()
    order = np.concatenate([[0], 1 + rng.permutation(problem.words)])
    problem.arcs = problem.arcs[np.ix_(order, order)]
    problem.grandparents = problem.grandparents[np.ix_(order, order, order)]
    again = problem.decode()
    assert_honest(problem, again, 1.0, proven=True)
    assert again[1] == pytest.approx(score, abs=2e-5)
    back = np.zeros(problem.words, dtype=int)
    back[order[1:] - 1] = order[again[0]]
    assert (back == heads).all() or abs(again[1] - score) <= 2e-5


def test_an_example_of_scores_in_the_millions():
    rng = np.random.default_rng(5)
    arcs, siblings = rng.normal(size=(4, 4)), rng.normal(size=(4, 4, 4))
    small = tt.decode(arcs, sibling_scores=siblings)
    large = tt.decode(1e6 * arcs, sibling_scores=1e6 * siblings)
    assert large.heads.tolist() == small.heads.tolist()
    assert large.score == pytest.approx(1e6 * small.score)
