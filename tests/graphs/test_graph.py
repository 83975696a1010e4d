"""Building graphs: what stands in the blocks, what is refused, what an assignment is worth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.graphs import ALL_KINDS, graphs

import turbotree as tt
from turbotree.errors import InputError
from turbotree.graphs import FactorGraph, Kind


@pytest.fixture
def graph() -> FactorGraph:
    """Ten variables."""
    made = FactorGraph()
    made.variables(np.arange(10) / 10)
    return made


def block_of(graph: FactorGraph, kind: Kind):
    return next(block for block in graph.blocks if block.kind is kind)


def test_the_graph_is_on_the_package_face():
    assert tt.FactorGraph is FactorGraph
    assert tt.graphs.FactorGraph is FactorGraph


# Variables


def test_handles_have_the_shape_of_the_scores():
    graph = FactorGraph()
    grid = graph.variables(np.zeros((2, 3)))
    assert grid.dtype == np.int64
    assert grid.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert graph.variable(2.5) == 6
    assert graph.scores.tolist() == [0.0] * 6 + [2.5]
    assert len(graph) == 7


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_that_are_no_numbers_are_refused(score):
    graph = FactorGraph()
    with pytest.raises(InputError, match="finite"):
        graph.variables([0.0, score])
    with pytest.raises(InputError, match="finite"):
        graph.variable(score)
    assert len(graph) == 0


def test_names_are_those_given_or_numbers():
    graph = FactorGraph()
    graph.variable()
    graph.variables([0, 0], names=["a", "b"])
    assert graph.names == ["x0", "a", "b"]
    with pytest.raises(InputError, match="expected 2 names, got 1"):
        graph.variables([0, 0], names=["c"])
    assert len(graph) == 3


def test_the_users_arrays_are_copied_and_the_graphs_are_read_only(graph):
    scores = np.ones(3)
    graph.variables(scores)
    xs, own = np.array([0, 1]), np.ones((3, 3))
    graph.siblings(xs, own)
    scores[:], xs[:], own[:] = 7.0, 5, 9.0
    assert graph.scores[-3:].tolist() == [1.0, 1.0, 1.0]
    block = block_of(graph, Kind.HEAD_AUTOMATON)
    assert block.variables.tolist() == [0, 1]
    assert block.scores.max() == 1.0
    for array in (graph.scores, graph.evidence, block.variables, block.scores, block.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_evidence_takes_literals_and_arrays(graph):
    graph.fix(0)
    graph.fix(~1)
    graph.fix([2, ~3, 4], [False, False, True])
    assert graph.evidence[:6].tolist() == [1, 0, 0, 1, 1, -1]
    graph.fix(0, False)
    graph.unfix([~1, 2])
    assert graph.evidence[:6].tolist() == [0, -1, -1, 1, 1, -1]
    graph.unfix()
    assert (graph.evidence == -1).all()


def test_variables_added_after_evidence_are_free(graph):
    graph.fix(0)
    graph.variables([1.0])
    assert graph.evidence.tolist() == [1] + [-1] * 10


@pytest.mark.parametrize(
    ("x", "value", "message"),
    [([0, ~0], True, "both"), (10, True, "0 to 9"), (0, 2, "True or False"), ([0, 1], [1], None)],
)
def test_evidence_that_makes_no_sense_is_refused(graph, x, value, message):
    if message is None:
        graph.fix(x, value)
        assert graph.evidence[:2].tolist() == [1, 1]
        return
    with pytest.raises(InputError, match=message):
        graph.fix(x, value)
    assert (graph.evidence == -1).all()


def test_a_copy_is_independent(graph):
    graph.exactly_one([0, 1])
    other = graph.copy()
    other.exactly_one([2, 3])
    other.fix(0)
    other.set_scores(5.0, variables=1)
    assert (graph.factor_count, other.factor_count) == (1, 2)
    assert graph.evidence[0] == -1
    assert graph.scores[1] == 0.1


# Blocks


def test_blocks_have_the_types_of_the_contract(graph):
    graph.exactly_one([0, ~1, 2])
    graph.at_most([[0, 1], [~2, 3]], [1, 2])
    graph.pair([0, 1], [2, 3], [0.5, -0.5])
    types = {
        "offsets": np.int64,
        "variables": np.int32,
        "negated": np.uint8,
        "score_offsets": np.int64,
        "scores": np.float64,
        "shape_offsets": np.int64,
        "shapes": np.int32,
    }
    assert [block.kind for block in graph.blocks] == [Kind.XOR, Kind.BUDGET, Kind.PAIR]
    for block in graph.blocks:
        for name, dtype in types.items():
            array = getattr(block, name)
            assert array.dtype == dtype, name
            assert array.flags.c_contiguous
    xor, budget, pair = graph.blocks
    assert (xor.offsets.tolist(), xor.variables.tolist()) == ([0, 3], [0, 1, 2])
    assert xor.negated.tolist() == [0, 1, 0]
    assert len(xor.score_offsets) == len(xor.shape_offsets) == 0
    assert (budget.shapes.tolist(), budget.shape_offsets.tolist()) == ([1, 2], [0, 1, 2])
    assert (pair.scores.tolist(), pair.score_offsets.tolist()) == ([0.5, -0.5], [0, 1, 2])


def test_single_bulk_and_ragged_insertion_agree():
    made = []
    for way in ("single", "bulk", "ragged"):
        graph = FactorGraph()
        graph.variables(np.zeros(8))
        rows, outputs, costs = [[0, ~1, 2], [3, 4, ~0]], [7, ~6], [[1, 2, 3], [4, 5, 6]]
        if way == "single":
            for row, y, cost, limit in zip(rows, outputs, costs, [3, 9], strict=True):
                graph.exactly_one(row)
                graph.define_or(y, row)
                graph.knapsack(row, cost, limit)
        else:
            xs, prices, more = rows, costs, {}
            if way == "ragged":
                xs, prices = np.ravel(rows), np.ravel(costs)
                more = {"offsets": [0, 3, 6]}
            graph.exactly_one(xs, **more)
            graph.define_or(outputs, xs, **more)
            graph.knapsack(xs, prices, [3, 9], **more)
        made.append([_lists(block) for block in graph.blocks])
    assert made[0] == made[1] == made[2]
    assert made[0][1]["variables"] == [0, 1, 2, 7, 3, 4, 0, 6]
    assert made[0][2]["shapes"] == [3, 1, 2, 3, 9, 4, 5, 6]


def test_structured_factors_agree_in_all_ways_of_insertion():
    rng = np.random.default_rng(0)
    sib, grand, both = rng.normal(size=(2, 4, 4)), rng.normal(size=(2, 2, 3)), None
    both = rng.normal(size=(2, 2, 4, 4))
    triples = rng.normal(size=(2, 3, 3, 3))
    into, out = np.array([[0, 1], [~2, 3]]), np.array([[4, 5, ~6], [7, 8, 9]])
    arcs = np.array([(0, 1), (0, 2), (1, 2), (2, 1)])
    xs = np.array([[0, 1, 2, 3], [4, ~5, 6, 7]])
    made = []
    for way in ("single", "bulk", "ragged"):
        graph = FactorGraph()
        graph.variables(np.zeros(10))
        heads, modifiers = np.tile(arcs[:, 0], (2, 1)), np.tile(arcs[:, 1], (2, 1))
        if way == "single":
            for f in range(2):
                graph.siblings(out[f], sib[f])
                graph.tri_siblings(out[f], triples[f])
                graph.grandparent_siblings(into[f], out[f], sib[f], grand[f], both[f])
                graph.tree(heads[f], modifiers[f], xs[f], projective=True, single_root=False)
        elif way == "bulk":
            graph.siblings(out, sib)
            graph.tri_siblings(out, triples)
            graph.grandparent_siblings(into, out, sib, grand, both)
            graph.tree(heads, modifiers, xs, projective=True, single_root=False)
        else:
            ends = ([0, 2, 4], [0, 3, 6])
            graph.siblings(out.ravel(), sib.ravel(), offsets=ends[1])
            graph.tri_siblings(out.ravel(), triples.ravel(), offsets=ends[1])
            graph.grandparent_siblings(
                into.ravel(), out.ravel(), sib.ravel(), grand.ravel(), both.ravel(), offsets=ends
            )
            graph.tree(
                heads.ravel(),
                modifiers.ravel(),
                xs.ravel(),
                projective=True,
                single_root=False,
                offsets=[0, 4, 8],
            )
        made.append([_lists(block) for block in graph.blocks])
    assert made[0] == made[1] == made[2]
    assert made[0][0]["shapes"][:10] == [2, 1, 0, 1, 0, 2, 1, 2, 2, 1]


def test_ragged_grandparents_keep_each_factor_together():
    graph = FactorGraph()
    graph.variables(np.zeros(8))
    # G = 1, K = 2 and G = 2, K = 1; numbers tell where each score came from.
    graph.grandparent_siblings(
        [0, 1, 2],
        [3, 4, 5],
        np.concatenate((np.arange(9.0), 100 + np.arange(4.0))),
        [50, 51, 60, 61],
        offsets=([0, 1, 3], [0, 2, 3]),
    )
    block = graph.blocks[0]
    assert block.variables.tolist() == [0, 3, 4, 1, 2, 5]
    assert block.offsets.tolist() == [0, 3, 6]
    assert block.shapes.tolist() == [1, 2]
    assert block.score_offsets.tolist() == [0, 11, 17]
    first = [0, 1, 2, 0, 4, 5, 0, 0, 8, 50, 51]  # below the diagonal nothing is read
    assert block.scores.tolist() == [*first, 100, 101, 0, 103, 60, 61]


def test_tables_and_chains_agree_alone_and_in_bulk():
    rng = np.random.default_rng(1)
    table, steps = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 1, 2, 2))
    states, flag = np.array([[0, 1, 2], [3, ~4, 5]]), np.array([6, ~7])
    nodes = np.array([[[0, 1], [2, 3]], [[4, 5], [6, ~7]]])
    made = []
    for bulk in (False, True):
        graph = FactorGraph()
        graph.variables(np.zeros(8))
        if bulk:
            graph.table([states, flag], table)
            graph.chain(nodes, steps)
        else:
            for f in range(2):
                graph.table([states[f], flag[f]], table[f])
                graph.chain(list(nodes[f]), steps[f])
        made.append([_lists(block) for block in graph.blocks])
    assert made[0] == made[1]
    assert made[0][0]["shapes"] == [3, 1, 3, 1]
    assert made[0][1]["shapes"] == [2, 2, 2, 2]


def test_a_forbidden_pair_is_a_nand(graph):
    graph.pair([0, 1, 2], [3, 4, ~5], [1.0, -np.inf, 2.0])
    nand, pair = graph.blocks
    assert (nand.kind, nand.variables.tolist()) == (Kind.NAND, [1, 4])
    assert (pair.variables.tolist(), pair.scores.tolist()) == ([0, 3, 2, 5], [1.0, 2.0])


def test_no_factors_at_all_is_a_bulk_insertion_too(graph):
    graph.exactly_one(np.zeros((0, 3), dtype=int))
    graph.implies(np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    graph.at_least_one(np.zeros(0, dtype=int), offsets=[0])
    graph.pair([], [], [])
    assert graph.factor_count == 0
    assert graph.blocks == ()


def _lists(block):
    return {name: getattr(block, name).tolist() for name in block.__slots__[1:-1]}


# Errors

NAN = math.nan
WRONG = {
    "empty factor": (lambda g: g.exactly_one([]), "at least one variable"),
    "empty factors": (lambda g: g.not_all(np.zeros((2, 0), int)), "at least one variable"),
    "empty ragged": (lambda g: g.at_most_one([0, 1], offsets=[0, 0, 2]), "factor 0"),
    "twice": (lambda g: g.exactly_one([3, 1, 3]), "variable 3 stands more than once"),
    "twice in one of many": (lambda g: g.not_all([[0, 1], [2, 2]]), "factor 1: variable 2"),
    "twice ragged": (lambda g: g.not_all([0, 1, 4, 2, 4], offsets=[0, 2, 5]), "factor 1.* 4 "),
    "with its negation": (lambda g: g.at_least_one([1, ~1]), "more than once"),
    "output is input": (lambda g: g.define_or(1, [0, 1]), "more than once"),
    "implies itself": (lambda g: g.implies(2, ~2), "more than once"),
    "pair with itself": (lambda g: g.pair(2, 2, 1.0), "more than once"),
    "forbidden with itself": (lambda g: g.pair([0, 2], [1, 2], [1, -np.inf]), "more than once"),
    "unknown": (lambda g: g.exactly_one([0, 10]), "0 to 9.*got 10"),
    "unknown negated": (lambda g: g.exactly_one([0, ~12]), "got ~12"),
    "huge": (lambda g: g.exactly_one(np.array([2**64 - 1], dtype=np.uint64)), "too large"),
    "floats": (lambda g: g.exactly_one([0.5, 1.0]), "float64"),
    "booleans": (lambda g: g.exactly_one([True, False]), "bool"),
    "words": (lambda g: g.exactly_one(["a"]), "whole numbers"),
    "lists of lists": (lambda g: g.exactly_one([[0, 1], [2]]), "offsets="),
    "three axes": (lambda g: g.exactly_one(np.zeros((1, 1, 1), int)), r"\(F, K\)"),
    "scalar": (lambda g: g.exactly_one(3), r"got \(\)"),
    "offsets end": (lambda g: g.exactly_one([0, 1], offsets=[0, 1]), "expected 0 to 2"),
    "offsets type": (lambda g: g.exactly_one([0, 1], offsets=[0.0, 2.0]), "whole numbers"),
    "offsets with 2-D": (lambda g: g.exactly_one([[0, 1]], offsets=[0, 2]), "flat"),
    "outputs": (lambda g: g.define_or([0, 1], [2, 3]), "each of 1 factors"),
    "unequal pairs": (lambda g: g.implies([0, 1], [2, 3, 4]), r"\(2,\) and \(3,\)"),
    "pair scores": (lambda g: g.pair([0, 1], [2, 3], [1, 2, 3]), r"shape \(2,\), got \(3,\)"),
    "NaN pair": (lambda g: g.pair(0, 1, NAN), "finite"),
    "budget": (lambda g: g.at_most([0, 1], -1), "whole numbers"),
    "half a budget": (lambda g: g.at_most([0, 1], 0.5), "got 0.5"),
    "budgets": (lambda g: g.at_most([0, 1], [1, 1]), "each of 1 factors"),
    "negative cost": (lambda g: g.knapsack([0, 1], [1, -1], 3), "got -1"),
    "cost of a half": (lambda g: g.knapsack([0, 1], [1, 1.5], 3), "got 1.5"),
    "NaN cost": (lambda g: g.knapsack([0, 1], [1, NAN], 3), "got nan"),
    "costs": (lambda g: g.knapsack([0, 1], [1, 2, 3], 3), r"\(2,\) like xs, got \(3,\)"),
    "limit": (lambda g: g.knapsack([0, 1], [1, 2], -3), "limit"),
    "table": (lambda g: g.table([[0, 1], 2], np.zeros((2, 3))), r"\(2, 2\), got \(2, 3\)"),
    "table NaN": (lambda g: g.table([[0, 1]], [0, NAN]), "finite"),
    "no table": (lambda g: g.table([], 0.0), "at least one variable"),
    "empty group": (lambda g: g.table([[0, 1], []], np.zeros((2, 0))), "group 1 is empty"),
    "arc outside": (lambda g: g.tree([0, 3], [1, 2], [0, 1]), "3 -> 2.*outside"),
    "arc to the root": (lambda g: g.tree([0, 1], [1, 0], [0, 1]), "into the root"),
    "loop": (lambda g: g.tree([0, 1], [1, 1], [0, 1]), "loop"),
    "arc twice": (lambda g: g.tree([0, 0], [1, 1], [0, 1]), "arc 1 .*twice"),
    "orphan": (lambda g: g.tree([0, 0], [1, 3], [0, 1]), "word 2 of 3 has no candidate"),
    "last orphan": (lambda g: g.tree([0, 0], [1, 2], [0, 1], words=3), "word 3 of 3"),
    "arcs": (lambda g: g.tree([0], [1, 2], [0, 1]), r"heads.*\(2,\) like xs"),
    "second tree": (
        lambda g: g.tree([[0, 1], [0, 2]], [[1, 2], [1, 2]], [[0, 1], [2, 3]]),
        "arc 3 .*loop",
    ),
    "siblings": (lambda g: g.siblings([0, 1], np.zeros((2, 2))), r"\(3, 3\), got \(2, 2\)"),
    "siblings NaN": (lambda g: g.siblings([0], [[0, NAN], [0, 0]]), "finite"),
    "tri-siblings": (
        lambda g: g.tri_siblings([0, 1], np.zeros((3, 3))),
        r"\(2, 2, 2\), got \(3, 3\)",
    ),
    "tri-siblings NaN": (lambda g: g.tri_siblings([0], [[[NAN]]]), "finite"),
    "flat tri-siblings": (
        lambda g: g.tri_siblings([0, 1, 2], np.zeros(10), offsets=[0, 1, 3]),
        r"\(9,\), got \(10,\)",
    ),
    "grand": (
        lambda g: g.grandparent_siblings([0], [1, 2], None, np.zeros((2, 2))),
        r"grandparent_scores: expected shape \(1, 2\)",
    ),
    "grandparents": (lambda g: g.grandparent_siblings([[0]], [[1], [2]]), "1 factors.* 2 by"),
    "grandparent is modifier": (lambda g: g.grandparent_siblings([0], [0, 1]), "more than once"),
    "transitions": (lambda g: g.chain([[0, 1], [2]], [np.zeros((2, 2))]), r"\[\(2, 1\)\]"),
    "same transitions": (lambda g: g.chain([[0, 1], [2, 3]], np.zeros((2, 3))), r"\(2, 2\)"),
    "empty chain": (lambda g: g.chain([], []), "states"),
    "chain of a number": (lambda g: g.chain(3, []), "sequence"),
    "table of a number": (lambda g: g.table(3, [0, 1]), "sequence"),
    "ragged offsets": (lambda g: g.not_all([0, 1], offsets=[[0], [1, 2]]), "whole numbers"),
    "ragged values": (lambda g: g.value([[0], [1, 2]]), "zeros and ones"),
    "oracle": (lambda g: g.custom([0, 1], 3), "function"),
    "scores": (lambda g: g.set_scores([1.0]), r"expected shape \(10,\)"),
    "value": (lambda g: g.value([0, 1]), r"\(10,\).*got \(2,\)"),
    "halves": (lambda g: g.value([0.5] * 10), "zeros and ones"),
    "solver": (lambda g: g.solve("magic"), "admm.*brute_force.*linear_program"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_told_and_leaves_the_graph_alone(graph, name):
    act, message = WRONG[name]
    with pytest.raises(InputError, match=message):
        act(graph)
    assert graph.factor_count == 0
    assert len(graph) == 10


# Values


def _holds(kind, bits, y=None):
    """Textbook meaning, in plain Python."""
    return {
        Kind.XOR: lambda: sum(bits) == 1,
        Kind.AT_MOST_ONE: lambda: sum(bits) <= 1,
        Kind.OR: lambda: any(bits),
        Kind.NAND: lambda: not all(bits),
        Kind.XOR_OUT: lambda: sum(bits) <= 1 and y == any(bits),
        Kind.OR_OUT: lambda: y == any(bits),
        Kind.AND_OUT: lambda: y == all(bits),
    }[kind]()


@pytest.mark.parametrize("kind", [Kind.XOR, Kind.AT_MOST_ONE, Kind.OR, Kind.NAND])
def test_a_constraint_allows_what_its_name_says(kind):
    graph = FactorGraph()
    a, b, c = graph.variables([1.0, 2.0, 4.0])
    getattr(graph, kind.method)([a, ~b, c])
    for bits in itertools.product((0, 1), repeat=3):
        allowed = _holds(kind, (bits[0], 1 - bits[1], bits[2]))
        expected = bits[0] + 2 * bits[1] + 4 * bits[2] if allowed else -np.inf
        assert graph.value(bits) == expected
        assert (graph.violations(bits) == []) == allowed


@pytest.mark.parametrize("kind", [Kind.XOR_OUT, Kind.OR_OUT, Kind.AND_OUT])
def test_a_definition_allows_what_its_name_says(kind):
    graph = FactorGraph()
    graph.variables(np.zeros(4))
    getattr(graph, kind.method)(3, [0, ~1, 2])
    for bits in itertools.product((0, 1), repeat=4):
        allowed = _holds(kind, (bits[0], 1 - bits[1], bits[2]), bits[3])
        assert graph.value(bits) == (0.0 if allowed else -np.inf)


@pytest.mark.parametrize(("projective", "trees"), [(False, 16), (True, 12)])
def test_trees_are_counted_as_the_formulas_say(projective, trees):
    # Three words: 4^2 rooted trees (Cayley); of these binomial(3n, n) / (2n + 1) = 12 projective.
    graph = FactorGraph()
    arcs = [(h, m) for m in (1, 2, 3) for h in range(4) if h != m]
    heads, modifiers = np.array(arcs).T
    xs = graph.variables(np.zeros(9))
    graph.tree(heads, modifiers, xs, projective=projective, single_root=False)
    every = (np.arange(512)[:, np.newaxis] >> np.arange(9)) & 1
    assert (graph.value(every) == 0.0).sum() == trees


def test_crossing_arcs_are_no_projective_tree():
    graph = FactorGraph()
    xs = graph.variables(np.zeros(4))
    # 4 -> 2 crosses 1 -> 3
    graph.tree([0, 4, 1, 1], [1, 2, 3, 4], xs, projective=True, single_root=False)
    assert graph.value([1, 1, 1, 1]) == -np.inf
    assert graph.violations([1, 1, 1, 1])[0].startswith("tree(4 words, projective;")


@settings(max_examples=60, deadline=None)
@given(graphs(kinds=[*ALL_KINDS, Kind.CUSTOM]))
def test_a_batch_scores_as_each_assignment_alone(graph):
    rng = np.random.default_rng(len(graph) + graph.factor_count)
    batch = rng.random((5, len(graph))) < 0.5
    together = graph.value(batch)
    for values, total in zip(batch, together, strict=True):
        alone = graph.value(values)
        assert alone == pytest.approx(total)
        assert (alone == -np.inf) == bool(graph.violations(values))


def test_evidence_and_forbidden_values_are_violations():
    graph = FactorGraph()
    xs = graph.variables([1.0, -np.inf], names=["a", "b"])
    graph.fix(~xs[0])
    assert graph.value([1, 0]) == -np.inf
    assert graph.violations([1, 1]) == ["a is fixed to 0", "b is forbidden by a score of -inf"]
    assert graph.value([0, 0]) == 0.0


def test_an_oracle_that_answers_nonsense_is_refused(graph):
    graph.custom([0, 1], lambda scores: [2, 0])
    with pytest.raises(InputError, match="oracle gave"):
        graph.value(np.zeros(10))
