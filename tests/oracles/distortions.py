"""Scores as users bring them: in any unit, with masks of any size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turbotree.graphs import FactorGraph

Change = Callable[[np.ndarray], np.ndarray]
#: Makes a change from a source of random numbers.
Distortion = Callable[[np.random.Generator], Change]


def scaled(unit: float) -> Distortion:
    """Every score times a number."""
    return lambda rng: lambda scores: scores * unit


def masked(share: float, size: float, *, forbidden: float = 0.0) -> Distortion:
    """A share of the scores as low as `size`, and some of these -inf."""

    def change(rng: np.random.Generator) -> Change:
        def apply(scores: np.ndarray) -> np.ndarray:
            chosen = (rng.random(scores.shape) < share) & np.isfinite(scores)
            never = chosen & (rng.random(scores.shape) < forbidden)
            return np.where(never, -np.inf, np.where(chosen, -size, scores))

        return apply

    return change


def masked_unevenly(share: float) -> Distortion:
    """A share of the scores anywhere between -1e4 and -1e12."""

    def change(rng: np.random.Generator) -> Change:
        def apply(scores: np.ndarray) -> np.ndarray:
            chosen = (rng.random(scores.shape) < share) & np.isfinite(scores)
            return np.where(chosen, -(10 ** rng.uniform(4, 12, size=scores.shape)), scores)

        return apply

    return change


#: By name, with the unit in which differences count.
DISTORTIONS: dict[str, tuple[Distortion, float]] = {
    **{f"times {unit:g}": (scaled(unit), unit) for unit in (1e-9, 1e-6, 1e-4, 3e4, 1e6, 1e9, 1e12)},
    **{f"masks of {-size:g}": (masked(0.3, size), 1.0) for size in (1e4, 1e5, 1e6, 1e9, 1e12)},
    "masks of -1e9 and -inf": (masked(0.3, 1e9, forbidden=0.3), 1.0),
    "mostly masks": (masked(0.7, 1e9), 1.0),
    "masks of all sizes": (masked_unevenly(0.3), 1.0),
    "masks in large units": (lambda rng: _both(masked(0.3, 1e12)(rng), 1e4), 1e4),
    "masks in small units": (lambda rng: _both(masked(0.3, 1e4)(rng), 1e-6), 1e-6),
}


def _both(change: Change, unit: float) -> Change:
    return lambda scores: np.where(scores == (new := change(scores)), scores * unit, new)


def rescored(graph: FactorGraph, change: Change) -> FactorGraph:
    """Change every score of a graph, those of its factors too."""
    new = graph.copy()
    new.set_scores(change(graph.scores.copy()))
    new._chunks = {
        kind: [
            chunk._replace(scores=change(chunk.scores.copy())) if len(chunk.scores) else chunk
            for chunk in chunks
        ]
        for kind, chunks in graph._chunks.items()
    }
    new._blocks = None
    return new


def resolution(unit: float, best: float) -> float:
    """How far from the best value a proven one may be: a small share of a usual score, and of what
    the sum itself loses by rounding."""
    return 2e-5 * unit + 1e-11 * abs(best)
