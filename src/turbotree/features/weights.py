"""Weights: growing and averaged while training, frozen and compact afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.features import _core
from turbotree.features.sparse_weights import LazyWeights, ScaledWeights

Arrays = dict[str, npt.NDArray[Any]]


class Weights:
    """Sparse weights in training: one open-addressing table that grows when features appear.

    The table remembers what it needs to give the average of the weights at the end of each
    round, which is what :meth:`freeze` keeps; before the first round ends, the weights themselves.
    """

    def __init__(self, *, expected: int = 0) -> None:
        self.table = _core.WeightTable(expected)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def round(self) -> int:
        """Number of finished training rounds, those that the average counts."""
        return self.table.round

    def next_round(self) -> None:
        """Finish a training round: the weights as they now are count once in the average."""
        self.table.round += 1

    def restart_average(self) -> None:
        """Omit the rounds so far from the average; the weights stay as they are."""
        keys, weights, _ = self.table.entries()
        self.table.restore(keys, weights, np.zeros(len(keys), dtype=np.float32))
        self.table.round = 0

    def add(self, gradient: _core.Gradient, scale: float) -> None:
        """Add ``scale * gradient`` to the weights."""
        self.table.add(gradient, scale)

    def support(self, gradient: _core.Gradient) -> None:
        """Make room for the features of a gradient without changing any weight."""
        self.table.insert(gradient)

    def close(self) -> None:
        """Take no new features from now on."""
        self.table.closed = True

    def freeze(
        self, *, labels: int | None = None, threshold: float = 0.0, bits: int = 32
    ) -> FrozenWeights:
        """Return the averaged weights in their compact, read-only form.

        Parameters
        ----------
        labels
            Number of labels that the features of labelled parts go with; None for unlabelled ones.
        threshold
            Weights of at most this magnitude are omitted.
        bits
            32; or 16, for a table of about a third of the size: weights keep eleven significant
            bits, and a feature that has no weight gets another one's in one of some three
            thousand look-ups (with labels, of some sixty thousand).
        """
        check_bits(bits)
        if bits == 16 and labels is None:
            return FrozenWeights(self.table.freeze_compact(threshold), None)
        if labels is None:
            return FrozenWeights(self.table.freeze(threshold), None)
        label_bits = max(0, (labels - 1).bit_length())
        if bits == 16:
            return FrozenWeights(self.table.freeze_labels_compact(threshold), label_bits)
        return FrozenWeights(self.table.freeze_labels(label_bits, threshold), label_bits)

    def state(self) -> Arrays:
        """Return everything that :meth:`restore` needs, as arrays."""
        keys, weights, weighted_updates = self.table.entries()
        return {
            "keys": keys,
            "weights": weights,
            "weighted_updates": weighted_updates,
            "round": np.array([self.round, self.table.closed], dtype=np.int64),
        }

    @classmethod
    def of(cls, keys: npt.NDArray[np.uint64], values: npt.NDArray[np.float32]) -> Weights:
        """Make weights of some features, as they are before the first round ends."""
        weights = cls(expected=len(keys))
        weights.table.restore(keys, values, np.zeros(len(keys), dtype=np.float32))
        return weights

    @classmethod
    def closed_to(cls, keys: npt.NDArray[np.uint64]) -> Weights:
        """Make weights of some features, all zero, that take no others."""
        weights = cls.of(keys, np.zeros(len(keys), dtype=np.float32))
        weights.close()
        return weights

    @classmethod
    def restore(cls, state: Arrays) -> Weights:
        """Undo :meth:`state`."""
        weights = cls(expected=len(state["keys"]))
        weights.table.restore(state["keys"], state["weights"], state["weighted_updates"])
        weights.table.round = int(state["round"][0])
        weights.table.closed = bool(state["round"][1])
        return weights


class FrozenWeights:
    """Read-only weights of a finished model; ``slots`` may be a part of its file in memory.

    Parameters
    ----------
    slots
        The table. With 32 bits per weight, rows of integers: with labels a tag and a weight,
        without them eight of each. With 16 bits, rows of sixteen tags and weights; with labels,
        one row of words (``core/features/tables/compact_rows.h``).
    label_bits
        How many bits a label takes; None if there are no labels.
    """

    def __init__(
        self, slots: npt.NDArray[np.uint32] | npt.NDArray[np.uint16], label_bits: int | None
    ) -> None:
        self.slots = slots
        self.label_bits = label_bits
        kind = str(getattr(slots, "dtype", type(slots)))
        table: Any = _TABLES.get((kind, label_bits is not None))
        if table is None:
            raise TypeError(f"a table of weights of type {kind}; expected uint32 or uint16")
        arguments = (slots, label_bits) if table is _core.RowTable else (slots,)
        self.table: FrozenTable = table(*arguments)

    def __len__(self) -> int:
        if isinstance(self.table, _core.CompactRows):
            return len(self.table)
        tags = self.slots[:, : self.slots.shape[1] // 2]
        return int(np.count_nonzero(tags))

    @property
    def bits(self) -> int:
        """Bits of a weight: 32 or 16."""
        return 16 if self.slots.dtype == np.uint16 else 32

    @property
    def memory_bytes(self) -> int:
        """Size in memory and in a model file."""
        return int(self.slots.nbytes)


FrozenTable = _core.BucketTable | _core.RowTable | _core.CompactBuckets | _core.CompactRows

# By the type of the slots, and whether there are labels.
_TABLES = {
    ("uint32", False): _core.BucketTable,
    ("uint32", True): _core.RowTable,
    ("uint16", False): _core.CompactBuckets,
    ("uint16", True): _core.CompactRows,
}


def check_bits(bits: int) -> None:
    """Raise InputError if weights cannot be stored in so many bits.

    >>> check_bits(16)
    """
    if bits not in (16, 32):
        raise InputError(f"bits is {bits!r}; expected 16 or 32")


AnyWeights = Weights | FrozenWeights | ScaledWeights | LazyWeights
