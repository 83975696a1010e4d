"""Layers for PyTorch: values against their rooms, gradients by gradcheck."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

from turbotree import trees  # noqa: E402
from turbotree.errors import InputError  # noqa: E402
from turbotree.graphs import FactorGraph, brute_force_marginals, sparsemap  # noqa: E402
from turbotree.graphs.solvers.sparsemap import factor_scores_of  # noqa: E402
from turbotree.integrations import torch as layers  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def tensor(*shape, seed=0, scale=1.0):
    values = scale * np.random.default_rng(seed).normal(size=shape)
    return torch.tensor(values, dtype=torch.double, requires_grad=True)


@pytest.mark.parametrize("single_root", [False, True])
def test_exact_layers_pass_gradcheck(single_root):
    scores = tensor(2, 5, 5)
    options = {"lengths": torch.tensor([4, 3]), "single_root": single_root}
    assert gradcheck(lambda s: layers.marginals(s, **options), (scores,))
    assert gradcheck(lambda s: layers.log_partition(s, **options), (scores,))
    assert gradgradcheck(lambda s: layers.log_partition(s, **options), (scores,))
    expected = trees.marginals(scores.detach().numpy(), single_root=single_root, lengths=[4, 3])
    assert layers.marginals(scores, **options).detach().numpy() == pytest.approx(expected)


@pytest.mark.parametrize(("siblings", "grandparents"), [(True, True), (True, False), (False, True)])
def test_belief_propagation_passes_gradcheck(siblings, grandparents):
    arcs = tensor(2, 4, 4)
    second = tensor(2, 4, 4, 4, seed=1, scale=0.3) if siblings else None
    third = tensor(2, 4, 4, 4, seed=2, scale=0.3) if grandparents else None
    given = [own for own in (arcs, second, third) if own is not None]

    def layer(*tensors):
        left = list(tensors)
        full = [left.pop(0) if own is not None else None for own in (arcs, second, third)]
        return layers.bp_marginals(*full, lengths=[3, 2])

    assert gradcheck(layer, given, atol=1e-4, rtol=1e-3)


def test_belief_propagation_of_arcs_alone_is_exact():
    arcs = tensor(5, 5)
    nothing = torch.zeros(5, 5, 5, dtype=torch.double)
    found = layers.bp_marginals(arcs, nothing)
    assert torch.allclose(found, layers.marginals(arcs, single_root=True), atol=1e-6)


@pytest.mark.parametrize("projective", [False, True])
def test_sparsemap_of_trees_passes_gradcheck(projective):
    scores = tensor(3, 5, 5, seed=3)
    options = {"lengths": [4, 3, 4], "projective": projective}
    assert gradcheck(lambda s: layers.sparsemap_trees(s, **options), (scores,), atol=1e-4)
    point = layers.sparsemap_trees(scores, **options)
    assert torch.allclose(point[0, :, 1:].sum(0), torch.ones(4, dtype=torch.double))
    assert (point[1, :, 4] == 0).all()


def some_graph():
    rng = np.random.default_rng(5)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=6))
    graph.exactly_one(xs[:3])
    graph.at_most([xs[1], xs[3], xs[4]], 2)
    for i, j in ((0, 3), (1, 4), (2, 5), (3, 5)):
        graph.pair(xs[i], xs[j], rng.normal())
    return graph


def test_lp_sparsemap_passes_gradcheck_for_scores_and_extras():
    graph = some_graph()
    scores = torch.tensor(graph.scores.copy(), requires_grad=True)
    factor_scores = torch.tensor(factor_scores_of(graph), requires_grad=True)
    assert gradcheck(
        lambda s, e: layers.lp_sparsemap(graph, s, e), (scores, factor_scores), atol=1e-4, rtol=1e-3
    )
    assert layers.lp_sparsemap(graph, scores).detach().numpy() == pytest.approx(
        sparsemap(graph).point, abs=1e-6
    )
    assert len(brute_force_marginals(graph).probabilities) == len(scores)


def test_single_precision_comes_back_as_such():
    scores = tensor(4, 4).detach().float().requires_grad_()
    for layer in (layers.marginals, layers.sparsemap_trees, layers.log_partition):
        scores.grad = None
        found = layer(scores)
        assert found.dtype is torch.float32
        (found * found).sum().backward()
        assert scores.grad.dtype is torch.float32
        assert torch.isfinite(scores.grad).all()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="sibling_scores: expected shape"):
        layers.bp_marginals(tensor(3, 3), tensor(2, 2, 2))
    with pytest.raises(InputError, match="scores: expected shape"):
        layers.marginals(tensor(3))


def test_a_biaffine_scorer_learns_the_built_in_treebank():
    example = runpy.run_path(str(EXAMPLES / "integrations" / "torch_biaffine.py"))
    assert example["train"]() > 95.0
