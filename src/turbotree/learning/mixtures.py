"""Mixtures of weights that started alike and were changed apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from turbotree.features import Weights
from turbotree.features.weights import Arrays

Keys = npt.NDArray[np.uint64]


def averaged_anew(weights: Weights) -> Weights:
    """Return the same weights, with nothing in their average but what is to come."""
    state = weights.state()
    state["weighted_updates"] = np.zeros_like(state["weighted_updates"])
    state["round"] = np.array([0, state["round"][1]])
    return Weights.restore(state)


def shares_of(updates: Sequence[int], shares: str) -> list[float]:
    """Return the share of each shard, by how often it changed the weights.

    >>> shares_of([3, 1], "uniform"), shares_of([3, 1], "updates")
    ([0.5, 0.5], [0.75, 0.25])
    """
    total = sum(updates)
    if shares == "uniform" or total == 0:
        return [1.0 / len(updates)] * len(updates)
    return [count / total for count in updates]


def mixed(states: Sequence[Arrays], shares: Sequence[float]) -> Arrays:
    """Mix the states of weights; a feature that one of them lacks has weight zero there.

    A state with round R and weighted updates u has the average w - u / R. That of the mixture is
    to be the mixture of the averages, at the latest of the rounds: so u is scaled to that round.
    """
    keys = merged([state["keys"] for state in states])
    weights, updates = np.zeros(len(keys)), np.zeros(len(keys))
    last = _last_round(states)
    for state, share in zip(states, shares, strict=True):
        at = np.searchsorted(keys, state["keys"])
        weights[at] += share * state["weights"].astype(np.float64)
        updates[at] += share * _updates_at(state, last)
    return _state(keys, weights, updates, last, states)


def mixed_by_feature(states: Sequence[Arrays], start: Arrays) -> Arrays:
    """Mix the states of weights, each feature over the states that differ from the start in it."""
    keys = merged([start["keys"], *(state["keys"] for state in states)])
    weights, updates, counts = (np.zeros(len(keys)) for _ in range(3))
    before = np.zeros((2, len(keys)), dtype=np.float32)
    at = np.searchsorted(keys, start["keys"])
    before[:, at] = start["weights"], start["weighted_updates"]
    last = _last_round(states)
    for state in states:
        at = np.searchsorted(keys, state["keys"])
        changed = state["weights"] != before[0, at]
        changed |= state["weighted_updates"] != before[1, at]
        at = at[changed]
        weights[at] += state["weights"][changed]
        updates[at] += _updates_at(state, last)[changed]
        counts[at] += 1.0
    known = counts > 0
    weights[known] /= counts[known]
    updates[known] /= counts[known]
    weights[~known], updates[~known] = before[:, ~known]
    return _state(keys, weights, updates, last, states)


def _last_round(states: Sequence[Arrays]) -> int:
    return max(int(state["round"][0]) for state in states)


def _updates_at(state: Arrays, last: int) -> npt.NDArray[np.float64]:
    ended = int(state["round"][0])
    scale = last / ended if ended else 1.0
    updates: npt.NDArray[np.float64] = scale * state["weighted_updates"].astype(np.float64)
    return updates


def _state(
    keys: Keys,
    weights: npt.NDArray[np.float64],
    updates: npt.NDArray[np.float64],
    last: int,
    states: Sequence[Arrays],
) -> Arrays:
    closed = max(int(state["round"][1]) for state in states)
    return {
        "keys": keys,
        "weights": weights.astype(np.float32),
        "weighted_updates": updates.astype(np.float32),
        "round": np.array([last, closed], dtype=np.int64),
    }


def merged(keys: Sequence[Keys]) -> Keys:
    """Merge rows of keys, each in ascending order, into one.

    >>> merged([np.array([1, 5], np.uint64), np.array([2, 5], np.uint64)]).tolist()
    [1, 2, 5]
    """
    # Stable sorting sees that there are sorted runs, and merges them.
    every: Keys = np.sort(np.concatenate(keys), kind="stable")
    is_new = np.ones(len(every), dtype=np.bool_)
    is_new[1:] = every[1:] != every[:-1]
    return every[is_new]
