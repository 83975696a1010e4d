"""The bytes of a file of another program, unpacked, and no more of them than memory can hold."""

from __future__ import annotations

from collections.abc import Iterator

from turbotree.errors import InputError
from turbotree.files.reading import opened

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
    with opened(path, packed=_PACKED) as stream:
        while chunk := stream.read(size):
            left -= len(chunk)
            if left < 0:
                raise InputError(f"{path}: more than {MOST_BYTES:,} bytes")
            yield chunk


def whole(path: str) -> bytes:
    """Return all bytes of a file that is to be read as JSON."""
    with opened(path, packed=_PACKED) as stream:
        found = stream.read(MOST_JSON_BYTES + 1)
    if len(found) > MOST_JSON_BYTES:
        raise InputError(f"{path}: more than {MOST_JSON_BYTES:,} bytes")
    return found
