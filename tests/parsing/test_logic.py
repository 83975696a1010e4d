"""The decomposition by logic and the linear programs of the papers, against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_cases import FULL, candidate_trees, cases, part_set
from oracles.trees import arcs_of

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Status
from turbotree.graphs.factors.blocks import Kind
from turbotree.parsing.arcs import TreeShape, best_trees
from turbotree.parsing.decoding import decode, logic_graph, solve_relaxation
from turbotree.parsing.decoding.commodities import commodities
from turbotree.parsing.parts import CLASSES, FAMILIES, ScoredSentence, families_of

NON_PROJECTIVE = st.builds(TreeShape, single_root=st.booleans(), projective=st.just(False))


def mixes(names):
    """Sets of families, each with those that it needs."""
    return st.sets(st.sampled_from([name for name in names if name != "arc"])).map(
        lambda chosen: families_of("arc", list(chosen.union(*(CLASSES[c].needs for c in chosen))))
    )


MIXES = mixes(FAMILIES)
#: As far as ADMM goes when it is asked for the optimum of the relaxation.
FAR = {"max_iterations": 20000, "residual_threshold": 1e-8}


def best_score(parts, scores, shape):
    return max(
        ScoredSentence(parts, 0, scores).score(tree) for tree in candidate_trees(parts, 0, shape)
    )


def close(value, scale=1e-5):
    return pytest.approx(value, rel=scale, abs=scale)


@given(st.data(), NON_PROJECTIVE)
@settings(max_examples=60)
def test_the_best_assignment_of_the_logic_is_the_best_tree(data, shape):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    best = best_score(parts, scores, shape)
    graph = logic_graph(ScoredSentence(parts, 0, scores, shape))
    solution = graph.solve("linear_program", exact=True)
    assert solution.value == close(best)
    arcs = solution.values[: len(parts.arcs.rows)]
    chosen = {tuple(row) for row in parts.arcs.rows[arcs].tolist()}
    assert any(chosen == set(arcs_of(tree)) for tree in candidate_trees(parts, 0, shape))


@given(cases(), NON_PROJECTIVE)
@settings(max_examples=10)
def test_the_logic_has_simple_factors_only(case, shape):
    parts, scores = case
    assert all(
        block.kind <= Kind.PAIR
        for block in logic_graph(ScoredSentence(parts, 0, scores, shape)).blocks
    )


@given(st.data(), NON_PROJECTIVE)
@settings(max_examples=40)
def test_the_linear_program_is_the_relaxation_of_the_logic(data, shape):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    graph = logic_graph(ScoredSentence(parts, 0, scores, shape))
    written = solve_relaxation(ScoredSentence(parts, 0, scores, shape))
    assert written.upper_bound == close(graph.solve("linear_program").upper_bound)
    assert written.upper_bound >= best_score(parts, scores, shape) - 1e-5


@given(cases(families=("arc", "sibling")), NON_PROJECTIVE)
@settings(max_examples=30)
def test_logic_and_automata_relax_siblings_alike(case, shape):
    parts, scores = case
    expected = solve_relaxation(ScoredSentence(parts, 0, scores, shape)).upper_bound
    tight = close(expected, 1e-3)
    assert ScoredSentence(parts, 0, scores, shape).graph().solve(
        "linear_program"
    ).upper_bound == close(expected)
    for write in (ScoredSentence.graph, logic_graph):
        assert (
            write(ScoredSentence(parts, 0, scores, shape)).solve("admm", **FAR).upper_bound == tight
        )


@given(st.data(), NON_PROJECTIVE)
@settings(max_examples=40)
def test_automata_and_chains_are_never_looser_than_logic(data, shape):
    """Automata of three siblings are omitted: with the others they share only arcs, not steps."""
    names = [name for name in FAMILIES if name != "tri_sibling"]
    parts, scores = data.draw(cases(families=data.draw(mixes(names))))
    structured = ScoredSentence(parts, 0, scores, shape).graph().solve("linear_program").upper_bound
    logic = solve_relaxation(ScoredSentence(parts, 0, scores, shape)).upper_bound
    assert logic >= structured - 1e-5 * max(1.0, abs(structured))


@given(st.data(), NON_PROJECTIVE)
@settings(max_examples=40)
def test_a_single_commodity_is_never_tighter_than_several(data, shape):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    several = solve_relaxation(ScoredSentence(parts, 0, scores, shape))
    single = solve_relaxation(ScoredSentence(parts, 0, scores, shape), single_commodity=True)
    assert single.upper_bound >= several.upper_bound - 1e-5 * max(1.0, abs(several.upper_bound))


def test_a_single_commodity_can_be_looser():
    """Two words of three like to head each other.

    They need two of the three units, which two thirds of a root arc can carry; so their own arcs
    may sum to 2 - 2/3, where a tree has one of them.
    """
    parts = part_set([3], [[(0, 1), (0, 2), (1, 2), (2, 1), (0, 3)]], ("arc",))
    scores = {"arc": (parts.arcs.rows[:, 0] > 0).astype(float)}
    shape = TreeShape(single_root=False)
    several = solve_relaxation(ScoredSentence(parts, 0, scores, shape))
    single = solve_relaxation(ScoredSentence(parts, 0, scores, shape), single_commodity=True)
    assert several.upper_bound == close(1.0)
    assert single.upper_bound == close(4 / 3)


@given(st.integers(1, 12), st.integers(0, 2**32), st.floats(0.2, 1.0), NON_PROJECTIVE)
@settings(max_examples=150)
def test_few_commodities_keep_arcs_in_the_hull_of_trees(words, seed, share, shape):
    """Over the hull, the program's optimum is the best tree's score, whatever the scores."""
    rng = np.random.default_rng(seed)
    backbone = {(m - 1, m) for m in range(1, words + 1)}
    arcs = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    kept = [arc for arc in arcs if arc in backbone or rng.random() < share]
    parts = part_set([words], [kept], ("arc",))
    # Deep arcs are liked better, so that the best heads alone often form cycles.
    scores = rng.normal(size=len(kept)) + 2.0 * (parts.arcs.rows[:, 0] > 0)
    heads = best_trees(parts.lengths, parts.arcs, scores, shape)
    best = ScoredSentence(parts, 0, {"arc": scores}).score(heads)
    assert solve_relaxation(ScoredSentence(parts, 0, {"arc": scores}, shape)).upper_bound == close(
        best
    )


def test_arcs_without_cycles_need_no_flow():
    assert commodities(3, [0, 0, 1, 2], [1, 2, 2, 3]).flows == 0


@given(st.data(), NON_PROJECTIVE)
@settings(max_examples=25)
def test_decoders_with_logic_give_trees_and_claim_only_what_is_true(data, shape):
    parts, scores = data.draw(cases(families=data.draw(MIXES)))
    best = best_score(parts, scores, shape)
    trees = candidate_trees(parts, 0, shape)
    for decoder in ("admm", "exact", "lp", "lp-single", "ilp"):
        heads, score, known = decode(
            ScoredSentence(parts, 0, scores, shape), decoder, decomposition="logic"
        )
        assert any((heads == tree).all() for tree in trees)
        assert score == close(ScoredSentence(parts, 0, scores).score(heads))
        assert known.bound >= best - 1e-5 * max(1.0, abs(best))
        if decoder in ("exact", "ilp"):
            assert known.status is Status.OPTIMAL
        if known.status is Status.OPTIMAL:
            assert score == close(best)


def test_one_word_hangs_from_the_root():
    parts = part_set([1], [[(0, 1)]])
    scores = {name: np.ones(len(parts[name].rows)) for name in FULL}
    for decoder in ("admm", "lp", "lp-single", "ilp"):
        heads, score, known = decode(
            ScoredSentence(parts, 0, scores, TreeShape()), decoder, decomposition="logic"
        )
        # The arc, and its row of siblings: none before it, none after it.
        assert (heads.tolist(), score, known.status) == ([0], 3.0, Status.OPTIMAL)


@pytest.mark.parametrize(
    ("decoder", "decomposition", "shape", "message"),
    [
        ("admm", "logic", TreeShape(projective=True), "projective"),
        ("lp", "logic", TreeShape(projective=True), "projective"),
        ("lp-single", None, TreeShape(projective=True), "projective"),
        ("lp-single", "structured", TreeShape(), "lp-single"),
        ("bp", "logic", TreeShape(), "bp"),
        ("admm", "poetry", TreeShape(), r"poetry.*structured"),
    ],
)
def test_what_cannot_be_decomposed_is_refused(decoder, decomposition, shape, message):
    parts = part_set([1], [[(0, 1)]])
    scores = {name: np.zeros(len(parts[name].rows)) for name in FULL}
    with pytest.raises(InputError, match=message):
        decode(ScoredSentence(parts, 0, scores, shape), decoder, decomposition=decomposition)


@pytest.mark.parametrize("decoder", ["admm", "lp", "lp-single", "ilp"])
def test_candidates_without_a_tree_are_infeasible_for_flows(decoder):
    parts = part_set([2], [[(1, 2), (2, 1)]])
    scores = {name: np.zeros(len(parts[name].rows)) for name in FULL}
    with pytest.raises(InfeasibleError):
        decode(ScoredSentence(parts, 0, scores, TreeShape()), decoder, decomposition="logic")
