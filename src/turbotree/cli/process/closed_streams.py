"""Standard streams that the shell has closed (``>&-``, ``<&-``): a clear line if they are needed.

Python has no stream at all then, and the next file that is opened would get its number. What needs
no stream works without it.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


class _Closed(io.RawIOBase):
    """A stream that says that it is closed, once; what comes after that goes nowhere."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._said = False

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        raise self._error()

    def readinto(self, buffer: Any) -> int:
        raise self._error()

    def write(self, data: Any) -> int:
        if not self._said:
            self._said = True
            raise self._error()
        return len(data)

    def _error(self) -> OSError:
        return OSError(errno.EBADF, f"{self.name} is closed")


def stand_in() -> None:
    """Put something in place of the standard streams that are closed."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed("standard input")), "utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed("standard output")), "utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
