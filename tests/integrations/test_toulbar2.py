"""toulbar2 as a solver: its promises against enumeration."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from oracles.graphs import random_graph
from oracles.tree_graphs import tree_graph

from turbotree.errors import InfeasibleError, InputError, MissingExtraError
from turbotree.graphs import FactorGraph, Kind, Status, brute_force
from turbotree.integrations import toulbar2 as module

needs_toulbar2 = pytest.mark.skipif(
    importlib.util.find_spec("pytoulbar2") is None, reason="pytoulbar2 is not installed"
)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'turbotree\[toulbar2\]'"):
        FactorGraph().solve("toulbar2")


def assert_proven(graph: FactorGraph) -> None:
    try:
        best = brute_force(graph).value
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            graph.solve("toulbar2")
        return
    found = graph.solve("toulbar2")
    assert found.status is Status.OPTIMAL
    assert found.values is not None
    assert found.value == graph.value(found.values)
    assert found.value == pytest.approx(best, abs=found.tolerance)
    assert found.upper_bound >= best
    assert found.gap <= found.tolerance


@needs_toulbar2
@pytest.mark.parametrize("seed", range(25))
def test_the_best_assignment_is_proven(seed: int) -> None:
    assert_proven(random_graph(np.random.default_rng([31, seed]), variables=9))


@needs_toulbar2
@pytest.mark.parametrize("seed", range(25))
def test_factors_of_logic_too_large_for_tables_are_sums(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_ENTRIES", 4)
    sums = [kind for kind in Kind if kind < Kind.PAIR] + [Kind.TREE]
    assert_proven(random_graph(np.random.default_rng([32, seed]), sums, variables=9))


@needs_toulbar2
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("projective", [False, True])
def test_trees_are_kept_by_cuts(
    seed: int, projective: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_ENTRIES", 16)
    rng = np.random.default_rng([33, seed])
    arcs = [(h, m) for m in range(1, 5) for h in range(5) if h != m]
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=len(arcs)))
    heads, modifiers = np.array(arcs).T
    graph.tree(heads, modifiers, xs, projective=projective, single_root=bool(seed % 2))
    for _ in range(6):
        one, other = rng.permutation(len(arcs))[:2]
        graph.pair(xs[one], xs[other], 3 * rng.normal())
    assert_proven(graph)


@needs_toulbar2
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_scores_in_any_unit(scale: float) -> None:
    graph = tree_graph(np.random.default_rng(5), [Kind.PAIR, Kind.XOR], most_variables=10)
    graph.set_scores(graph.scores * scale)
    assert_proven(graph)


@needs_toulbar2
def test_masks_are_bounded_truly() -> None:
    graph = FactorGraph()
    xs = graph.variables([0.1, 0.2, -1e9, 0.3])
    graph.pair(xs[0], xs[1], -0.15)
    graph.pair(xs[1], xs[3], -1e9)
    found = graph.solve("toulbar2")
    best = brute_force(graph).value
    assert found.value <= best <= found.upper_bound
    assert found.gap <= 1e-3


@needs_toulbar2
def test_what_does_not_fit_is_refused_by_its_name() -> None:
    graph = FactorGraph()
    graph.siblings(graph.variables(np.zeros(20)), np.zeros((21, 21)))
    with pytest.raises(InputError, match="a factor siblings of 20 links is too large"):
        graph.solve("toulbar2")


@needs_toulbar2
def test_no_time_is_no_answer() -> None:
    graph = FactorGraph()
    graph.variables([1.0])
    found = graph.solve("toulbar2", time_limit_seconds=0)
    assert (found.status, found.values, found.upper_bound) == (Status.LIMIT, None, np.inf)


@needs_toulbar2
def test_a_trace_has_the_bounds_of_its_runs() -> None:
    graph = FactorGraph()
    graph.variables([1.0, -2.0])
    found = graph.solve("toulbar2", trace=True)
    assert found.trace is not None
    assert found.trace.upper_bound[-1] == pytest.approx(1.0)
