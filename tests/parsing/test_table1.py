"""Paths and non-projective arcs read off flows: the relaxation of Martins et al. (2011a)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_cases import candidate_trees, cases, part_set
from oracles.table1 import FAMILIES, relaxation

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.graphs.factors.blocks import Kind
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding import decode, solve_relaxation
from turbotree.parsing.decoding.logic import flow_graph
from turbotree.parsing.parts import ScoredSentence, families_of

MIXES = st.sets(st.sampled_from(FAMILIES[1:])).map(lambda own: families_of("arc", sorted(own)))
SHAPES = st.builds(TreeShape, single_root=st.booleans(), projective=st.just(False))


def by_table(scored):
    """Solve the oracle's program of a sentence."""
    tables = {
        name: dict(zip(map(tuple, scored.parts[name].rows.tolist()), own, strict=True))
        for name, own in scored.scores.items()
    }
    return relaxation(scored.words, tables["arc"], tables, scored.shape.single_root)


def close(value):
    return pytest.approx(value, rel=1e-6, abs=1e-6)


@given(st.data(), SHAPES)
@settings(max_examples=40, deadline=None)
def test_the_relaxation_is_that_of_the_table(data, shape):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    scored = ScoredSentence(parts, 0, scores, shape)
    expected = by_table(scored)
    assert solve_relaxation(scored, paths_by_flows=True).upper_bound == close(expected)
    assert flow_graph(scored).solve("linear_program").upper_bound == close(expected)


@pytest.mark.parametrize("families", [("arc", "path"), ("arc", "nonprojective"), FAMILIES])
def test_with_all_arcs_it_is_that_of_the_table_and_tighter_than_logic(families):
    tighter = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        arcs = [(h, m) for m in range(1, 6) for h in range(6) if h != m]
        parts = part_set([5], [arcs], families)
        scores = {name: 2.0 * rng.normal(size=len(parts[name].rows)) for name in families}
        scores["arc"] /= 4.0  # so that the other parts matter
        scored = ScoredSentence(parts, 0, scores, TreeShape(single_root=False))
        found = solve_relaxation(scored, paths_by_flows=True).upper_bound
        logic = solve_relaxation(scored).upper_bound
        assert found == close(by_table(scored))
        assert found <= logic + 1e-6
        tighter += found < logic - 1e-3
    assert tighter


@given(st.data(), SHAPES)
@settings(max_examples=30, deadline=None)
def test_whole_solutions_are_the_best_trees(data, shape):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    scored = ScoredSentence(parts, 0, scores, shape)
    best = max(map(scored.score, candidate_trees(parts, 0, shape)))
    graph = flow_graph(scored)
    assert all(block.kind <= Kind.PAIR for block in graph.blocks)
    assert graph.solve("linear_program", exact=True).value == pytest.approx(best, abs=1e-5)
    found = decode(scored, "ilp", decomposition="flows")
    assert found.score == pytest.approx(best, abs=1e-5)
    found = decode(scored, "admm2011", decomposition="flows")
    assert found.certificate.bound >= best - 1e-6
    assert found.score <= best + 1e-9
    if found.certificate.status is Status.OPTIMAL:
        assert found.score == pytest.approx(best, abs=1e-5)


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_every_sentence_of_a_batch_has_its_own_flows(data):
    parts, scores = data.draw(cases(families=("arc", "path", "nonprojective"), most=3))
    for index in range(len(parts.lengths)):
        own = {name: scores[name][family.places(index)] for name, family in parts.items()}
        scored = ScoredSentence(parts, index, own, TreeShape(single_root=False))
        best = max(map(scored.score, candidate_trees(parts, index, scored.shape)))
        assert solve_relaxation(scored, paths_by_flows=True).upper_bound >= best - 1e-6
        assert decode(scored, "ilp", decomposition="flows").score == pytest.approx(best, abs=1e-5)


def test_flows_are_not_for_projective_trees_and_single_commodities():
    parts = part_set([1], [[(0, 1)]], ("arc", "path"))
    scores = {name: np.zeros(len(own.rows)) for name, own in parts.items()}
    scored = ScoredSentence(parts, 0, scores, TreeShape(projective=True))
    with pytest.raises(InputError, match="flows cannot keep arcs from crossing"):
        decode(scored, "admm", decomposition="flows")
    with pytest.raises(InputError, match="'lp-single' has no flows decomposition"):
        decode(ScoredSentence(parts, 0, scores), "lp-single", decomposition="flows")
    assert decode(ScoredSentence(parts, 0, scores), "lp", decomposition="flows").score == 0.0
