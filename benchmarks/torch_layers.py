"""Marginals of non-projective trees in PyTorch, beside torch-struct: 32 sentences of 40 words.

    python benchmarks/torch_layers.py [--batch 32] [--words 40] [--threads 1]

Both run in one process, in turns, with the same number of threads; the figures that count are
ratios. Without torch-struct its published algorithm stands in: the inverse of a batch of
Laplacians, differentiated by torch.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from collections.abc import Callable
from time import perf_counter

import torch

from turbotree.integrations import torch as layers

Layer = Callable[[torch.Tensor], torch.Tensor]


def peer() -> tuple[str, Layer]:
    """Give torch-struct's layer, or the algorithm that it publishes."""
    try:
        from torch_struct import NonProjectiveDependencyCRF
    except ImportError:
        return "batched inverse", _by_inverse

    def marginals(scores: torch.Tensor) -> torch.Tensor:
        return NonProjectiveDependencyCRF(_on_diagonal(scores), multiroot=True).marginals

    return "torch-struct", marginals


def _on_diagonal(scores: torch.Tensor) -> torch.Tensor:
    """Put the scores of root arcs on the diagonal of those between words."""
    words = scores[:, 1:, 1:]
    eye = torch.eye(words.shape[-1], dtype=torch.bool)
    return torch.where(eye, scores[:, 0, 1:, None].transpose(1, 2).expand_as(words), words)


def _by_inverse(scores: torch.Tensor) -> torch.Tensor:
    eye = torch.eye(scores.shape[-1] - 1, dtype=scores.dtype)
    weights = scores[:, 1:, 1:].exp() * (1 - eye)
    root = scores[:, 0, 1:].exp()
    laplacian = torch.diag_embed(weights.sum(1) + root) - weights
    inverse = torch.linalg.inv(laplacian).transpose(1, 2)
    diagonal = inverse.diagonal(dim1=1, dim2=2)
    return weights * (diagonal[:, None] - inverse) + torch.diag_embed(root * diagonal)


def measure(layer: Layer, scores: torch.Tensor, weights: torch.Tensor) -> tuple[float, float]:
    """Time one forward pass alone, and one with its backward pass, in milliseconds."""
    with torch.no_grad():
        started = perf_counter()
        layer(scores)
        forward = perf_counter() - started
    leaf = scores.detach().requires_grad_()
    started = perf_counter()
    found = layer(leaf)
    (found * weights[:, : found.shape[1], : found.shape[2]]).sum().backward()
    return 1e3 * forward, 1e3 * (perf_counter() - started)


def main() -> int:
    """Measure; the exit status is 1 if torch-struct is faster anywhere."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--words", type=int, default=40)
    options.add_argument("--repeats", type=int, default=30)
    options.add_argument("--threads", type=int, default=1)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    warnings.simplefilter("ignore")
    name, other = peer()
    missed = False
    for dtype in (torch.float32, torch.float64):
        torch.manual_seed(1)
        side = given.words + 1
        scores = torch.randn(given.batch, side, side, dtype=dtype)
        weights = torch.randn_like(scores)
        ours = layers.marginals(scores)
        theirs = other(scores)
        between = ours[:, 1:, 1:] + torch.diag_embed(ours[:, 0, 1:])
        apart = float((between - theirs).abs().max())
        times: dict[str, list[tuple[float, float]]] = {"turbotree": [], name: []}
        for _ in range(given.repeats):
            times["turbotree"].append(measure(layers.marginals, scores, weights))
            times[name].append(measure(other, scores, weights))
        for place, what in enumerate(("forward", "forward and backward")):
            mine, its = (
                statistics.median(row[place] for row in times[key]) for key in ("turbotree", name)
            )
            missed |= mine >= its
            print(
                f"{dtype}, {what}: turbotree {mine:.2f} ms, {name} {its:.2f} ms, "
                f"{its / mine:.1f} times as fast; largest difference {apart:.1e}"
            )
    print("met" if not missed else "missed")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
