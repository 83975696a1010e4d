"""Where results go: an output is checked before the work begins, and one run at a time has it.

Work that takes long keeps its state in a folder beside the output. A lock in that folder tells a
second run with the same output that the first is at work; the system takes it back when the first
ends, however that happens.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TypeAlias

from turbotree.errors import InputError

LOCK = "lock"
#: What a killed run may leave of a file that it was writing.
_HALF_WRITTEN = ".*.tmp"
#: How often a folder may vanish under our hands because another run ends.
_TRIES = 100


#: A file by its name, or by the descriptor under which it is open.
File: TypeAlias = "str | os.PathLike[str] | int"


def check_outputs(
    paths: Iterable[str | os.PathLike[str]], inputs: Iterable[File | None] = ()
) -> None:
    """Raise InputError if a file cannot be written, or if it would take the place of an input.

    Better now than after hours of work. Names, links and hard links of one file are all the same.

    Parameters
    ----------
    paths
        The files to write; no two of them may be the same.
    inputs
        What is read. Those that are not there, and those that are no ordinary files, stand in
        nobody's way; nor does None.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "trees.conllu").write_text("")
    >>> check_outputs([folder / "parsed.conllu"], [folder / "trees.conllu"])
    >>> check_outputs([folder / "trees.conllu"], [folder / "trees.conllu"])
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: ...: the output would take the place of the input ...
    """
    read = {identity(given): given for given in inputs if given is not None}
    written = set()
    for path in paths:
        name, own = os.fspath(path), identity(path)
        if own is not None and own in read:
            given = read[own]
            which = "on standard input" if isinstance(given, int) else os.fspath(given)
            raise InputError(f"{name}: the output would take the place of the input {which}")
        if own is not None and own in written:
            raise InputError(f"{name}: two outputs would be this one file")
        written.add(own)
        try:
            _check_writable(Path(path))
        except OSError as error:
            raise InputError(f"{name}: cannot be written: {error.strerror}") from None


def identity(file: File) -> tuple[int, int] | str | None:
    """Return what an ordinary file is known by, whatever it is called; None for other things.

    A file that is not there yet is known by the place where it would be.

    >>> identity("new.txt") == identity("./new.txt"), identity(os.devnull)
    (True, None)
    """
    try:
        state = os.stat(file)
    except (OSError, ValueError):
        return None if isinstance(file, int) else os.path.realpath(file)
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


def _check_writable(path: Path) -> None:
    found = None
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        found = os.stat(path)
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise InputError(f"{path}: is a folder, expected the name of a file")
    if found is not None and not stat.S_ISREG(found.st_mode):
        return  # a device or a pipe needs no folder of ours
    # The new file is renamed to the old one's name, which its permissions would not prevent.
    if found is not None and not os.access(path, os.W_OK):
        raise InputError(f"{path}: is read-only")
    folder = Path(os.path.realpath(path)).parent
    if not folder.exists():
        raise InputError(f"{path}: there is no folder {folder}")
    if not folder.is_dir():
        raise InputError(f"{path}: {folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {folder}")
    # What else may be in the way, a quota for instance, shows only when one tries.
    trial = folder / f".{secrets.token_hex(6)}.tmp"
    os.close(os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    os.unlink(trial)


@contextlib.contextmanager
def work_folder(
    folder: Path,
    output: str | os.PathLike[str],
    holds: Sequence[str],
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[None]:
    """Have a folder for the state of a run to oneself.

    It is made if it is not there, and goes in the end unless it holds something.

    Parameters
    ----------
    folder
        The folder.
    output
        What the run will write, for messages.
    holds
        Patterns of the names that runs may leave there. A folder with other things is somebody
        else's: :func:`clear` would delete them.
    inputs
        What the run reads; none of it may be in the folder.

    Raises
    ------
    InputError
        If another run has the folder, or it cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp(), "model.checkpoint")
    >>> with work_folder(place, "model", ["*.checkpoint"]):  # doctest: +ELLIPSIS
    ...     with work_folder(place, "model", ["*.checkpoint"]):
    ...         pass
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: model: another run is writing it; ...
    >>> place.exists()
    False
    """
    name, ours = os.fspath(output), (LOCK, _HALF_WRITTEN, *holds)
    try:
        descriptor = _locked(folder, name)
    except OSError as error:
        where = error.filename if error.filename is not None else folder
        raise InputError(f"{name}: {where}: cannot be written: {error.strerror}") from None
    try:
        for other in inputs:
            if _is_inside(other, folder):
                raise InputError(
                    f"{os.fspath(other)}: lies in {folder}, where the state of the run goes"
                )
        for entry in sorted(os.listdir(folder)):
            if not (_is_hidden(entry) or any(fnmatch(entry, name) for name in ours)):
                raise InputError(
                    f"{name}: the state of the run goes to {folder}, which holds {entry}, "
                    "no file of ours"
                )
        yield
    finally:
        with contextlib.suppress(OSError):
            # Somebody may have moved the folder, and another run made one of the same name.
            if identity(folder / LOCK) == identity(descriptor):
                os.unlink(folder / LOCK)
                os.rmdir(folder)  # fails if something is left, as it should
        os.close(descriptor)


def clear(folder: Path) -> None:
    """Delete what runs have left in a folder that we have to ourselves."""
    with contextlib.suppress(FileNotFoundError):
        for entry in list(os.scandir(folder)):
            if entry.name == LOCK or _is_hidden(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)


def _is_hidden(name: str) -> bool:
    """Return whether a file is of the system's making: such are neither ours nor in our way."""
    return name.startswith(".") and not fnmatch(name, _HALF_WRITTEN)


def _locked(folder: Path, name: str) -> int:
    """Make the folder and its lock, and return the descriptor that holds the lock."""
    path = folder / LOCK
    for _ in range(_TRIES):
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{name}: the state of the run goes to {folder}, which is no folder")
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue  # a run that ended just now has removed the folder
        try:
            if not _lock(descriptor):
                raise InputError(
                    f"{name}: another run is writing it; wait for its end, or choose another output"
                )
            if identity(path) == identity(descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # of a lock file that is gone: its run ended just now
    raise InputError(f"{name}: the state of the run goes to {folder}, which leads nowhere")


def _lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: runs are told apart by nobody
        return True
    return True


def _is_inside(path: str | os.PathLike[str], folder: Path) -> bool:
    return Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents
