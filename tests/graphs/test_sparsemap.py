"""LP-SparseMAP against a general solver of quadratic programs."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.trees import all_trees
from scipy import sparse

from turbotree.graphs import FactorGraph, sparsemap
from turbotree.graphs.solvers.sparsemap import factor_scores_of, with_scores


def nearest(hessian, linear, rows, limits, equal_rows, equal):
    """Minimise x.H.x / 2 + linear.x with rows.x <= limits and equal_rows.x = equal."""
    constraints = sparse.csc_matrix(np.concatenate([equal_rows, rows]))
    cones = [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(limits))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(hessian),
        linear,
        constraints,
        np.concatenate([equal, limits]),
        cones,
        settings,
    )
    return np.array(solver.solve().x)


@settings(max_examples=30, deadline=None)
@given(words=st.integers(1, 4), seed=st.integers(0, 2**32), single_root=st.booleans())
def test_of_a_tree_it_is_the_nearest_point_of_the_polytope(words, seed, single_root):
    scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1))
    arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    heads, modifiers = map(list, zip(*arcs, strict=True))
    graph = FactorGraph()
    xs = graph.variables([scores[arc] for arc in arcs])
    graph.tree(heads, modifiers, xs, words=words, single_root=single_root)
    trees = all_trees(words, single_root=single_root)
    vertices = np.array([[float(t[m - 1] == h) for h, m in arcs] for t in trees])
    # In weights of trees: the point is vertices.T @ weights.
    weights = nearest(
        vertices @ vertices.T,
        -vertices @ graph.scores,
        -np.eye(len(trees)),
        np.zeros(len(trees)),
        np.ones((1, len(trees))),
        np.ones(1),
    )
    assert sparsemap(graph).point == pytest.approx(vertices.T @ weights, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(size=st.integers(3, 6), seed=st.integers(0, 2**32))
def test_of_pairs_and_a_choice_it_is_that_of_the_local_polytope(size, seed):
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=size))
    graph.exactly_one([xs[0], ~xs[1], xs[2]])
    pairs = [(i, j) for i in range(size) for j in range(i) if rng.random() < 0.7]
    for i, j in pairs:
        graph.pair(xs[i], xs[j], rng.normal())
    total = size + len(pairs)
    rows, limits = [], []

    def at_most(limit, **terms):
        row = np.zeros(total)
        for index, factor in terms.items():
            row[int(index[1:])] += factor
        rows.append(row)
        limits.append(limit)

    for index in range(total):
        at_most(0.0, **{f"v{index}": -1.0})
        at_most(1.0, **{f"v{index}": 1.0})
    for number, (i, j) in enumerate(pairs, size):
        at_most(0.0, **{f"v{number}": 1.0, f"v{i}": -1.0})
        at_most(0.0, **{f"v{number}": 1.0, f"v{j}": -1.0})
        at_most(1.0, **{f"v{i}": 1.0, f"v{j}": 1.0, f"v{number}": -1.0})
    one = np.zeros((1, total))
    one[0, :3] = 1.0, -1.0, 1.0
    hessian = np.diag([1.0] * size + [0.0] * len(pairs))
    linear = -np.concatenate([graph.scores, _pair_scores(graph, pairs)])
    expected = nearest(hessian, linear, np.array(rows), np.array(limits), one, np.zeros(1))
    found = sparsemap(graph)
    assert found.converged
    assert found.point == pytest.approx(expected[:size], abs=1e-5)
    again = sparsemap(graph, start=found)
    assert again.point == pytest.approx(found.point, abs=1e-7)
    assert again.iterations <= found.iterations


def _pair_scores(graph, pairs):
    return factor_scores_of(graph)[: len(pairs)]


def test_evidence_and_variables_without_factors_are_respected():
    graph = FactorGraph()
    xs = graph.variables([0.2, 0.3, 0.4, 5.0, -1.0])
    graph.exactly_one(xs[:3])
    graph.fix(xs[0], False)
    assert sparsemap(graph).point == pytest.approx([0.0, 0.45, 0.55, 1.0, 0.0])
    graph.at_most_one(xs[1:3])
    assert sparsemap(graph).point == pytest.approx([0.0, 0.45, 0.55, 1.0, 0.0], abs=1e-6)


def test_other_scores_make_another_graph_and_leave_this_one():
    graph = FactorGraph()
    a, b = graph.variables([1.0, 2.0])
    graph.pair(a, b, 0.5)
    other = with_scores(graph, np.array([0.0, 1.0]), np.array([3.0]))
    assert (graph.value([1, 1]), other.value([1, 1])) == (3.5, 4.0)
