"""The linear programs of Martins et al. (2009), by name, against their rows written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.lp2009 import FAMILIES, relaxation
from oracles.part_cases import candidate_trees, cases, part_set

from turbotree.errors import InputError
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding import decode, solve_relaxation
from turbotree.parsing.parts import ScoredSentence, families_of

MIXES = st.sets(st.sampled_from(FAMILIES[1:])).map(lambda own: families_of("arc", sorted(own)))
SHAPES = st.builds(TreeShape, single_root=st.booleans(), projective=st.just(False))


def by_rows(scored, single_commodity):
    """Solve the oracle's program of a sentence."""
    tables = {
        name: dict(zip(map(tuple, scored.parts[name].rows.tolist()), own, strict=True))
        for name, own in scored.scores.items()
    }
    return relaxation(
        scored.words,
        tables["arc"],
        tables,
        single_root=scored.shape.single_root,
        single_commodity=single_commodity,
    )


def close(value):
    return pytest.approx(value, rel=1e-6, abs=1e-6)


@given(st.data(), SHAPES, st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_relaxation_is_that_of_the_rows(data, shape, single):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    scored = ScoredSentence(parts, 0, scores, shape)
    found = solve_relaxation(scored, single_commodity=single, siblings_by_pairs=True)
    expected = by_rows(scored, single)
    if single:  # its bound is safe, and may be above the value of the relaxation
        assert found.upper_bound >= expected - 1e-6
        if tuple(scored.scores) == ("arc",):
            assert found.relaxed @ scored.scores["arc"] == close(expected)
    else:
        assert found.upper_bound == close(expected)
    decoder = "lp2009-single" if single else "lp2009"
    assert decode(scored, decoder).certificate.bound >= found.upper_bound - 1e-6


@pytest.mark.parametrize("families", [("arc", "sibling"), ("arc", "sibling", "grandparent")])
@pytest.mark.parametrize("single", [False, True])
def test_with_all_arcs_it_is_that_of_the_rows_and_looser_than_automata(families, single):
    looser = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        arcs = [(h, m) for m in range(1, 6) for h in range(6) if h != m]
        parts = part_set([5], [arcs], families)
        scores = {name: rng.normal(size=len(parts[name].rows)) for name in families}
        scored = ScoredSentence(parts, 0, scores, TreeShape(single_root=False))
        found = solve_relaxation(scored, single_commodity=single, siblings_by_pairs=True)
        tight = solve_relaxation(scored, single_commodity=single).upper_bound
        assert found.upper_bound == close(by_rows(scored, single))
        assert found.upper_bound >= tight - 1e-6
        looser += found.upper_bound > tight + 1e-3
    assert looser


@given(st.data(), SHAPES)
@settings(max_examples=30, deadline=None)
def test_whole_solutions_are_the_best_trees(data, shape):
    families = data.draw(st.sampled_from([*FAMILIES[1:], "grand_sibling", "tri_sibling"]))
    mix = families_of("arc", ["sibling", "grandparent", families])
    parts, scores = data.draw(cases(families=mix))
    scored = ScoredSentence(parts, 0, scores, shape)
    best = max(map(scored.score, candidate_trees(parts, 0, shape)))
    found = solve_relaxation(scored, siblings_by_pairs=True, exact=True)
    assert found.upper_bound == pytest.approx(best, abs=1e-5)


def test_only_linear_programs_have_these_siblings():
    parts = part_set([1], [[(0, 1)]], ("arc", "sibling"))
    scores = {name: np.zeros(len(own.rows)) for name, own in parts.items()}
    scored = ScoredSentence(parts, 0, scores)
    assert decode(scored, "lp2009").score == 0.0
    with pytest.raises(InputError, match="'lp2009' has no structured decomposition"):
        decode(scored, "lp2009", decomposition="structured")
    with pytest.raises(InputError, match="flows cannot keep arcs from crossing"):
        decode(ScoredSentence(parts, 0, scores, TreeShape(projective=True)), "lp2009-single")
