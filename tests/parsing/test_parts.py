"""Parts of higher order, their graphs and decoders, against enumeration of all trees."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_cases import (
    FULL,
    assignment,
    candidate_trees,
    cases,
    of_sentence,
    part_set,
    shapes,
)
from oracles.parts import parts_of
from oracles.trees import log_sum

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Kind, Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding import decode, part_marginals
from turbotree.parsing.parts import FAMILIES, MODELS, ScoredSentence, families_of


@given(cases(most=3))
@settings(max_examples=60)
def test_a_tree_has_the_parts_that_the_textbook_reads_off_it(case):
    parts, _ = case
    for sentence in range(len(parts.lengths)):
        at = {name: own.places(sentence) for name, own in parts.items()}
        arcs = parts.arcs.rows[at["arc"]].tolist()
        rows_there = {(h, int(m > h)) for h, m in arcs}
        for heads in candidate_trees(parts, sentence, TreeShape(False, False)):
            expected = parts_of(heads.tolist(), rows_there)
            for name, has in parts.indicators(sentence, heads).items():
                if name == "arc":
                    continue
                rows = parts[name].rows[at[name]]
                found = set(map(tuple, rows[has].tolist()))
                assert len(found) == np.count_nonzero(has)
                if name in ("path", "nonprojective"):
                    expected[name] &= set(map(tuple, rows.tolist()))
                assert found == expected[name]


@given(cases(families=("arc", "path", "nonprojective"), longest=5))
@settings(max_examples=60)
def test_only_what_is_the_same_in_every_tree_is_omitted(case):
    parts, _ = case
    trees = candidate_trees(parts, 0, TreeShape(False, False))
    held = [parts_of(tree.tolist(), set()) for tree in trees]
    for name in ("path", "nonprojective"):
        scored = set(map(tuple, parts[name].rows.tolist()))
        for row in set().union(*(tree[name] for tree in held)) - scored:
            assert name == "path"
            assert all(row in tree[name] for tree in held)


@given(cases(most=2), shapes)
@settings(max_examples=60)
def test_the_graph_scores_every_tree_as_its_parts_do(case, shape):
    parts, scores = case
    for sentence in range(len(parts.lengths)):
        own = of_sentence(parts, scores, sentence)
        graph = ScoredSentence(parts, sentence, own, shape).graph()
        for heads in candidate_trees(parts, sentence, shape):
            expected = ScoredSentence(parts, sentence, own).score(heads)
            assert graph.value(assignment(parts, sentence, heads)) == pytest.approx(
                expected, abs=1e-9
            )


@pytest.mark.parametrize(
    "families",
    [
        *MODELS.values(),
        FULL,
        ("arc", "grandparent"),
        ("arc", "sibling"),
        ("arc", "sibling", "tri_sibling"),
    ],
)
@given(st.data(), shapes)
@settings(max_examples=15)
def test_decoders_find_the_best_tree_and_never_claim_what_is_not_true(families, data, shape):
    parts, scores = data.draw(cases(families=families))
    best = max(
        ScoredSentence(parts, 0, scores).score(tree) for tree in candidate_trees(parts, 0, shape)
    )
    scale = max(1.0, abs(best))
    for decoder in ("auto", "admm", "exact", "subgradient", "lp", "ilp"):
        heads, score, certificate = decode(ScoredSentence(parts, 0, scores, shape), decoder)
        assert any((heads == tree).all() for tree in candidate_trees(parts, 0, shape))
        assert score == pytest.approx(ScoredSentence(parts, 0, scores).score(heads))
        assert certificate.bound >= best - 1e-5 * scale
        assert certificate.gap == pytest.approx(max(0.0, certificate.bound - score), abs=1e-9)
        if certificate.status is Status.OPTIMAL or decoder in ("exact", "ilp"):
            assert certificate.status is Status.OPTIMAL
            assert score == pytest.approx(best, abs=1e-5 * scale)


@given(cases(longest=3, families=("arc",)), shapes)
@settings(max_examples=30)
def test_arc_factored_probabilities_are_exact(case, shape):
    parts, scores = case
    trees = candidate_trees(parts, 0, shape)
    logs = [ScoredSentence(parts, 0, scores).score(tree) for tree in trees]
    found = part_marginals(ScoredSentence(parts, 0, scores, shape))
    assert found.log_partition == pytest.approx(log_sum(logs))
    expected = sum(
        math.exp(log - log_sum(logs)) * parts.indicators(0, tree)["arc"]
        for log, tree in zip(logs, trees, strict=True)
    )
    assert found.arcs == pytest.approx(expected, abs=1e-9)


@given(cases(), shapes)
@settings(max_examples=30)
def test_beliefs_are_probabilities_of_heads(case, shape):
    parts, scores = case
    found = part_marginals(ScoredSentence(parts, 0, scores, shape), tolerance=1e-8)
    assert ((found.arcs >= -1e-9) & (found.arcs <= 1 + 1e-9)).all()
    if found.converged:
        sums = np.bincount(parts.arcs.rows[:, 1], weights=found.arcs)[1:]
        assert sums == pytest.approx(np.ones(len(sums)), abs=1e-5)


@given(cases(), shapes)
@settings(max_examples=20)
def test_minimum_risk_gives_a_tree_and_proves_nothing(case, shape):
    parts, scores = case
    heads, score, certificate = decode(ScoredSentence(parts, 0, scores, shape), "bp")
    assert any((heads == tree).all() for tree in candidate_trees(parts, 0, shape))
    assert score == pytest.approx(ScoredSentence(parts, 0, scores).score(heads))
    assert certificate.status is Status.LIMIT
    assert certificate.bound == math.inf


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e5, 1e9, 1e12])
@given(case=cases(), shape=shapes, data=st.data())
@settings(max_examples=15)
def test_minimum_risk_takes_no_forbidden_arc_at_any_scale(scale, case, shape, data):
    parts, scores = case
    rows = parts.arcs.rows
    count = len(rows)
    forbidden = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    scores = {name: scale * own for name, own in scores.items()}
    scores["arc"][forbidden] = -np.inf
    allowed = {tuple(arc) for arc in rows[~forbidden].tolist()}
    trees = [
        tree
        for tree in candidate_trees(parts, 0, shape)
        if all((head, word) in allowed for word, head in enumerate(tree, 1))
    ]
    if not trees:
        with pytest.raises(InfeasibleError):
            decode(ScoredSentence(parts, 0, scores, shape), "bp")
        return
    heads, _, _ = decode(ScoredSentence(parts, 0, scores, shape), "bp")
    assert any((heads == tree).all() for tree in trees)


def test_a_forbidden_arc_is_not_taken_for_one_that_nobody_believes_in(monkeypatch):
    # Beliefs that have run into 0 tell nothing; what is forbidden, scores do.
    parts = part_set([2], [[(0, 1), (2, 1), (0, 2), (1, 2)]])
    arcs = parts.arcs.rows.tolist()
    nothing = SimpleNamespace(arcs=np.zeros(4))
    monkeypatch.setattr("turbotree.parsing.decoding.part_marginals", lambda *_, **__: nothing)
    for forbidden, heads in (([0, 1], [2, 0]), ([0, 2], [0, 1])):
        scores = {name: np.zeros(len(parts[name].rows)) for name in FULL}
        scores["arc"][arcs.index(forbidden)] = -np.inf
        assert decode(ScoredSentence(parts, 0, scores, TreeShape()), "bp")[0].tolist() == heads


def test_candidates_without_a_tree_are_infeasible():
    parts = part_set([2], [[(1, 2), (2, 1)]])
    scores = {name: np.zeros(len(parts[name].rows)) for name in FULL}
    with pytest.raises(InfeasibleError):
        decode(ScoredSentence(parts, 0, scores, TreeShape()))


def test_families_come_in_their_usual_order_with_arcs_first():
    assert families_of("arc", ["head_bigram", "sibling"]) == ("arc", "sibling", "head_bigram")
    for families in MODELS.values():
        assert families == tuple(name for name in FAMILIES if name in families)


@pytest.mark.parametrize(
    ("model", "parts", "message"),
    [
        ("huge", None, "huge"),
        ("arc", ["cousin"], "cousin"),
        ("arc", ["grand_sibling"], "grand_sibling needs sibling and grandparent"),
        ("arc", ["grandparent", "tri_sibling"], "tri_sibling needs sibling"),
    ],
)
def test_unknown_models_and_parts_are_named(model, parts, message):
    with pytest.raises(InputError, match=message):
        families_of(model, parts)


def test_three_siblings_have_a_factor_where_they_score_something():
    words = 4
    arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    parts = part_set([words], [arcs], ("arc", "sibling", "tri_sibling"))
    scores = {name: np.zeros(len(parts[name].rows)) for name in ("arc", *parts.families)}
    rows = parts["tri_sibling"].rows
    # No part has neither an inner nor an outer sibling, so heads with one candidate have none.
    assert {(h, side) for h, _, _, _, side in rows.tolist()} == {
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 0),
        (4, 0),
    }
    for scored in ([], [0], [2, 4]):
        scores["tri_sibling"][:] = np.isin(rows[:, 0], scored)
        blocks = ScoredSentence(parts, 0, scores, TreeShape()).graph().blocks
        found = [block for block in blocks if block.kind is Kind.TRIPLE_AUTOMATON]
        assert sum(map(len, found)) == len(scored)
