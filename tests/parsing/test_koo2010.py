"""The preset koo2010 against the algorithm of the paper, written out literally."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.koo2010 import ALPHA, Koo
from oracles.part_cases import candidate_trees, cases, part_set
from oracles.parts import NONE

from turbotree.errors import InputError
from turbotree.graphs import FactorGraph, Kind, Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding import decode
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.both_sides import heads_graph

ROUNDS = 50
ANY_ROOTS = TreeShape(single_root=False)
PARTS = [("arc", "sibling"), ("arc", "sibling", "grandparent")]


def all_arcs(words):
    return [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]


def sentence(words, families, rng):
    """A sentence with random scores that like many arcs, so that heads and tree disagree."""
    parts = part_set([words], [all_arcs(words)], families)
    scores = {name: 3.0 + rng.normal(size=len(parts[name].rows)) for name in families}
    return ScoredSentence(parts, 0, scores, ANY_ROOTS)


def literal(scored):
    """Hand a sentence's scores to the oracle: example 1 of the paper, or 3 with grandparents."""
    tables = {
        name: dict(zip(map(tuple, scored.parts[name].rows.tolist()), own, strict=True))
        for name, own in scored.scores.items()
    }
    arcs, grandparents = tables["arc"], tables.get("grandparent")

    def f(i, modifiers, above):
        total = 0.0
        for side in {int(j > i) for h, j in arcs if h == i}:
            there = [j for j in modifiers if (j > i) == bool(side)]
            row = [NONE, *sorted(there, key=lambda j: abs(j - i)), NONE]
            total += sum(tables["sibling"][i, a, b, side] for a, b in itertools.pairwise(row))
        if above is not None:  # no tree has a word above and below another: no score for that
            total += sum(grandparents.get((above, i, j), 0.0) for j in modifiers)
        return total

    return Koo(scored.words, arcs, f, grandparents is not None)


def example_3(words, rng):
    """A grandparent model in general form, with transitions from START to END too.

    Without these, heads that have no modifiers leave it open which of several heads of their own
    they choose.
    """
    rows = np.array(all_arcs(words))
    graph, scores = FactorGraph(), 3.0 + rng.normal(size=len(rows))
    graph.variables(scores)
    graph.tree(rows[:, 0], rows[:, 1], np.arange(len(rows)), single_root=False)
    transitions = {}
    for i in range(words + 1):
        below, above = np.flatnonzero(rows[:, 0] == i), np.flatnonzero(rows[:, 1] == i)
        size = len(below) + 1
        transitions[i] = rng.normal(size=(max(1, len(above)), size, size))
        if i == 0:
            graph.siblings(below, transitions[i][0])
        else:
            graph.grandparent_siblings(above, below, grandsibling_scores=transitions[i])

    def f(i, modifiers, above):
        order = rows[rows[:, 0] == i, 1].tolist()
        steps = [0, *(order.index(j) + 1 for j in modifiers), len(order) + 1]
        own = 0 if above is None else rows[rows[:, 1] == i, 0].tolist().index(above)
        return sum(transitions[i][own][a, b - 1] for a, b in itertools.pairwise(steps))

    arcs = dict(zip(map(tuple, rows.tolist()), scores, strict=True))
    return graph, Koo(words, arcs, f, True)


def shares_of(graph, link_scores):
    """Give the shares of each arc by the role of the link: of a tree, a modifier, a head."""
    found, first = {}, 0
    for block in graph.blocks:
        for factor in map(block.factor, range(len(block))):
            heads = factor.shape[0] if factor.kind is Kind.GRANDPARENT_AUTOMATON else 0
            for place, arc in enumerate(factor.variables.tolist()):
                role = "tree" if factor.kind is Kind.TREE else "modifier"
                found["head" if place < heads else role, arc] = link_scores[first + place]
            first += len(factor.variables)
    return found


def check_rounds(graph, koo):
    """Compare every round until two answers tie; return how many were compared."""
    records, (u, v) = koo.run(ROUNDS)
    count = next((k for k, one in enumerate(records) if one.tied), len(records))
    found = graph.solve("koo2010", max_iterations=count, trace=True)
    assert found.iterations == count
    if count == 0:
        return 0
    duals = np.minimum.accumulate([one.dual for one in records[:count]])
    values = np.maximum.accumulate([one.value for one in records[:count]])
    np.testing.assert_allclose(found.trace.upper_bound, duals, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.trace.value, values, rtol=0, atol=1e-9)
    assert (found.status is Status.OPTIMAL) == records[count - 1].agreed
    for k in sorted({1, 2, 3, 7, 20, count} & set(range(count + 1))):
        after = (records[k].u, records[k].v) if k < len(records) else (u, v)
        solution = graph.solve("koo2010", max_iterations=k)
        shares = shares_of(graph, solution.warm_start.link_scores)
        for number, (arc, theta) in enumerate(koo.arcs.items()):
            u_arc, v_arc = (table[arc] for table in after)
            expected = {"tree": ALPHA * theta + u_arc + v_arc}
            expected["modifier"] = (1.0 - ALPHA) * theta - u_arc
            if ("head", number) in shares:
                expected["head"] = -v_arc
            for role, share in expected.items():
                assert shares[role, number] == pytest.approx(share, rel=0, abs=1e-9)
    return count


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), words=st.integers(1, 4))
def test_the_sibling_model_has_the_multipliers_of_figure_1(seed, words):
    scored = sentence(words, PARTS[0], np.random.default_rng(seed))
    koo = literal(scored)
    assert check_rounds(heads_graph(scored), koo) == len(koo.run(ROUNDS)[0])


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), words=st.integers(2, 4))
def test_the_grandparent_model_has_the_multipliers_of_figure_2(seed, words):
    graph, koo = example_3(words, np.random.default_rng(seed))
    check_rounds(graph, koo)


def test_some_grandparent_models_go_on_for_all_rounds():
    counts = [check_rounds(*example_3(4, np.random.default_rng(seed))) for seed in range(4)]
    assert counts.count(ROUNDS) >= 2


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), words=st.integers(2, 4))
def test_parsers_with_grandparents_do_the_same_until_answers_tie(seed, words):
    scored = sentence(words, PARTS[1], np.random.default_rng(seed))
    check_rounds(heads_graph(scored), literal(scored))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(PARTS), st.booleans(), st.data())
def test_heads_have_the_scores_of_trees_and_agreement_is_a_proof(families, single_root, data):
    parts, scores = data.draw(cases(families=families, most=3))
    shape = TreeShape(single_root=single_root)
    for index in range(len(parts.lengths)):
        own = {name: scores[name][family.places(index)] for name, family in parts.items()}
        scored = ScoredSentence(parts, index, own, shape)
        graph = heads_graph(scored)
        trees = candidate_trees(parts, index, shape)
        for tree in trees[:5]:
            arcs = parts.indicators(index, tree)["arc"]
            assert graph.value(arcs) == pytest.approx(scored.score(tree))
        best = max(map(scored.score, trees))
        found = decode(scored, "koo2010", max_iterations=200)
        assert found.score <= best + 1e-9
        assert found.certificate.bound >= best - 1e-7
        if found.certificate.status is Status.OPTIMAL:
            assert found.score == pytest.approx(best, abs=1e-7)


def test_nothing_but_agreement_is_a_proof():
    """Two factors choose one of the same two, which are worth the same; each takes its first."""
    graph = FactorGraph()
    a, b = graph.variables([0.0, 0.0])
    graph.exactly_one([a, b])
    graph.exactly_one([b, a])
    assert graph.solve("subgradient").status is Status.OPTIMAL
    found = graph.solve("koo2010", max_iterations=7)
    assert (found.status, found.iterations) == (Status.LIMIT, 7)
    assert found.value == found.upper_bound == 0.0


def test_only_koos_steps_are_literal():
    graph = FactorGraph()
    graph.exactly_one(graph.variables([1.0, 2.0]))
    with pytest.raises(InputError, match="literal: the paper's step is 'koo' or a number"):
        graph.solve("koo2010", step="polyak")
    with pytest.raises(InputError, match=r"tree_share: expected a number from 0 to 1, got 1\.5"):
        graph.solve("koo2010", tree_share=1.5)
    assert graph.solve("koo2010").value == 2.0
