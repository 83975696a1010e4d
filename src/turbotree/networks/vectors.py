"""Pretrained word vectors: not trained any further, and projected to the size of an input."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.networks.vector_files import VectorArray, read_vectors
from turbotree.text import Sentence

#: How many vectors are kept if nothing is said. They take a byte per value in a model: 10 MB
#: with a size of 100 and 30 MB with 300. Rarer words of a language hardly occur in a text.
MAX_VECTORS = 100_000

#: The core takes no more.
MOST_VECTORS = 2**26 - 1


class WordVectors:
    """One vector for each of some words; a word that is not among them has zeros.

    Parameters
    ----------
    words
        The words, each once.
    values
        One row per word.
    name
        Of the file that they were read from.
    licence
        Theirs, if it is known.

    Examples
    --------
    >>> vectors = WordVectors(["cat"], np.array([[1.0, 2.0]], dtype=np.float32))
    >>> vectors.rows_of(["a", "cat", "Cat"]).tolist(), vectors.table.tolist()
    ([0, 1, 1], [[0.0, 0.0], [1.0, 2.0]])
    """

    def __init__(
        self,
        words: Sequence[str],
        values: VectorArray,
        *,
        name: str = "",
        licence: str | None = None,
    ) -> None:
        values = np.asarray(values, dtype=np.float32)
        if values.ndim != 2 or len(values) != len(words):
            raise InputError(f"{len(words)} words with vectors of shape {values.shape}")
        if not np.isfinite(values).all():
            raise InputError("word vectors that are not finite")
        self.words = list(words)
        self.name, self.licence = name, licence
        self.table = np.concatenate([np.zeros((1, values.shape[1]), dtype=np.float32), values])
        self._rows = {word: row for row, word in enumerate(self.words, 1)}
        if len(self._rows) < len(self.words):
            raise InputError("the same word twice among word vectors")
        if "" in self._rows or any("\n" in word for word in self.words):
            raise InputError("word vectors of an empty word, or of one with a line end")

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        keep: Iterable[str] = (),
        limit: int = MAX_VECTORS,
        licence: str | None = None,
    ) -> WordVectors:
        """Read vectors of word2vec, fastText or GloVe, as text; a ``.gz`` is unpacked.

        Lines have a word and its values. A first line with the number of words and their size, as
        word2vec and fastText write it, is checked. Words may contain spaces. If a word comes twice,
        its first line counts.

        Parameters
        ----------
        path
            The file, the most frequent words first.
        keep
            The words of a treebank: those that have a vector, as they are or in lower case, are
            kept first.
        limit
            How many vectors to keep; beyond those of `keep`, the first of the file.
        licence
            That of the file.

        Raises
        ------
        InputError
            If a line has too few or too many values, something else than finite numbers, or is not
            UTF-8; if there is no vector; or if the first line promises what does not follow.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "small.vec")
        >>> _ = path.write_text("3 2\\nthe 0.5 1\\nof 2 0\\ncat 1.5 -1\\n")
        >>> WordVectors.read(path, keep=["Cat"], limit=2).words
        ['the', 'cat']
        """
        if type(limit) is not int or not 1 <= limit <= MOST_VECTORS:
            raise InputError(
                f"{limit!r} word vectors; expected a whole number from 1 to {MOST_VECTORS}"
            )
        wanted = {word for form in keep for word in (form, form.lower())}
        words, values = read_vectors(path, wanted, limit)
        name = os.path.basename(os.fspath(path))
        return cls(words, values, name=name, licence=licence)

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        about = [text for text in (self.name, self.licence) if text]
        told = f" ({', '.join(about)})" if about else ""
        return f"{len(self):,} word vectors of size {self.size}{told}"

    @property
    def size(self) -> int:
        """Length of each vector."""
        return int(self.table.shape[1])

    def rows_of(self, forms: Sequence[str]) -> IntArray:
        """Return the rows of some words, 0 for those without a vector."""
        row = self._rows.get
        found = [row(form, 0) or row(form.lower(), 0) for form in forms]
        return np.array(found, dtype=np.int32)

    def coverage(self, sentences: Iterable[Sentence]) -> str:
        """Say how many there are, and how many of the words to train on have one."""
        found = self.rows_of([form for sentence in sentences for form in sentence.forms])
        share = 100.0 * np.count_nonzero(found) / max(1, len(found))
        return (
            f"vectors  {len(self):,} of size {self.size}, "
            f"for {share:.1f} % of the words to train on"
        )

    def to_record(self) -> dict[str, Any]:
        """Return what tells them from others, and where they are from, as JSON-ready data."""
        checksum = zlib.crc32(self.table.data, zlib.crc32("\n".join(self.words).encode()))
        return {
            "file": self.name,
            "count": len(self),
            "size": self.size,
            "checksum": f"crc32:{checksum:08x}",
            **({} if self.licence is None else {"licence": self.licence}),
        }
