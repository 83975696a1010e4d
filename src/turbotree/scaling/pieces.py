"""Cutting input files into pieces that workers take one at a time."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turbotree.errors import InputError
from turbotree.files.reading import opened
from turbotree.text import Layout, OnError, Sentence, read_layout
from turbotree.text.blocks import BYTE_ORDER_MARK


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of whole sentences of one file.

    Attributes
    ----------
    source
        The file.
    number
        Which of the file's pieces it is, from 0.
    start, end
        Its bytes in the file; a packed file is one piece, from 0 to -1.
    first_line
        The number of its first line in the file, from 1.
    """

    source: str
    number: int
    start: int
    end: int
    first_line: int

    def sentences(self, layout: Layout, on_error: OnError = "raise") -> Iterator[Sentence]:
        """Read the piece; its sentences know their places in the whole file."""
        if self.end < 0:
            return read_layout(self.source, layout, on_error=on_error)
        with open(self.source, "rb") as file:
            file.seek(self.start)
            content = _Named(file.read(self.end - self.start), self.source)
        return read_layout(content, layout, on_error=on_error, first_line=self.first_line)

    def text(self) -> str:
        """Return the piece of a file of plain text."""
        if self.end < 0:
            with opened(self.source) as packed:
                content = packed.read()
        else:
            with open(self.source, "rb") as file:
                file.seek(self.start)
                content = file.read(self.end - self.start)
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            line = self.first_line + content.count(b"\n", 0, error.start)
            raise InputError.at(self.source, line, f"not UTF-8: {error.reason}") from None
        return text if self.start > 0 else text.removeprefix(BYTE_ORDER_MARK)


class _Named(io.BytesIO):
    """Bytes that messages call by the name of the file they come from."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def cut(path: str | os.PathLike[str], most_bytes: int) -> list[Piece]:
    """Cut a file after blank lines into pieces of about `most_bytes`, longer if a sentence is.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "three.txt")
    >>> _ = file.write_text("a\\n\\nb\\nc\\n\\nd\\n\\n")
    >>> [(piece.start, piece.end, piece.first_line) for piece in cut(file, 4)]
    [(0, 8, 1), (8, 11, 6)]
    """
    if most_bytes < 1:
        raise InputError(f"pieces of {most_bytes} bytes; expected at least 1")
    source = os.fspath(path)
    if Path(source).suffix == ".gz":
        return [Piece(source, 0, 0, -1, 1)]
    pieces: list[Piece] = []
    start = at = 0
    first_line = line_number = 1
    blank = False
    with open(source, "rb") as file:
        for line in file:
            # A piece ends where a blank line is followed by one that is not.
            if blank and at - start >= most_bytes and line.strip():
                pieces.append(Piece(source, len(pieces), start, at, first_line))
                start, first_line = at, line_number
            blank = not line.strip()
            at += len(line)
            line_number += 1
    if at > start or not pieces:
        pieces.append(Piece(source, len(pieces), start, at, first_line))
    return pieces
