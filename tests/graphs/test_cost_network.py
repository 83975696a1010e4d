"""The search of cost function networks, which follows when the first relaxation leaves a gap.

One round of ADMM closes next to no gap, so that the network has to.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import ALL_KINDS, random_graph
from oracles.optima import optima, parsing_graph, scaled

from turbotree.arrays import FloatArray
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Kind, Solution, Status, branch_and_bound, brute_force
from turbotree.parsing import decode

#: The other kind has no translation and keeps the search on relaxations.
KINDS = tuple(kind for kind in ALL_KINDS if kind is not Kind.TRIPLE_AUTOMATON)

seeds = st.integers(0, 2**32 - 1)


def search(graph: FactorGraph, **options: object) -> Solution:
    return branch_and_bound(graph, max_rounds_per_node=1, **options)  # type: ignore[arg-type]


def best_of(graph: FactorGraph) -> float:
    try:
        return brute_force(graph).value
    except InfeasibleError:
        return -np.inf


def assert_proven(graph: FactorGraph, best: float, scale: float = 1.0) -> None:
    if best == -np.inf:
        with pytest.raises(InfeasibleError):
            search(graph)
        return
    found = search(graph)
    assert found.status is Status.OPTIMAL
    slack = 2 * found.tolerance + 1e-12 * abs(best)
    assert best - slack <= found.value <= best + 1e-12 * max(abs(best), scale)
    assert found.value <= found.upper_bound
    assert best - 1e-12 * max(abs(best), scale) <= found.upper_bound <= best + slack
    assert graph.value(found.values) == pytest.approx(found.value, rel=1e-12, abs=1e-12 * scale)


@settings(max_examples=300, deadline=None)
@given(seeds)
def test_graphs_of_all_kinds_have_the_optimum_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, KINDS, factors=int(rng.integers(1, 12)))
    assert_proven(graph, best_of(graph))


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(KINDS))
def test_each_kind_has_a_translation(seed, kind):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, [kind, Kind.PAIR, Kind.PAIR], factors=8, negated=0.5)
    assert_proven(graph, best_of(graph))


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([1e-9, 1e-4, 1e4, 1e12]))
def test_the_unit_of_scores_does_not_matter(seed, factor):
    graph = random_graph(np.random.default_rng(seed), KINDS, factors=6)
    changed = scaled(graph, factor)
    assert_proven(changed, best_of(changed), factor)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([-1e4, -1e9, -1e300, -np.inf]))
def test_masks_are_obeyed(seed, mask):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, KINDS, factors=6, evidence=0.0)
    graph.set_scores(mask, variables=rng.permutation(len(graph))[:3])
    best = best_of(graph)
    if best > -1e4 / 2:
        assert_proven(graph, best)
    elif best > -np.inf:  # a mask that cannot be avoided
        found = search(graph)
        assert found.value == pytest.approx(best, rel=1e-6)
        assert found.upper_bound >= best * (1 + 1e-12)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_constants_do_not_matter(seed):
    # The same for each arc into a word: a constant of all trees, far larger than the scores.
    rng = np.random.default_rng(seed)
    graph = parsing_graph(seed % 1000, words=4, pairs=20)
    heads = np.array([(h, m) for m in range(1, 5) for h in range(5) if h != m])[:, 1]
    shift = 1e7 * rng.normal(size=5)
    best = best_of(graph) + shift[1:].sum()
    graph.set_scores(graph.scores + shift[heads])
    assert search(graph).value == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_any_shape_are_those_of_the_exact_program(seed):
    graph = parsing_graph(seed, words=7, pairs=200, strength=1.5)
    assert_proven(graph, optima(graph).exact)


def loose_parse(seed: int, words: int = 13) -> FactorGraph:
    """Arcs and pairs of random scores: the relaxation is far off."""
    return parsing_graph(3 * seed, words=words, pairs=1800, strength=1.0)


def automata(seed: int, words: int, *, both: bool = False) -> FactorGraph:
    """Trees with random scores of siblings and grandparents, and of both together if asked for."""
    rng = np.random.default_rng(seed)
    pairs = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=len(pairs)))
    arc = dict(zip(pairs, xs.tolist(), strict=True))
    graph.tree([h for h, _ in pairs], [m for _, m in pairs], xs)
    graph.siblings([arc[0, m] for m in range(1, words + 1)], rng.normal(size=(words + 1,) * 2))
    for h in range(1, words + 1):
        above = [arc[g, h] for g in range(words + 1) if g != h]
        for side in (range(h - 1, 0, -1), range(h + 1, words + 1)):
            if not side:
                continue
            width = len(side) + 1
            graph.grandparent_siblings(
                above,
                [arc[h, m] for m in side],
                sibling_scores=rng.normal(size=(width, width)),
                grandparent_scores=rng.normal(size=(words, len(side))),
                grandsibling_scores=rng.normal(size=(words, width, width)) if both else None,
            )
    return graph


def test_a_node_is_closed_by_a_better_assignment_that_is_found_while_it_is_open():
    # Local search finds one after a hundred nodes that beats the bound of the node at hand.
    graph = automata(869, words=9)
    assert_proven(graph, optima(graph).exact)


@pytest.mark.parametrize("seed", range(6))
def test_automata_have_the_optimum_of_the_exact_program(seed):
    graph = automata(seed, words=5, both=seed % 2 == 1)
    assert_proven(graph, optima(graph).exact)


@pytest.mark.parametrize("seed", range(4))
def test_rules_over_automata_are_obeyed(seed):
    rng = np.random.default_rng(seed)
    graph = automata(seed, words=5)
    for _ in range(4):
        some = [int(x) for x in rng.permutation(len(graph))[:3]]
        graph.implies(some[0], some[1])
        graph.not_all(some)
    assert_proven(graph, optima(graph).exact)


def test_a_search_among_automata_that_is_stopped_keeps_a_true_bound():
    for seed in range(3):
        graph = automata(seed, words=12)
        best = branch_and_bound(graph).value
        for nodes in (2, 3, 5):
            found = search(graph, max_nodes=nodes)
            assert found.iterations <= nodes
            assert found.value <= best + found.tolerance
            assert found.upper_bound >= best - 1e-9
            assert graph.value(found.values) == pytest.approx(found.value)


@pytest.mark.parametrize("nodes", [2, 3, 5, 8])
def test_a_search_that_is_stopped_keeps_a_true_bound(nodes):
    for seed in range(3):
        graph = loose_parse(seed)
        best = branch_and_bound(graph).value
        found = search(graph, max_nodes=nodes)
        assert found.iterations <= nodes
        assert found.value <= best + found.tolerance
        assert found.upper_bound >= best - 1e-9
        assert graph.value(found.values) == pytest.approx(found.value)
        assert (found.status is Status.OPTIMAL) == (found.gap <= found.tolerance)


def test_the_bound_closes_in_with_the_nodes():
    found = search(loose_parse(1), trace=True)
    rows = found.trace
    assert found.status is Status.OPTIMAL
    assert rows.iteration.tolist() == list(range(1, found.iterations + 1))
    assert found.iterations > 2
    assert (np.diff(rows.upper_bound) <= 0).all()
    assert (np.diff(rows.value) >= 0).all()
    assert (rows.upper_bound >= rows.value).all()
    assert rows.value[-1] == found.value


def grandparent_scores(seed: int, words: int, scale: float) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    arcs = rng.normal(size=(words + 1, words + 1))
    return arcs, scale * rng.normal(size=(words + 1,) * 3)


def pairs_of_grandparents(arcs: FloatArray, scores: FloatArray) -> FactorGraph:
    """Write all arcs and grandparents with PAIR factors."""
    words = len(arcs) - 1
    rows = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    number = {arc: i for i, arc in enumerate(rows)}
    pairs = [
        (number[g, h], i, scores[g, h, m])
        for (h, m), i in number.items()
        for g in range(words + 1)
        if g != m and (g, h) in number
    ]
    graph = FactorGraph()
    heads, modifiers = np.array(rows).T
    variables = graph.variables(arcs[heads, modifiers])
    graph.tree(heads, modifiers, variables, words=words, single_root=False)
    above, below, own = zip(*pairs, strict=True)
    graph.pair(above, below, own)
    return graph


def assert_pairs_and_automata_agree(seed: int, words: int) -> None:
    arcs, scores = grandparent_scores(seed, words, 30.0)
    best = decode(arcs, grandparent_scores=scores, single_root=False, decoder="exact").score
    found = pairs_of_grandparents(arcs, scores).solve("branch_and_bound")
    assert found.status is Status.OPTIMAL
    assert found.value == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(("seed", "words"), [(0, 6), (1, 9), (2, 12)])
def test_pairs_and_automata_of_grandparents_agree(seed, words):
    assert_pairs_and_automata_agree(seed, words)


def test_pairs_may_have_far_larger_scores_than_variables():
    # Costs of a network are rounded as finely as the size of the optimum asks for: finer, and these
    # would not fit. ADMM's bound is 50 times the optimum here after its first rounds.
    graph = pairs_of_grandparents(*grandparent_scores(0, 20, 100.0))
    found = graph.solve("branch_and_bound", max_nodes=3)
    assert found.value == pytest.approx(graph.value(found.values), rel=1e-12)
    assert found.value < found.upper_bound < 1.5 * found.value


def test_a_subproblem_is_closed_when_something_better_is_found_elsewhere():
    # The search once went on below such subproblems, and wrote outside its memory.
    assert_pairs_and_automata_agree(16, 15)


def test_a_value_that_only_an_infinite_score_forbids_is_avoided():
    graph = FactorGraph()
    states = graph.variables(np.array([[3.0, 0.0], [3.0, 0.0], [3.0, 0.0]]))
    for i, j in ((0, 1), (1, 2), (0, 2)):
        graph.table([states[i], states[j]], [[-np.inf, 0.0], [0.0, -np.inf]])
    with pytest.raises(InfeasibleError):  # three that all differ, of two states
        search(graph)


def test_a_large_table_is_left_to_relaxations():
    rng = np.random.default_rng(5)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=10))
    graph.table([[x] for x in xs[:9]], rng.normal(size=(2,) * 9))  # 512 combinations
    graph.pair(xs[:-1], xs[1:], rng.normal(size=9))
    assert search(graph).value == pytest.approx(brute_force(graph).value)


def test_the_same_answer_each_time():
    graph = loose_parse(2)
    first, second = search(graph), search(graph)
    assert first.iterations == second.iterations
    assert first.values.tolist() == second.values.tolist()
