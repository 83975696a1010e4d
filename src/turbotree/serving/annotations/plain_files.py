"""Files that are what their names say: no links that lead elsewhere, no pipes that wait."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from turbotree.errors import InputError

_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def check_plain(path: Path) -> None:
    """Raise InputError if there is something else at a path than a plain file or nothing.

    >>> check_plain(Path("nothing-there"))
    >>> check_plain(Path("."))
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: .: is a folder, expected a plain file
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "a device")
        raise InputError(f"{path}: is {kind}, expected a plain file")


def open_plain(path: Path, flags: int) -> int:
    """Open a file and give its descriptor; what is no plain file is an InputError."""
    check_plain(path)
    # What took its place since is not followed and not waited for.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
