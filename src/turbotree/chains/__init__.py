"""Algorithms on chains of states: Viterbi and forward-backward.

The functions are named as those of :mod:`turbotree.trees`; the structure is a set of chains, each
a row of nodes with a number of states of their own. Node ``i`` has the scores
``node_scores[offsets[i]:offsets[i + 1]]``; its edge block, at ``edge_offsets[i]``, holds a score
for each state of the node before and each of its own, row by row. A node with an empty edge block
starts a new chain.

Where all words choose from the same labels, :class:`Transitions` is simpler to use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import turbotree.chains._core as _core
from turbotree.arrays import FloatArray, IntArray
from turbotree.chains.pair_states import PairStates
from turbotree.chains.sequences import BestLabels, LabelMarginals, Transitions
from turbotree.errors import InfeasibleError, InputError

__all__ = [
    "BestLabels",
    "BestStates",
    "ChainMarginals",
    "LabelMarginals",
    "PairStates",
    "Transitions",
    "best_states",
    "marginals",
]


@dataclass(frozen=True, slots=True)
class BestStates:
    """The best state of each node, counted within the node, and the sum of the best scores."""

    states: IntArray
    value: float


@dataclass(frozen=True, slots=True)
class ChainMarginals:
    """Probabilities of states and edges, laid out as their scores were."""

    node_probabilities: FloatArray
    edge_probabilities: FloatArray
    log_partition: float


def best_states(
    node_scores: npt.ArrayLike,
    offsets: npt.ArrayLike,
    edge_scores: npt.ArrayLike,
    edge_offsets: npt.ArrayLike,
) -> BestStates:
    """Find the best states of every chain (Viterbi).

    Of equal ones, the last node takes its first state, then the node before it, and so on.

    Examples
    --------
    Two nodes of two states; taking the second state twice pays:

    >>> offsets, edge_offsets = [0, 2, 4], [0, 0, 4]
    >>> best_states([1.0, 0.0, 0.0, 0.0], offsets, [0.0, 0.0, 0.0, 2.0], edge_offsets)
    BestStates(states=array([1, 1], dtype=int32), value=2.0)
    """
    return BestStates(*_run(_core.viterbi, offsets, node_scores, edge_offsets, edge_scores))


def marginals(
    node_scores: npt.ArrayLike,
    offsets: npt.ArrayLike,
    edge_scores: npt.ArrayLike,
    edge_offsets: npt.ArrayLike,
) -> ChainMarginals:
    """Compute the probability of every state and edge (forward-backward).

    Examples
    --------
    >>> result = marginals([0.0, 0.0], [0, 2], [], [0, 0])
    >>> result.node_probabilities.round(3).tolist(), round(result.log_partition, 3)
    ([0.5, 0.5], 0.693)
    """
    return ChainMarginals(
        *_run(_core.forward_backward, offsets, node_scores, edge_offsets, edge_scores)
    )


def _run(
    algorithm: Callable[..., tuple[Any, ...]],
    offsets: npt.ArrayLike,
    node_scores: npt.ArrayLike,
    edge_offsets: npt.ArrayLike,
    edge_scores: npt.ArrayLike,
) -> tuple[Any, ...]:
    """Run an algorithm whose last answer is a score, -infinity if there is no other."""
    try:
        found = algorithm(
            np.ascontiguousarray(offsets, dtype=np.int32),
            np.ascontiguousarray(node_scores, dtype=np.float64),
            np.ascontiguousarray(edge_offsets, dtype=np.int32),
            np.ascontiguousarray(edge_scores, dtype=np.float64),
        )
    except OverflowError:
        raise InputError("the offsets of the chains are too large") from None
    except TypeError:
        raise InputError("chains are four rows of numbers: scores and offsets") from None
    except ValueError as error:
        raise InputError(str(error)) from None
    if found[-1] == -np.inf:
        raise InfeasibleError("a chain has no states whose scores are all above -infinity")
    return found
