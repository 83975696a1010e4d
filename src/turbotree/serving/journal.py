"""A journal on the disk: what was added to it survives whatever happens next."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any


class Journal:
    """Records appended to a file, one line each, on the disk before :meth:`append` returns.

    A line is a checksum and JSON. A crash while a line is being written leaves a line that fails
    its checksum; nobody was told that it was kept, so it is dropped at the next start.

    Parameters
    ----------
    path
        The file; made if it is not there.

    Attributes
    ----------
    recovered
        The records that were there.
    damaged
        Whether a line other than the last was unreadable. Then the file as it was is kept beside
        it, with the ending ``.damaged``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "journal"
    >>> journal = Journal(path)
    >>> journal.append({"n": 1})
    >>> journal.close()
    >>> Journal(path).recovered
    [{'n': 1}]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        # The name of a new file is on the disk once its folder is.
        _flush_folder(path.parent)
        content = path.read_bytes()
        self.recovered, self.damaged, kept = _read(content)
        if self.damaged:
            _keep(path.with_name(path.name + ".damaged"), content)
        # A torn last line goes, or the next one would be glued to it.
        if kept != len(content):
            os.ftruncate(self._file, kept)
            os.fsync(self._file)
        self._size = kept

    def append(self, record: Any) -> None:
        """Add a record; it is on the disk when this returns."""
        data = _line(record)
        try:
            written = os.write(self._file, data)
            if written != len(data):
                raise OSError(f"{self.path}: wrote {written} of {len(data)} bytes: disk full?")
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._size)  # not kept, so not to be found again either
            raise
        self._size += len(data)

    def clear(self) -> None:
        """Forget all records: they are kept elsewhere now."""
        os.ftruncate(self._file, 0)
        os.fsync(self._file)
        self._size = 0

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _line(record: Any) -> bytes:
    body = json.dumps(record).encode()  # ASCII, so that a line end is one
    return f"{zlib.crc32(body):08x} ".encode() + body + b"\n"


def _read(content: bytes) -> tuple[list[Any], bool, int]:
    """Give the records, whether one before the last is unreadable, and the bytes worth keeping."""
    records: list[Any] = []
    damaged = False
    kept = at = 0
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        at += len(line) + 1
        if not line:
            continue
        whole = number < len(lines) - 1  # the line has its end
        body = line[9:]
        if whole and line[:9] == f"{zlib.crc32(body):08x} ".encode():
            records.append(json.loads(body))
            kept = at
        elif any(lines[number + 1 :]):
            damaged = True
    return records, damaged, kept


def _keep(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # some file systems cannot
        pass
    finally:
        os.close(descriptor)
