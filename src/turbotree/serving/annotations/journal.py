"""A journal on the disk: what was added to it survives whatever happens next."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import zlib
from pathlib import Path
from typing import Any

from turbotree.files.atomic import flush_folder
from turbotree.serving.annotations.plain_files import check_plain, open_plain


class Journal:
    """Records appended to a file, one line each, on the disk before :meth:`append` returns.

    A line is a checksum and JSON. A line that fails its checksum is damaged: a crash came while it
    was being written, or the disk failed. Such lines are never records; the file as it was is kept
    aside, so that somebody can look at them.

    Parameters
    ----------
    path
        The file; made if it is not there.

    Attributes
    ----------
    recovered
        The records that were there.
    damaged
        Where the file as it was is kept, with the ending ``.damaged``, if a line was unreadable;
        else None.

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
        self._file = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            # The name of a new file is on the disk once its folder is.
            flush_folder(path.parent)
            content = path.read_bytes()
            self.recovered, all_readable, kept = _read(content)
            self.damaged = None if all_readable else _kept_aside(path, content)
            # A torn last line goes, or the next one would be glued to it.
            if kept != len(content):
                os.ftruncate(self._file, kept)
                os.fsync(self._file)
        except BaseException:
            os.close(self._file)
            raise
        self._size = kept
        self._torn = False  # whether something of a line that was not kept may be behind _size

    def append(self, record: Any) -> None:
        """Add a record; it is on the disk when this returns.

        Raises
        ------
        OSError
            It is not; and it will not be found later either.
        """
        if self._torn:
            self._cut_back()
        data = _line(record)
        try:
            written = os.write(self._file, data)
            if written != len(data):
                raise OSError(f"wrote {written} of {len(data)} bytes: disk full?")
            os.fsync(self._file)
        except BaseException:
            self._torn = True
            with contextlib.suppress(OSError):  # then before the next one is added
                self._cut_back()
            raise
        self._size += len(data)

    def clear(self) -> None:
        """Forget all records: they are kept elsewhere now."""
        os.ftruncate(self._file, 0)
        self._size = 0
        os.fsync(self._file)
        self._torn = False

    def close(self) -> None:
        """Close the file."""
        try:
            if self._torn:
                self._cut_back()
        finally:
            os.close(self._file)

    def _cut_back(self) -> None:
        os.ftruncate(self._file, self._size)
        os.fsync(self._file)
        self._torn = False


def _line(record: Any) -> bytes:
    body = json.dumps(record).encode()  # ASCII, so that a line end is one
    return f"{zlib.crc32(body):08x} ".encode() + body + b"\n"


def _read(content: bytes) -> tuple[list[Any], bool, int]:
    """Give the records, whether all lines are readable, and the bytes worth keeping."""
    records: list[Any] = []
    all_readable = True
    kept = at = 0
    *lines, unfinished = content.split(b"\n")
    for line in lines:
        at += len(line) + 1
        if not line:
            continue
        body = line[9:]
        try:
            if line[:9] != f"{zlib.crc32(body):08x} ".encode():
                raise ValueError("wrong checksum")
            records.append(json.loads(body))
        except (ValueError, RecursionError):
            all_readable = False
        else:
            kept = at
    return records, all_readable and not unfinished, kept


def _kept_aside(path: Path, content: bytes) -> Path:
    """Write what was found to a file of its own, and give its path; what is there already stays."""
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}.damaged" + (f"-{number}" if number > 1 else ""))
        try:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            check_plain(aside)
            if aside.read_bytes() == content:  # kept at an earlier start
                return aside
            continue
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            os.unlink(aside)
            raise
        flush_folder(aside.parent)
        return aside
    raise AssertionError  # numbers do not end
