"""Where a verb's output goes: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from turbotree.atomic import atomic_path
from turbotree.errors import InputError


def check_output(path: Path) -> None:
    """Raise InputError if a file cannot be written there: better now than after hours of work."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder, expected the name of a file")
    if path.exists() and not path.is_file():
        return  # a device or a pipe needs no folder of ours
    folder = Path(os.path.realpath(path)).parent
    if not folder.exists():
        raise InputError(f"{path}: there is no folder {folder}")
    if not folder.is_dir():
        raise InputError(f"{path}: {folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {folder}")


@contextmanager
def opened_output(path: Path | None) -> Iterator[IO[bytes]]:
    """Open standard output, or a file (``.gz`` is packed) that is kept if all goes well."""
    if path is None:
        yield sys.stdout.buffer
        return
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        if path.suffix != ".gz":
            yield stream
            return
        # No name and no time inside, so that the same output gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            yield cast(IO[bytes], packed)


def in_color(path: Path | None) -> bool:
    """Tell whether output that goes there may be coloured: only people's terminals."""
    stream: Any = sys.stdout
    return path is None and stream.isatty() and not os.environ.get("NO_COLOR")


def bytes_text(count: int) -> str:
    """Say how large a file is.

    >>> bytes_text(999), bytes_text(1_234_567)
    ('999 B', '1.2 MB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
