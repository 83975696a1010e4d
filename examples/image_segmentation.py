"""Cleaning a noisy image with a factor graph, as told in docs/graphs/segmentation.md.

usage: image_segmentation.py [PLOT.png]

One variable per pixel; neighbours like to agree. ADMM finds the best image and proves it best,
belief propagation tells how sure the model is of each pixel, and hard factors add what we know of
the object's shape and size. With matplotlib installed, the images are drawn into a file.
"""

import sys

import numpy as np
from numpy.typing import NDArray

import turbotree as tt

SIZE = 64
NOISE = 1.0  # standard deviation; the object is 1, the background 0
AGREEMENT = 0.5  # what two equal neighbours are worth
NUDGE = 1e-3  # far below any score: decides what would be a tie


def draw_vase() -> NDArray[np.bool_]:
    y, x = np.mgrid[:SIZE, :SIZE] / (SIZE - 1)
    belly = 0.17 * np.sin(np.pi * np.clip((y - 0.22) / 0.62, 0, 1)) ** 2
    rim = 0.58 * np.clip(0.20 - y, 0, None)
    foot = 0.08 * np.clip((y - 0.84) / 0.06, 0, 1)
    half = 0.10 + belly + rim + foot
    return (abs(x - 0.5 - 0.06 * np.sin(5 * y)) < half) & (y > 0.08) & (y < 0.93)


def build_graph(evidence: NDArray[np.float64]) -> tuple[tt.FactorGraph, NDArray[np.int64]]:
    """One variable per pixel, one pair for each two neighbours.

    w [a = b] is w - w a - w b + 2 w a b: a pair of score 2 w, and -w for each end.
    """
    neighbours = np.full(evidence.shape, 4.0)
    neighbours[[0, -1], :] -= 1
    neighbours[:, [0, -1]] -= 1
    graph = tt.FactorGraph()
    pixels = graph.variables(evidence - AGREEMENT * neighbours)
    graph.pair(pixels[:, :-1], pixels[:, 1:], 2 * AGREEMENT)
    graph.pair(pixels[:-1], pixels[1:], 2 * AGREEMENT)
    return graph, pixels


def allow_one_run_per_row(graph: tt.FactorGraph, pixels: NDArray[np.int64]) -> None:
    """In each row: background, then object, then background; any of them may be missing."""
    left = graph.variables(np.zeros(pixels.shape))  # "the object begins here or further left"
    over = graph.variables(np.full(pixels.shape, -NUDGE))  # "the object ends further left"
    graph.implies(left[:, :-1], left[:, 1:])
    graph.implies(over[:, :-1], over[:, 1:])
    # A pixel belongs to the object if it has begun and is not over.
    both = np.stack((pixels.reshape(-1), over.reshape(-1)), axis=1)
    graph.define_exactly_one(left.reshape(-1), both)


def save_plot(path: str, images: dict[str, NDArray[np.float64]]) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot, because matplotlib is missing: pip install 'turbotree[plots]'")
        return
    figure, axes = pyplot.subplots(2, 3, figsize=(7.2, 5.3), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.07, h_pad=0.07)
    for axis, (title, image) in zip(axes.flat, images.items(), strict=True):
        axis.imshow(image, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
        axis.set_title(title, fontsize=10)
        axis.set_xticks([])
        axis.set_yticks([])
    figure.savefig(path, dpi=100)
    print(f"plot saved as {path}")


truth = draw_vase()
noisy = truth + NOISE * np.random.default_rng(7).normal(size=truth.shape)
# The log odds of "object" against "background", given the pixel's brightness alone.
evidence = (noisy - 0.5) / NOISE**2


def share_wrong(image: NDArray[np.bool_]) -> str:
    return f"{(image != truth).mean():.1%} of the pixels are wrong"


threshold = noisy > 0.5
print(f"threshold:       {share_wrong(threshold)}")

graph, pixels = build_graph(evidence)
best = graph.solve("admm")
smooth = best.values[pixels]
print(f"smooth:          {share_wrong(smooth)}\n                 {best}")

marginals = graph.marginals("belief_propagation")
probability = marginals.probabilities[pixels]
print(f"probable pixels: {share_wrong(probability > 0.5)}\n                 {marginals}")

shaped = graph.copy()
allow_one_run_per_row(shaped, pixels)
one_run = shaped.solve("admm", max_iterations=5000)
shape = one_run.values[pixels]
print(f"one run per row: {share_wrong(shape)}\n                 {one_run}")

limited = graph.copy()
limited.at_most(pixels.reshape(-1), int(truth.sum()))
small = limited.solve("admm")
print(f"size known:      {share_wrong(small.values[pixels])}\n                 {small}")
fractional = np.count_nonzero(abs(small.relaxed - 0.5) < 0.499)
print(f"                 the relaxation leaves {fractional} pixels undecided")

if not (best.status is one_run.status is tt.graphs.Status.OPTIMAL):
    raise SystemExit("expected proofs of optimality")

images = {
    "the object": truth,
    "what we see": (noisy + 1.5) / 4,
    f"threshold: {(threshold != truth).mean():.1%} wrong": threshold,
    f"neighbours agree: {(smooth != truth).mean():.1%} wrong": smooth,
    "probability of each pixel": probability,
    f"one run per row: {(shape != truth).mean():.1%} wrong": shape,
}
save_plot(sys.argv[1] if len(sys.argv) > 1 else "segmentation.png", images)
