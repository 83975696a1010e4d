"""The bytes of a file of another program, unpacked, and no more of them than memory can hold."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from turbotree.errors import InputError

#: How large a file may be when it is unpacked: as words, one after another, and as one JSON value.
MOST_BYTES = 256_000_000
MOST_JSON_BYTES = 64_000_000

_PACKED = (".gz", ".xz")


def plain_name(path: str) -> str:
    """Return the name of a file without the ending of what it is packed by.

    >>> plain_name("grid.uai.xz"), plain_name("grid.uai")
    ('grid.uai', 'grid.uai')
    """
    for ending in _PACKED:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def chunks(path: str, size: int = 1 << 16) -> Iterator[bytes]:
    """Yield the bytes of a file piece by piece; what goes wrong is an InputError."""
    left = MOST_BYTES
    with _opened(path) as stream:
        while chunk := stream.read(size):
            left -= len(chunk)
            if left < 0:
                raise InputError(f"{path}: more than {MOST_BYTES:,} bytes")
            yield chunk


def whole(path: str) -> bytes:
    """Return all bytes of a file that is to be read as JSON."""
    with _opened(path) as stream:
        found = stream.read(MOST_JSON_BYTES + 1)
    if len(found) > MOST_JSON_BYTES:
        raise InputError(f"{path}: more than {MOST_JSON_BYTES:,} bytes")
    return found


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    try:
        if path.endswith(".gz"):
            import gzip  # here, to keep `import turbotree` quick

            with gzip.open(path, "rb") as packed:
                yield cast(IO[bytes], packed)
        elif path.endswith(".xz"):
            import lzma

            with lzma.open(path, "rb") as packed_xz:
                yield cast(IO[bytes], packed_xz)
        else:
            with open(path, "rb") as stream:
                yield stream
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path}: damaged, cannot be unpacked ({error})") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a file") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{os.fspath(path)!r}: {error}") from None  # a null byte in the name
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except Exception as error:
        if type(error).__name__ != "LZMAError":  # a class that is not loaded for other files
            raise
        raise InputError(f"{path}: damaged, cannot be unpacked ({error})") from None
