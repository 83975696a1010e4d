"""Where a command's output goes: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from turbotree.cli.inputs.reading import STDIN
from turbotree.errors import InputError, ModelFileError
from turbotree.files.atomic import atomic_stream
from turbotree.files.outputs import check_outputs, identity
from turbotree.models import located

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def check_output(path: Path | None, inputs: Iterable[Path | str | None]) -> None:
    """Raise InputError if the output cannot be written, or would take the place of an input.

    Parameters
    ----------
    path
        The file to write; None is standard output.
    inputs
        All that the command reads: files, names of models, ``-`` for standard input. None and what
        does not exist are ignored.
    """
    read = [_file(given) for given in inputs if given is not None]
    if path is not None:
        check_outputs([path], read)
        return
    written = _descriptor(sys.stdout)
    known = identity(written) if written is not None else None
    for given in read:
        # With >> we would append to the input while we read it, and never come to its end.
        if known is not None and given is not None and identity(given) == known:
            raise InputError("the output would go to the input; choose another file")


def _file(given: Path | str) -> str | int | None:
    if Path(given) == STDIN:
        return _descriptor(sys.stdin)
    try:
        return located(given)
    except ModelFileError:  # whoever reads it as a model will say what is wrong
        return os.fspath(given)


def _descriptor(stream: Any) -> int | None:
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):  # not a real file, as in tests
        return None


@contextmanager
def opened_output(path: Path | None) -> Iterator[IO[bytes]]:
    """Open standard output, or a file (``.gz`` is packed) that is kept if all goes well."""
    if path is None:
        with _named("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with _named(os.fspath(path)), atomic_stream(path) as stream:
        yield stream


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Say where there is no room; the system does not."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _NO_ROOM:
            raise OSError(error.errno, error.strerror, name) from None
        raise


def in_color(path: Path | None) -> bool:
    """Return whether output that goes there may be coloured: only people's terminals."""
    stream: Any = sys.stdout
    return path is None and stream.isatty() and not os.environ.get("NO_COLOR")
