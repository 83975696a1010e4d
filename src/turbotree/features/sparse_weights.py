"""Weights for sparse learning: what shrinks by groups, and forgets the groups that die."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, KeyArray
from turbotree.features import _core

if TYPE_CHECKING:
    from turbotree.features.weights import Arrays, Weights


class ScaledWeights:
    """Weights whose groups are templates: few and large.

    Each template has a scale and a norm of its own, so that shrinking it costs the same however
    many features it has (the paper's triple of values, scale and norm). Features of a template
    that is scaled by zero are forgotten.
    """

    def __init__(self, *, expected: int = 0) -> None:
        self.table = _core.ScaledTable(expected)

    def __len__(self) -> int:
        return len(self.table)

    def add(self, gradient: _core.Gradient, scale: float) -> None:
        """Add ``scale * gradient`` to the weights."""
        self.table.add(gradient, scale)

    def norms(self) -> FloatArray:
        """Return the Euclidean norm of each template's weights."""
        norms: FloatArray = np.sqrt(self.table.squared_norms())
        return norms

    def sizes(self) -> npt.NDArray[np.int64]:
        """Return the number of features of each template."""
        return self.table.live()

    def scale(self, factors: FloatArray) -> None:
        """Multiply the weights of each template; those multiplied by zero are forgotten."""
        self.table.scale(factors)

    def threshold(self, amounts: FloatArray) -> None:
        """Move each weight towards zero by its template's amount, and forget those that arrive."""
        self.table.threshold(amounts)

    def clip(self, limits: FloatArray) -> None:
        """Clip each weight to its template's limit; templates whose limit is 0 are forgotten."""
        self.table.clip(limits)

    def compact(self) -> None:
        """Give back the memory of what is zero."""
        self.table.compact()

    def entries(self) -> tuple[KeyArray, npt.NDArray[np.float32]]:
        """Return the features in the order of their keys, and their weights; zeros are omitted."""
        keys, _ = self.table.entries()
        return _without_zeros(keys, self.table.find(keys))

    def plain(self) -> Weights:
        """Return the same weights as ordinary ones, to freeze or to go on with."""
        return _plain(*self.entries())

    def state(self) -> Arrays:
        """Return everything that :meth:`restore` needs, as arrays."""
        keys, values = self.table.entries()
        return {
            "keys": keys,
            "values": values,
            "scales": self.table.scales(),
            "squared_norms": self.table.squared_norms(),
        }

    @classmethod
    def restore(cls, state: Arrays) -> ScaledWeights:
        """Undo :meth:`state`."""
        weights = cls(expected=len(state["keys"]))
        weights.table.restore(
            state["keys"], state["values"], state["scales"], state["squared_norms"]
        )
        return weights


class LazyWeights:
    """Weights whose groups are many and small: single features, or a feature under all labels.

    A shrinking step is only written down; a group makes up for the steps it missed when a gradient
    next touches it.

    Parameters
    ----------
    by_label
        Whether the labels of a feature are one group.
    """

    def __init__(self, *, by_label: bool, expected: int = 0) -> None:
        self.table = _core.LazyTable(by_label, expected)

    def __len__(self) -> int:
        return len(self.table)

    def add(self, gradient: _core.Gradient, scale: float) -> None:
        """Add ``scale * gradient`` to the weights."""
        self.table.add(gradient, scale)

    def shrink(self, amount: float, *, divisor: float = 1.0) -> None:
        """Take an amount from the length of each group, then divide what is left."""
        self.table.shrink(amount, divisor)

    def compact(self) -> None:
        """Make up for all steps and give back the memory of what is zero."""
        self.table.compact()

    def entries(self) -> tuple[KeyArray, npt.NDArray[np.float32]]:
        """Return the features in the order of their keys, and their weights; zeros are omitted."""
        keys = self.table.entries()[0]
        return _without_zeros(keys, self.table.find(keys))

    def replace(self, keys: KeyArray, values: npt.NDArray[np.float32]) -> None:
        """Hold these features and no others from now on."""
        self.table = _core.LazyTable(self.table.by_label, len(keys))
        steps = np.zeros(len(keys), dtype=np.uint32)
        self.table.restore(keys, values, steps, np.ones(1), np.zeros(1))

    def plain(self) -> Weights:
        """Return the same weights as ordinary ones, to freeze or to go on with."""
        return _plain(*self.entries())

    def state(self) -> Arrays:
        """Return everything that :meth:`restore` needs, as arrays."""
        keys, values, steps, products, taken = self.table.entries()
        return {
            "keys": keys,
            "values": values,
            "steps": steps,
            "products": products,
            "taken": taken,
            "by_label": np.array([self.table.by_label]),
        }

    @classmethod
    def restore(cls, state: Arrays) -> LazyWeights:
        """Undo :meth:`state`."""
        weights = cls(by_label=bool(state["by_label"][0]), expected=len(state["keys"]))
        names = ("keys", "values", "steps", "products", "taken")
        weights.table.restore(*(state[name] for name in names))
        return weights


def _without_zeros(
    keys: KeyArray, values: npt.NDArray[np.float32]
) -> tuple[KeyArray, npt.NDArray[np.float32]]:
    return keys[values != 0], values[values != 0]


def _plain(keys: KeyArray, values: npt.NDArray[np.float32]) -> Weights:
    # Here, because ordinary weights name these among the kinds that can be scored with.
    from turbotree.features.weights import Weights

    return Weights.of(keys, values)


SparseWeights = ScaledWeights | LazyWeights
