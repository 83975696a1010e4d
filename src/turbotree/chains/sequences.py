"""Rows of words that all choose from the same labels, with only some labels after others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import turbotree.chains._core as _core
from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.quantities import check_least


@dataclass(frozen=True, slots=True)
class BestLabels:
    """The best label of each word, and for each row of words the sum of its scores."""

    labels: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True)
class LabelMarginals:
    """Probabilities of labels and pairs, laid out as their scores were, row by row of words."""

    node_probabilities: FloatArray
    edge_probabilities: FloatArray
    log_partitions: FloatArray


class Transitions:
    """Which labels may follow one another, stand first and stand last.

    Scores come as two rows of numbers: for each word, one per label; then, for each word but the
    first of its row, one per pair of labels in ``pairs``. Minus infinity forbids.

    Parameters
    ----------
    allowed
        ``allowed[a, b]``: whether label ``b`` may stand right after label ``a``.
    starts, ends
        Which labels may stand first and last; all of them if nothing is given.

    Examples
    --------
    Outside, begin, inside; inside comes only after begin or inside:

    >>> transitions = Transitions([[1, 1, 0], [1, 1, 1], [1, 1, 1]], starts=[1, 1, 0])
    >>> transitions.pairs.tolist()[:3]
    [[0, 0], [1, 0], [2, 0]]
    >>> nodes = [0.0, 0.5, 9.0, 0.0, 0.0, 1.0]
    >>> transitions.best([2], nodes, np.zeros(8)).labels.tolist()
    [1, 2]
    >>> transitions.k_best(nodes, np.zeros(8), 2).values.tolist()
    [1.5, 0.5]
    """

    def __init__(
        self,
        allowed: npt.ArrayLike,
        starts: npt.ArrayLike | None = None,
        ends: npt.ArrayLike | None = None,
    ) -> None:
        table = np.asarray(allowed, dtype=bool)
        if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table):
            raise InputError(f"allowed has the shape {table.shape}; expected one row per label")
        self.labels = len(table)
        self.allowed = table
        self.starts = self._flags(starts, "starts")
        self.ends = self._flags(ends, "ends")
        # By the second label, then the first.
        to_labels, from_labels = np.nonzero(table.T)
        #: The pairs of labels that are allowed, in the order of their scores.
        self.pairs: IntArray = np.stack([from_labels, to_labels], axis=1).astype(np.int32)
        #: Where each pair stands among them; -1 for what is not allowed.
        self.places: IntArray = np.full(table.shape, -1, dtype=np.int32)
        self.places[from_labels, to_labels] = np.arange(len(self.pairs))
        self._core = _core.Transitions(
            np.ascontiguousarray(self.pairs[:, 0]),
            np.ascontiguousarray(self.pairs[:, 1]),
            self.starts.astype(np.uint8),
            self.ends.astype(np.uint8),
        )

    def _flags(self, given: npt.ArrayLike | None, name: str) -> BoolArray:
        flags = np.ones(self.labels, bool) if given is None else np.asarray(given, dtype=bool)
        if flags.shape != (self.labels,):
            raise InputError(f"{name} has the shape {flags.shape}; expected ({self.labels},)")
        return flags

    def best(
        self, lengths: npt.ArrayLike, node_scores: npt.ArrayLike, edge_scores: npt.ArrayLike
    ) -> BestLabels:
        """Find the best labels of some rows of words (Viterbi).

        Of equal ones, the last word takes its first label, then the word before it, and so on.
        """
        found = BestLabels(*_run(self._core.best_labels, lengths, node_scores, edge_scores))
        _check_feasible(found.values)
        return found

    def marginals(
        self, lengths: npt.ArrayLike, node_scores: npt.ArrayLike, edge_scores: npt.ArrayLike
    ) -> LabelMarginals:
        """Compute the probability of every label and pair of labels (forward-backward)."""
        found = LabelMarginals(*_run(self._core.marginals, lengths, node_scores, edge_scores))
        _check_feasible(found.log_partitions)
        return found

    def k_best(self, node_scores: npt.ArrayLike, edge_scores: npt.ArrayLike, k: int) -> BestLabels:
        """Find the best labellings of one row of words, best first; fewer if there are fewer.

        ``labels`` has one row per labelling.
        """
        check_least("k", k, 1)
        words = np.size(node_scores) // self.labels
        if not words:
            return BestLabels(np.zeros((1, 0), np.int32), np.zeros(1))

        def k_best(_: IntArray, nodes: FloatArray, edges: FloatArray) -> tuple[Any, ...]:
            return self._core.k_best(words, nodes, edges, k)

        found = BestLabels(*_run(k_best, [words], node_scores, edge_scores))
        if not len(found.values):
            _check_feasible(np.array([-np.inf]))
        return found


def _check_feasible(values: FloatArray) -> None:
    if (values == -np.inf).any():
        raise InfeasibleError("a row of words has no labels whose scores are all above -infinity")


def _run(
    algorithm: Callable[..., tuple[Any, ...]],
    lengths: npt.ArrayLike,
    node_scores: npt.ArrayLike,
    edge_scores: npt.ArrayLike,
) -> tuple[Any, ...]:
    try:
        return algorithm(
            np.ascontiguousarray(lengths, dtype=np.int32),
            np.ascontiguousarray(node_scores, dtype=np.float64),
            np.ascontiguousarray(edge_scores, dtype=np.float64),
        )
    except (OverflowError, TypeError):
        raise InputError("expected lengths and two rows of scores, all of them numbers") from None
    except ValueError as error:
        raise InputError(str(error)) from None
