"""Pretrained word vectors: not trained any further, and projected to the size of an input."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from turbotree.arrays import IntArray
from turbotree.errors import InputError

VectorArray = npt.NDArray[np.float32]


class WordVectors:
    """One vector for each of some words; a word that is not among them has zeros.

    Parameters
    ----------
    words
        The words, each once.
    values
        One row per word.

    Examples
    --------
    >>> vectors = WordVectors(["cat"], np.array([[1.0, 2.0]], dtype=np.float32))
    >>> vectors.rows_of(["a", "cat", "Cat"]).tolist(), vectors.table.tolist()
    ([0, 1, 1], [[0.0, 0.0], [1.0, 2.0]])
    """

    def __init__(self, words: Sequence[str], values: VectorArray) -> None:
        values = np.asarray(values, dtype=np.float32)
        if values.ndim != 2 or len(values) != len(words):
            raise InputError(f"{len(words)} words with vectors of shape {values.shape}")
        if not np.isfinite(values).all():
            raise InputError("word vectors that are not finite")
        self.words = list(words)
        self.table = np.concatenate([np.zeros((1, values.shape[1]), dtype=np.float32), values])
        self._rows = {word: row for row, word in enumerate(self.words, 1)}

    @property
    def size(self) -> int:
        """Length of each vector."""
        return int(self.table.shape[1])

    def rows_of(self, forms: Sequence[str]) -> IntArray:
        """Return the rows of some words, 0 for those without a vector."""
        row = self._rows.get
        found = [row(form, 0) or row(form.lower(), 0) for form in forms]
        return np.array(found, dtype=np.int32)
