"""Predicates as tables, and what joins them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import LongArray
from turbotree.graphs.rules.circuit import FALSE, TRUE

Ints = LongArray


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A predicate: its rows with their truth values; what is not listed is false.

    Attributes
    ----------
    rows : int64 array of shape (R, K)
        Codes of the values; no row comes twice.
    truths : int64 array of shape (R,)
        `TRUE`, or literals.
    """

    rows: Ints
    truths: Ints

    @classmethod
    def of(cls, rows: object, truths: object = None, columns: int = 0) -> Relation:
        """Make a relation of anything that arrays are made of; without truths all is true.

        >>> Relation.of([[1, 2], [2, 3]]).look_up([np.array([2, 2]), np.array([3, 4])]) == TRUE
        array([ True, False])
        """
        table = np.asarray(rows, dtype=np.int64)
        if table.ndim != 2:
            table = table.reshape(-1, columns)
        given = np.full(len(table), TRUE) if truths is None else np.asarray(truths, dtype=np.int64)
        return cls(table, given)

    def look_up(self, columns: Sequence[Ints]) -> Ints:
        """Return the truth value of each row of values."""
        found = np.full(len(columns[0]) if columns else 1, FALSE, dtype=np.int64)
        if not len(self.rows) or not len(found):
            return found
        if not columns:
            return np.repeat(self.truths[:1], len(found))
        wanted = np.column_stack(columns)
        known, keys = _keys(self.rows, wanted)
        order = np.argsort(known, kind="stable")
        sorted_keys = known[order]
        places = np.minimum(np.searchsorted(sorted_keys, keys), len(known) - 1)
        hit = sorted_keys[places] == keys
        found[hit] = self.truths[order[places[hit]]]
        return found


def join(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of a row on the left and one on the right that are equal.

    >>> join(np.array([[1], [2]]), np.array([[2], [2], [3]]))
    (array([1, 1]), array([0, 1]))
    """
    if left.shape[1] == 0:
        pairs = np.indices((len(left), len(right))).reshape(2, -1)
        return pairs[0], pairs[1]
    if not len(left) or not len(right):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing
    left_keys, right_keys = _keys(left, right)
    order = np.argsort(right_keys, kind="stable")
    ordered = right_keys[order]
    first = np.searchsorted(ordered, left_keys, "left")
    counts = np.searchsorted(ordered, left_keys, "right") - first
    rows = np.repeat(np.arange(len(left)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, order[np.repeat(first, counts) + within]


def _keys(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Give rows of two tables one number each, equal where the rows are."""
    if left.shape[1] == 1:
        return left[:, 0], right[:, 0]
    both = np.concatenate([left, right])
    lowest = both.min(axis=0)
    spans = both.max(axis=0) - lowest + 1
    if float(np.prod(spans.astype(np.float64))) < 2.0**62:
        keys = np.zeros(len(both), dtype=np.int64)
        for column, low, span in zip(both.T, lowest, spans, strict=True):
            keys = keys * span + (column - low)
    else:
        keys = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    return keys[: len(left)], keys[len(left) :]
