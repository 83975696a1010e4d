"""Graphs written as UAI and WCSP files have the same scores there, by enumeration."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.graphs import graphs

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, read_network, write_uai, write_wcsp
from turbotree.graphs.formats.writing import Written


def uai_values(path: Path) -> dict[tuple[int, ...], float]:
    """The log-probability of each assignment, read without the package."""
    words = iter(path.read_text().split())
    assert next(words) == "MARKOV"
    sizes = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = []
    for scope in scopes:
        assert int(next(words)) == math.prod(sizes[v] for v in scope)
        own = product(*(range(sizes[v]) for v in scope))
        tables.append({values: float(next(words)) for values in own})
    assert next(words, None) is None
    found = {}
    for values in product(*(range(size) for size in sizes)):
        entries = [t[tuple(values[v] for v in s)] for s, t in zip(scopes, tables, strict=True)]
        found[values] = sum(math.log(e) if e else -math.inf for e in entries)
    return found


def wcsp_values(path: Path) -> dict[tuple[int, ...], float]:
    """The cost of each assignment, infinite from the upper bound on, read without the package."""
    words = iter(path.read_text().split())
    next(words)
    variables, _, functions, top = (int(next(words)) for _ in range(4))
    sizes = [int(next(words)) for _ in range(variables)]
    tables = []
    for _ in range(functions):
        scope = [int(next(words)) for _ in range(int(next(words)))]
        default = int(next(words))
        costs = {}
        for _ in range(int(next(words))):
            values = tuple(int(next(words)) for _ in scope)
            costs[values] = int(next(words))
        tables.append((scope, default, costs))
    assert next(words, None) is None
    found = {}
    for values in product(*(range(size) for size in sizes)):
        cost = sum(costs.get(tuple(values[v] for v in s), default) for s, default, costs in tables)
        found[values] = cost if cost < top else math.inf
    return found


def all_scores(graph: FactorGraph) -> np.ndarray:
    bits = np.arange(2 ** len(graph))[:, np.newaxis] >> np.arange(len(graph)) & 1
    return np.asarray(graph.value(bits))


def by_bits(written: Written, values: tuple[int, ...]) -> int:
    """The number of the graph's assignment that an assignment of the file is."""
    return sum(
        1 << (group[value] if len(group) > 1 else group[0])
        for group, value in zip(written.variables, values, strict=True)
        if len(group) > 1 or value
    )


def assert_same_scores(
    graph: FactorGraph, written: Written, scores: dict[tuple[int, ...], float], tolerance: float
) -> None:
    expected = all_scores(graph)
    seen = np.zeros(len(expected), dtype=bool)
    for values, score in scores.items():
        number = by_bits(written, values)
        seen[number] = True
        if expected[number] == -np.inf:
            assert score == -math.inf
        else:
            assert abs(score - expected[number]) <= tolerance
    assert (expected[~seen] == -np.inf).all()


@given(graphs())
def test_uai_files_have_the_scores_of_the_graph(
    tmp_path_factory: pytest.TempPathFactory, graph: FactorGraph
) -> None:
    path = tmp_path_factory.mktemp("uai") / "a.uai"
    written = write_uai(graph, path)
    scores = {values: written.offset + value for values, value in uai_values(path).items()}
    assert_same_scores(graph, written, scores, 1e-12 * 20)


@given(graphs(), st.booleans())
def test_wcsp_files_have_the_scores_of_the_graph(
    tmp_path_factory: pytest.TempPathFactory, graph: FactorGraph, fits: bool
) -> None:
    path = tmp_path_factory.mktemp("wcsp") / "a.wcsp"
    try:
        written = write_wcsp(graph, path, decimals=9, max_entries=4096 if fits else 4)
    except InputError:
        assert not fits
        return
    assert written.error <= 1e-8
    scores = {
        values: written.offset - cost / written.scale for values, cost in wcsp_values(path).items()
    }
    assert_same_scores(graph, written, scores, written.error + 1e-12 * 20)


@given(graphs())
def test_what_is_written_is_read_with_the_same_best_value(
    tmp_path_factory: pytest.TempPathFactory, graph: FactorGraph
) -> None:
    folder = tmp_path_factory.mktemp("both")
    best = all_scores(graph).max()
    for write, name in ((write_uai, "a.uai.gz"), (write_wcsp, "a.wcsp")):
        written = write(graph, folder / name)
        network = read_network(folder / name)
        try:
            value = network.answer(network.graph.solve("branch_and_bound")).value
        except InfeasibleError:
            assert best == -np.inf
            continue
        score = written.offset + network.sign * value / written.scale
        assert score == pytest.approx(best, abs=written.error + 1e-5)


def test_listed_factors_know_which_value_of_a_pair_is_true(tmp_path: Path) -> None:
    graph = FactorGraph()
    a, b, c, d = graph.variables([0.5, -0.25, 1.0, -2.0])
    graph.exactly_one([a, b])
    graph.at_least_one([b, c, ~d])
    graph.at_most_one([a, c, d])
    written = write_wcsp(graph, tmp_path / "a.wcsp", max_entries=4)
    assert written.variables == ((0, 1), (2,), (3,))
    scores = {
        values: written.offset - cost / written.scale
        for values, cost in wcsp_values(tmp_path / "a.wcsp").items()
    }
    assert_same_scores(graph, written, scores, written.error + 1e-12)


def test_large_hard_factors_are_listed(tmp_path: Path) -> None:
    graph = FactorGraph()
    xs = graph.variables(np.zeros(40))
    graph.not_all(xs[:30])
    graph.at_least_one(np.concatenate([xs[:15], ~xs[15:30]]))
    graph.at_most_one(xs[5:35])
    written = write_wcsp(graph, tmp_path / "a.wcsp")
    assert written.variables == tuple((v,) for v in range(40))
    tuples = [line.split() for line in (tmp_path / "a.wcsp").read_text().splitlines()[2:]]
    assert len(tuples) == 3 + 1 + 1 + 31  # three functions, and what they list
    with pytest.raises(InputError, match="too large for a table"):
        write_uai(graph, tmp_path / "a.uai")


def test_what_does_not_fit_is_refused_by_its_name(tmp_path: Path) -> None:
    graph = FactorGraph()
    graph.at_most(graph.variables(np.zeros(40)), 3)
    with pytest.raises(InputError, match="a factor at_most of 40 links is too large for a table"):
        write_wcsp(graph, tmp_path / "a.wcsp")
    far = FactorGraph()
    far.variables([-1e9])
    with pytest.raises(InputError, match=r"a score of -1e\+09 is too far"):
        write_uai(far, tmp_path / "a.uai")
    with pytest.raises(InputError, match="decimals"):
        write_wcsp(far, tmp_path / "a.wcsp", decimals=40)
    with pytest.raises(InputError, match="too far"):
        write_wcsp(far, tmp_path / "a.wcsp", decimals=12)
    assert not list(tmp_path.iterdir())


def test_masks_survive_as_costs(tmp_path: Path) -> None:
    graph = FactorGraph()
    a, b = graph.variables([-1e9, 0.25])
    graph.pair(a, b, 1e12)
    written = write_wcsp(graph, tmp_path / "a.wcsp", decimals=2)
    scores = {
        values: written.offset - cost / written.scale
        for values, cost in wcsp_values(tmp_path / "a.wcsp").items()
    }
    assert written.error == 0.0
    assert_same_scores(graph, written, scores, 1e-3)
