"""Every matrix of a network: the core's gradient beside finite differences in 64 bits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.networks import Reference, named
from small_networks import SMALL, make_run

from turbotree.networks import WordVectors, _core
from turbotree.networks.training import NetworkTask
from turbotree.text import Sentence
from turbotree.trees import log_partition

_STEP = 1e-5


def reference_of(run: NetworkTask, chosen: list[Sentence]) -> tuple[Reference, np.ndarray]:
    flat = run.training.state()[0].astype(np.float64)
    arrays = run.encoder.arrays(chosen)
    table = None if run.vectors is None else run.vectors.table.astype(np.float64)
    return Reference(named(run.sizes.blocks(), flat), arrays, table), flat


def probes(gradient: np.ndarray, count: int, rng: np.random.Generator) -> list[int]:
    """A few weights of a matrix, most of them with a gradient."""
    moving = np.flatnonzero(gradient)
    chosen = rng.permutation(moving)[:count].tolist()
    return [*chosen, *rng.integers(len(gradient), size=1).tolist()] if len(gradient) else []


def check(run: NetworkTask, chosen: list[Sentence], loss: Any) -> None:
    batch = np.arange(len(chosen), dtype=np.int32)
    arcs, labels, words = run.training.accumulate(batch, False, 1)
    reference, flat = reference_of(run, chosen)
    assert (arcs + labels) / words == pytest.approx(loss(reference), rel=1e-5)
    gradient = run.training.gradient()
    rng = np.random.default_rng(1)
    at = 0
    for name, rows, columns in run.sizes.blocks():
        own = gradient[at : at + rows * columns]
        for place in probes(own, 4, rng):
            before, values = flat[at + place], []
            for step in (_STEP, -_STEP):
                flat[at + place] = before + step
                values.append(loss(reference))
            flat[at + place] = before
            expected = (values[0] - values[1]) / (2 * _STEP)
            assert own[place] == pytest.approx(expected, rel=2e-3, abs=2e-6), (name, place)
        at += rows * columns


@pytest.mark.parametrize("kernels", _core.kernel_names())
@pytest.mark.parametrize("layers", [0, 1, 2])
def test_gradients_are_finite_differences(
    sentences: list[Sentence], vectors: WordVectors, kernels: str, layers: int
) -> None:
    chosen = sentences[:3]
    run = make_run(chosen, replace(SMALL, layers=layers), vectors, kernels)
    check(run, chosen, lambda network: network.loss(run.heads, run.labels))


def test_words_without_a_head_have_no_loss(sentences: list[Sentence]) -> None:
    partial = [
        one.replace(head=[None if i % 2 else head for i, head in enumerate(one.heads)])
        for one in sentences[:3]
    ]
    run = make_run(partial, SMALL)
    assert (run.heads < 0).any()
    check(run, partial, lambda network: network.loss(run.heads, run.labels))


@pytest.mark.parametrize("known", [1.0, 0.5])
def test_the_loss_of_trees_is_their_log_likelihood(sentences: list[Sentence], known: float) -> None:
    rng = np.random.default_rng(2)
    chosen = [
        one.replace(head=[head if rng.random() < known else None for head in one.heads])
        for one in sentences[:3]
    ]
    run = make_run(chosen, replace(SMALL, loss="trees"))
    starts = run.encoder.arrays(chosen)["starts"]

    def loss(network: Reference) -> float:
        total = 0.0
        for number, sentence in enumerate(chosen):
            arc_scores, label_scores = network.scores(number)
            matrix = np.full((len(sentence) + 1,) * 2, -np.inf)
            matrix[:, 1:] = arc_scores.T
            required = [(head, m) for m, head in enumerate(sentence.heads, 1) if head is not None]
            total += log_partition(matrix, single_root=True)
            total -= log_partition(matrix, single_root=True, require=required)
            for head, m in required:
                scores = label_scores[m - 1, head]
                gold = run.labels[starts[number] + m - 1]
                total += np.log(np.exp(scores).sum()) - scores[gold]
        return total / int((run.heads >= 0).sum())

    check(run, chosen, loss)


@pytest.mark.parametrize("shared", [True, False])
def test_dropout_has_the_gradient_of_its_own_masks(sentences: list[Sentence], shared: bool) -> None:
    # Only 32 bits are there to compare with: a step along the gradient has to change the loss by
    # about the gradient's square.
    run = make_run(sentences[:8], replace(SMALL, shared_dropout=shared))
    batch = np.arange(8, dtype=np.int32)
    weights, mean, square, average, updates = run.training.state()
    words = run.training.accumulate(batch, True, 1)[2]
    gradient = run.training.gradient()
    expected = float(gradient.astype(np.float64) @ gradient)
    losses = []
    for step in (0.02, -0.02):
        run.training.restore(weights + np.float32(step) * gradient, mean, square, average, updates)
        arcs, labels, _ = run.training.accumulate(batch, True, 1)
        losses.append((arcs + labels) / words)
    assert (losses[0] - losses[1]) / 0.04 == pytest.approx(expected, rel=0.05)
    without = run.training.accumulate(batch, False, 1)
    assert without[0] + without[1] != pytest.approx(losses[1] * words, rel=1e-4)
