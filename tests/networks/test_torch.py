"""PyTorch computes the same loss and the same gradient of every matrix; runs with its extra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.networks import named
from small_networks import SMALL, make_run
from test_columns import golds_of, make_task

from turbotree.text import treebank

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("layers", "hidden"), [(1, 24), (2, 10), (3, 17)])
def test_losses_and_gradients_are_those_of_torch(seed: int, layers: int, hidden: int) -> None:
    from benchmarks.networks_torch import TorchNetwork

    sentences = list(treebank(12, seed=seed))
    run = make_run(sentences, replace(SMALL, layers=layers, hidden=hidden, seed=seed))
    batch = np.arange(len(sentences), dtype=np.int32)
    arcs, labels, words = run.training.accumulate(batch, False, 1)
    blocks = run.sizes.blocks()
    weights = named(blocks, run.training.state()[0].astype(np.float64))
    rival = TorchNetwork(weights)
    loss = rival.loss(
        run.encoder.arrays(sentences),
        torch.tensor(run.heads),
        torch.tensor(run.labels),
        torch.arange(len(sentences)),
    )
    assert (arcs + labels) / words == pytest.approx(loss.item(), rel=1e-5)
    loss.backward()
    for name, own in named(blocks, run.training.gradient()).items():
        expected = rival.gradient_of(name)
        if name != "projection":
            error = np.linalg.norm(own - expected)
            assert error <= 1e-4 * np.linalg.norm(expected), name


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("layers", "column_size"), [(1, 9), (2, 17)])
def test_columns_are_those_of_torch(seed: int, layers: int, column_size: int) -> None:
    from benchmarks.networks_torch import TorchNetwork

    sentences = list(treebank(12, seed=seed))
    options = replace(SMALL, layers=layers, column_size=column_size, lemma_size=0, seed=seed)
    task = make_task(sentences, options)
    batch = np.arange(len(sentences), dtype=np.int32)
    loss = sum(task.training.accumulate(batch, False, 1)[:2]) / sum(map(len, sentences))
    weights = named(task.sizes.blocks(), task.training.state()[0].astype(np.float64))
    rival = TorchNetwork(weights)
    sizes = [len(names) for names in task.vocabulary.columns.values()]
    golds = torch.tensor(golds_of(sentences, task))
    arrays = task.encoder.arrays(sentences)
    expected = rival.column_loss(arrays, golds, sizes, torch.arange(len(sentences)))
    assert loss == pytest.approx(expected.item(), rel=1e-5)
    expected.backward()
    for name, own in named(task.sizes.blocks(), task.training.gradient()).items():
        gradient = rival.gradient_of(name)
        if gradient is not None:
            error = np.linalg.norm(own - gradient)
            assert error <= 1e-4 * np.linalg.norm(gradient), name
        else:  # of no input or of nothing that columns read
            assert not own.any(), name
