"""Contests of the core, on random problems: spanning trees, marginals, factor graphs, layers."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from contests import Contest, simple
from graphs_many import small_graph
from graphs_second_order import build_and_solve
from numpy.typing import NDArray
from second_order import (
    Problem,
    flow_graph,
    flow_program,
    highs_for,
    load_all,
    run_highs,
    tree_graph,
)
from trees import numpy_marginals, random_scores

from turbotree.graphs import FactorGraph, _core, solve_many
from turbotree.graphs.solvers.native import core_graph
from turbotree.trees import maximum_spanning_tree, tree_marginals

_HEADS = 8  # candidates per word, about as many as a pruner leaves


def tree_contests() -> Iterator[Contest]:
    """Spanning trees and marginals on batches of matrices."""
    for words, count in ((20, 300), (40, 150)):
        scores = random_scores(count, words)
        if find_spec("ufal") is not None and find_spec("ufal.chu_liu_edmonds") is not None:
            from ufal.chu_liu_edmonds import chu_liu_edmonds

            # There a row is a modifier and a column its possible head.
            turned = np.ascontiguousarray(scores.transpose(0, 2, 1))
            own, peer = (
                maximum_spanning_tree(scores[:1], single_root=False)[0],
                chu_liu_edmonds(turned[0])[0],
            )
            assert own.tolist() == list(peer)[1:], "the two decoders disagree"
            yield simple(
                f"spanning trees, {words} words",
                "ufal.chu_liu_edmonds",
                lambda s=scores: maximum_spanning_tree(s, single_root=False),
                lambda t=turned: [chu_liu_edmonds(matrix) for matrix in t],
            )
        assert np.allclose(
            tree_marginals(scores, single_root=False).probabilities, numpy_marginals(scores)[0]
        )
        yield simple(
            f"marginals of trees, {words} words",
            "NumPy",
            lambda s=scores: tree_marginals(s, single_root=False),
            lambda s=scores: numpy_marginals(s),
        )


def random_problem(words: int, seed: int) -> Problem:
    """Make up a parsing problem of second order: arcs, siblings and grandparents."""
    random = np.random.default_rng(seed)
    # The word before is always a candidate: then there is a tree.
    heads = np.concatenate(
        [
            np.union1d(random.choice(words + 1, _HEADS, replace=False), [m - 1]).astype(np.int64)
            for m in range(1, words + 1)
        ]
    )
    # union1d sorts and counts the word before once; the word itself is no head.
    modifiers = _modifiers(heads, words)
    kept = heads != modifiers
    heads, modifiers = heads[kept], modifiers[kept]
    arcs = np.arange(len(heads))
    first, second = np.meshgrid(arcs, arcs, indexing="ij")
    siblings = (heads[first] == heads[second]) & (modifiers[first] < modifiers[second])
    grand = (modifiers[first] == heads[second]) & (heads[first] != modifiers[second])
    pairs = np.argwhere(siblings | grand)
    pairs = pairs[random.random(len(pairs)) < 0.3]
    return Problem(
        words,
        heads,
        modifiers,
        random.normal(size=len(heads)),
        pairs,
        random.normal(scale=0.2, size=len(pairs)),
    )


def _modifiers(heads: NDArray[np.int64], words: int) -> NDArray[np.int64]:
    """Number the sorted runs of heads: each is of one modifier."""
    falls = np.concatenate(([0], np.cumsum(np.diff(heads) <= 0)))
    assert falls[-1] == words - 1
    return falls + 1


def graph_contests(data: Path | None) -> Iterator[Contest]:
    """ADMM beside HiGHS on the same relaxations; many graphs at once beside a loop."""
    sets = {
        f"{n} words": [random_problem(n, seed) for seed in range(count)]
        for n, count in ((10, 6), (20, 3))
    }
    folder = data / "bench" / "second_order" if data is not None else None
    if folder is not None and folder.is_dir():
        sets |= {f"mid, {n} words": load_all(folder, "mid", n)[:4] for n in (20, 40)}
    for name, problems in sets.items():
        if not problems:
            continue
        programs = [flow_program(problem) for problem in problems]
        for kind, build in (("tree", tree_graph), ("flow", flow_graph)):
            yield simple(
                f"ADMM, {kind} factors, {name}",
                "HiGHS",
                lambda b=build, ps=problems: [build_and_solve(b, p, 1000) for p in ps],
                lambda ps=programs: [run_highs(*highs_for(program)) for program in ps],
            )
    batch = [small_graph(seed) for seed in range(150)]
    yield simple(
        "150 small graphs at once",
        "one by one",
        lambda: solve_many(batch, "admm", threads=1),
        lambda: [graph.solve("admm") for graph in batch],
    )
    yield _projections()


def _projections() -> Contest:
    """XOR factors: projections on the simplex, beside sorting all rows in NumPy."""
    count, links = 2_000, 10  # all in the cache: what memory others use must not count
    graph = FactorGraph()
    graph.exactly_one(graph.variables(np.zeros((count, links))))
    core = core_graph(graph)
    targets = np.random.default_rng(1).normal(0.3, 0.5, size=(1, count * links))

    def by_numpy() -> NDArray[np.float64]:
        rows = targets.reshape(count, links)
        falling = -np.sort(-rows, axis=1)
        excess = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, links + 1)
        last = (falling > excess).sum(axis=1) - 1
        return np.maximum(rows - excess[np.arange(count), last][:, np.newaxis], 0.0)

    return simple(
        "projections of XOR factors", "NumPy", lambda: _core.project(core, targets, 1.0), by_numpy
    )


def layer_contests() -> Iterator[Contest]:
    """Layers of PyTorch, forwards and with the way back."""
    if find_spec("torch") is None:
        return
    import torch
    from torch_layers import peer

    from turbotree.integrations import torch as layers

    torch.set_num_threads(1)
    torch.manual_seed(1)
    scores = torch.randn(32, 41, 41, dtype=torch.float64)
    weights = torch.randn_like(scores)
    name, other = peer()

    def forward(layer: object) -> object:
        with torch.no_grad():
            return layer(scores)  # type: ignore[operator]

    def both(layer: object) -> object:
        leaf = scores.detach().requires_grad_()
        found = layer(leaf)  # type: ignore[operator]
        return (found * weights[:, : found.shape[1], : found.shape[2]]).sum().backward()

    for what, run in (("forward", forward), ("forward and backward", both)):
        yield simple(
            f"torch marginals, {what}",
            name,
            lambda r=run: r(layers.marginals),
            lambda r=run: r(other),
        )
