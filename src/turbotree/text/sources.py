"""Opening what sentences are read from: paths, gzip files, binary and text streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TypeAlias

from turbotree.errors import InputError
from turbotree.files.reading import input_errors, opened

#: A path, or an open stream of bytes or text.
Source: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"


def name_of(source: Source) -> str:
    """Return the name that messages call a source by."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def is_live(source: Source) -> bool:
    """Return whether somebody may be waiting for answers at the other end (a pipe, a terminal)."""
    if isinstance(source, str | os.PathLike):
        return False
    try:
        return not source.seekable()
    except (AttributeError, OSError, ValueError):
        return True


def check_encoding(encoding: str) -> None:
    """Raise InputError if there is no such encoding of lines of text.

    >>> check_encoding("latin-1")
    """
    try:
        plain = "a\n".encode(encoding) == b"a\n"
    except (LookupError, UnicodeError):
        raise InputError(f"unknown encoding {encoding!r}") from None
    if not plain:
        raise InputError(f"encoding {encoding!r}: lines end in other bytes than LF")


@contextmanager
def lines_of(source: Source, encoding: str | None = None) -> Iterator[Iterator[bytes]]:
    """Open a source and yield its lines as bytes, cut after LF and nowhere else.

    A path is closed at the end, a stream is left open. Whatever goes wrong is an InputError.
    Lines of another encoding come out in UTF-8.
    """
    path = name_of(source)
    if encoding is not None:
        with lines_of(source) as lines:
            yield _transcoded(lines, encoding, path)
    elif isinstance(source, str | os.PathLike):
        with opened(path) as stream:
            yield iter(stream)
    else:
        with input_errors(path):
            yield _as_bytes(source, path)


def _as_bytes(pieces: Iterable[bytes] | Iterable[str], path: str) -> Iterator[bytes]:
    """Turn a stream's lines into bytes; text streams may also cut lines at CR."""
    line = b""
    try:
        for piece in pieces:
            line += piece.encode() if isinstance(piece, str) else piece
            if line.endswith(b"\n"):
                yield line
                line = b""
    except UnicodeError as error:
        raise InputError(f"{path}: not Unicode text ({error})") from None
    if line:
        yield line


def _transcoded(lines: Iterable[bytes], encoding: str, path: str) -> Iterator[bytes]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode(encoding).encode()
        except UnicodeDecodeError as error:
            reason = f"not {encoding}: byte 0x{line[error.start]:02x} ({error.reason})"
            raise InputError.at(path, number, reason) from None
