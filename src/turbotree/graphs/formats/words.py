"""A file as words split by white space, each with its line if something is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.graphs.formats.sources import chunks

#: No number and no name needs more.
_LONGEST_WORD = 4096


class Words:
    """The words of a file in their order. Only a piece of the file is in memory at a time.

    Parameters
    ----------
    path : str
        The file, ``.gz`` or ``.xz`` too.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._pieces = self._split()
        self._text = b""  # the present piece, its words, and the line that it begins in
        self._words: list[bytes] = []
        self._line = 1
        self._at = 0

    def _split(self) -> Iterator[bytes]:
        """Cut the file between words."""
        rest = b""
        for chunk in chunks(self.path):
            text = rest + chunk
            end = max(text.rfind(b" "), text.rfind(b"\n"), text.rfind(b"\t"), text.rfind(b"\r"))
            if len(text) - end > _LONGEST_WORD:
                raise InputError(f"{self.path}: a word of more than {_LONGEST_WORD} characters")
            rest = text[end + 1 :]
            yield text[: end + 1]
        yield rest

    def _more(self) -> bool:
        """Go on to the next piece with words in it; false at the end."""
        lines = self._text.count(b"\n")
        for piece in self._pieces:
            words = piece.split()
            if words:
                self._text, self._words, self._at = piece, words, 0
                self._line += lines
                return True
            lines += piece.count(b"\n")
        return False

    def wrong(self, reason: str, back: int = 1) -> InputError:
        """Build the error of the word that was read `back` words ago."""
        number = max(0, self._at - back)
        before = 0
        for place, found in enumerate(re.finditer(rb"\S+", self._text)):
            before = found.start()
            if place == number:
                break
        return InputError.at(self.path, self._line + self._text.count(b"\n", 0, before), reason)

    def _ended(self, what: str) -> InputError:
        return self.wrong(f"the file ends, expected {what}")

    def word(self, what: str) -> str:
        """Read one word; `what` is expected there."""
        if self._at == len(self._words) and not self._more():
            raise self._ended(what)
        self._at += 1
        return self._words[self._at - 1].decode("utf-8", "replace")

    def count(self, what: str, least: int, most: int) -> int:
        """Read a whole number in a range."""
        number = self.whole(what)
        if not least <= number <= most:
            raise self.wrong(f"expected {what} from {least} to {most}, got {number}")
        return number

    def whole(self, what: str) -> int:
        """Read a whole number of up to 18 digits."""
        word = self.word(what)
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", word, re.ASCII):
            raise self.wrong(f"expected {what}, got {word[:40]!r}")
        return int(word)

    def take(self, size: int, what: str) -> Iterator[list[bytes]]:
        """Read many words, as lists that follow one another; each is gone with the next."""
        while size:
            if self._at == len(self._words) and not self._more():
                raise self._ended(what)
            taken = self._words[self._at : self._at + size]
            self._at += len(taken)
            size -= len(taken)
            yield taken

    def numbers(self, size: int, what: str) -> FloatArray:
        """Read many finite numbers."""
        found = np.empty(size)
        done = 0
        for words in self.take(size, what):
            numbers = self._as_numbers(words, what)
            bad = np.flatnonzero(~np.isfinite(numbers))
            if bad.size:
                word = words[int(bad[0])].decode("utf-8", "replace")
                raise self.wrong(f"expected {what}, got {word[:40]!r}", len(words) - int(bad[0]))
            found[done : done + len(words)] = numbers
            done += len(words)
        return found

    def _as_numbers(self, words: list[bytes], what: str) -> FloatArray:
        try:
            return np.array(words).astype(np.float64)
        except ValueError:
            for place, word in enumerate(words):
                try:
                    float(word)
                except ValueError:
                    shown = word.decode("utf-8", "replace")[:40]
                    raise self.wrong(
                        f"expected {what}, got {shown!r}", len(words) - place
                    ) from None
            raise

    def at_end(self) -> bool:
        """Return whether no word is left."""
        return self._at == len(self._words) and not self._more()

    def end(self) -> None:
        """Refuse whatever comes after the last word that was needed."""
        if not self.at_end():
            self._at += 1
            word = self._words[self._at - 1].decode("utf-8", "replace")
            raise self.wrong(f"expected the end of the file, got {word[:40]!r}")
