"""Files of pretrained word vectors: text, one line per word, its values behind it.

Files of word2vec and fastText begin with a line ``count size``, those of GloVe do not. Words of the
latter may contain spaces, so lines are split from the right. The most frequent words come first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.files.headers import shown
from turbotree.files.reading import opened

#: The core takes no wider inputs.
_WIDEST = 4096
#: No line of a file is longer than this; a file without line ends would fill the memory.
_LONGEST_LINE = 2**20
#: Of the numbers in the first line.
_MOST_DIGITS = 18
#: All that values are written with.
_OF_NUMBERS = b"0123456789.eE+- "

VectorArray = npt.NDArray[np.float32]


def read_vectors(
    path: str | os.PathLike[str], wanted: Iterable[str], limit: int
) -> tuple[list[str], VectorArray]:
    """Return words and their vectors: the wanted words first, then the most frequent.

    Every line is looked at, but only values that are kept are turned into numbers: of a file with
    millions of words, most of the time would go there. Memory grows with what is kept, whatever
    the file's first line says.

    Parameters
    ----------
    path
        The file; a ``.gz`` is unpacked.
    wanted
        Words to keep before all others.
    limit
        How many words to keep.
    """
    name = os.fspath(path)
    with opened(name) as stream:
        lines = _Lines(name, stream)
        kept = _Kept(lines.size, frozenset(wanted), limit)
        while (word := lines.next_word()) is not None:
            if kept.has_room_for(word):
                kept.add(word, lines.values())
    return kept.words, kept.table[: len(kept.words)]


class _Lines:
    """The lines of a file, each checked as it is met."""

    def __init__(self, path: str, stream: IO[bytes]) -> None:
        self._path, self._stream = path, stream
        self._number = 0
        self._values: bytes | list[bytes] = b""
        self._first: bytes | None = self._read()
        self._promised: int | None = None
        fields = (self._first or b"").split()
        if not fields:
            raise InputError(f"{path}: no word vectors")
        self.size = len(fields) - 1
        if len(fields) == 2 and all(field.isdigit() for field in fields):
            if max(map(len, fields)) > _MOST_DIGITS:
                raise self._wrong("the first line promises more than any file holds")
            self._promised, self.size = int(fields[0]), int(fields[1])
            self._first = None
        if not 1 <= self.size <= _WIDEST:
            raise self._wrong(f"vectors of size {self.size}, expected 1 to {_WIDEST}")

    def next_word(self) -> str | None:
        """Go on to the next line and return its word; None at the end."""
        line, self._first = self._first or self._read(), None
        if line is None:
            self._check_promise()
            return None
        text = line.rstrip()
        word, _, values = text.partition(b" ")
        self._values = values
        if (
            values.count(b" ") != self.size - 1
            or values.translate(None, _OF_NUMBERS)
            or b"  " in values
            or not (word and values)
        ):
            word = self._split(text)
        try:
            return word.decode()
        except UnicodeDecodeError as error:
            raise self._wrong(
                f"not UTF-8: byte 0x{word[error.start]:02x} ({error.reason})"
            ) from None

    def values(self) -> VectorArray:
        """Return the values of the line."""
        fields = self._values.split(b" ") if isinstance(self._values, bytes) else self._values
        try:
            numbers = [float(field) for field in fields]
        except ValueError:
            raise self._not_a_number(fields) from None
        with np.errstate(over="ignore"):
            values = np.array(numbers).astype(np.float32)
        finite = np.isfinite(values)
        if not finite.all():
            raise self._wrong(f"{_text(fields[int(finite.argmin())])} is not a finite number")
        return values

    def _split(self, text: bytes) -> bytes:
        """Split a line that is not written in the usual way, from the right; return its word."""
        word, *fields = text.rsplit(None, self.size) or [b""]
        if len(fields) < self.size:
            raise self._wrong(f"{len(fields)} values, expected {self.size}")
        if _ends_in_a_value(word):
            raise self._wrong(f"more than {self.size} values")
        if b"_" in b"".join(fields):  # which Python takes in numbers
            raise self._not_a_number(fields)
        self._values = fields
        self.values()
        return word.strip()

    def _read(self) -> bytes | None:
        line = self._stream.readline(_LONGEST_LINE + 1)
        self._number += 1
        if len(line) > _LONGEST_LINE:
            raise self._wrong(f"more than {_LONGEST_LINE:,} bytes: no text file of word vectors")
        return line or None

    def _check_promise(self) -> None:
        if self._promised is None:
            return
        found = self._number - 2  # neither the first line nor the end is a word
        if self._promised != found:
            raise InputError.at(
                self._path, 1, f"the first line promises {self._promised} words, {found} follow"
            )
        if found == 0:
            raise InputError(f"{self._path}: no word vectors")

    def _not_a_number(self, fields: list[bytes]) -> InputError:
        odd = next(field for field in fields if not _is_number(field))
        return self._wrong(f"{_text(odd)} is not a number")

    def _wrong(self, reason: str) -> InputError:
        return InputError.at(self._path, self._number, reason)


class _Kept:
    """The vectors to keep; when they are full, wanted words take the places of the last others."""

    def __init__(self, size: int, wanted: frozenset[str], limit: int) -> None:
        self._wanted, self._limit = wanted, limit
        self.words: list[str] = []
        self.table = np.empty((0, size), dtype=np.float32)
        self._known: set[str] = set()
        self._others: list[int] = []

    def has_room_for(self, word: str) -> bool:
        """Whether a word is to be kept; of a word that comes twice, the first line counts."""
        if word in self._known:
            return False
        if len(self.words) < self._limit:
            return True
        return word in self._wanted and bool(self._others)

    def add(self, word: str, values: VectorArray) -> None:
        """Keep a vector."""
        if len(self.words) < self._limit:
            row = len(self.words)
            self.words.append(word)
            if word not in self._wanted:
                self._others.append(row)
            if row == len(self.table):
                room = min(self._limit, max(64, 2 * row)) - row
                more = np.empty((room, self.table.shape[1]), dtype=np.float32)
                self.table = np.concatenate([self.table, more])
        else:
            row = self._others.pop()
            self._known.discard(self.words[row])
            self.words[row] = word
        self._known.add(word)
        self.table[row] = values


def _ends_in_a_value(word: bytes) -> bool:
    """Whether a word with spaces seems to have values in it: ``World War 2`` does not.

    >>> _ends_in_a_value(b"World War 2"), _ends_in_a_value(b"the 0.17")
    (False, True)
    """
    _, *more = word.split()
    return bool(more) and _is_number(more[-1]) and not (more[-1].isdigit() or more[-1].isalpha())


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return b"_" not in text


def _text(field: bytes) -> str:
    return shown(field.decode(errors="replace"))
