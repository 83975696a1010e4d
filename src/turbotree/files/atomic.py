"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

__all__ = ["atomic_path", "atomic_stream", "flush_folder", "remove_unfinished"]

#: Temporary files that are being filled. A process that ends without further ado removes them.
_unfinished: set[Path] = set()


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Open a temporary file that takes the place of `path` when the block succeeds.

    The temporary file lies in the folder of `path`, so that the final rename stays on one file
    system. On success it is flushed to the disk and renamed; if the block raises, it is removed
    and `path` is left as it was. A symbolic link is followed, an existing file's permissions
    are kept, and a device or a pipe (``/dev/null``) is written to directly.

    Parameters
    ----------
    path : path-like
        The file to write.

    Yields
    ------
    pathlib.Path
        An empty file that the block fills.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "out.txt") as temporary:
    ...     _ = temporary.write_text("all of it")
    >>> [(file.name, file.read_text()) for file in folder.iterdir()]
    [('out.txt', 'all of it')]
    """
    mode = _existing_mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        # Renaming over a device would replace the device. A folder gives IsADirectoryError
        # when the block opens it. The path stays as it is, because that of an open pipe
        # (/dev/stdout) leads nowhere once it is resolved.
        yield Path(path)
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    _unfinished.add(temporary)
    try:
        # os.open, not tempfile: the system applies the umask, as for any newly written file.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield temporary
        _flush(temporary)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    finally:
        _unfinished.discard(temporary)
    flush_folder(target.parent)  # the file itself is safe by now


@contextlib.contextmanager
def atomic_stream(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for bytes that takes the place of `path` when the block succeeds.

    ``.gz`` is packed. See :func:`atomic_path`.
    """
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        if not os.fspath(path).endswith(".gz"):
            yield stream
            return
        import gzip  # here, to keep `import turbotree` quick

        # No name and no time inside, so that the same content gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            yield cast(IO[bytes], packed)


def flush_folder(folder: Path) -> None:
    """Get the names in a folder to the disk; some file systems cannot."""
    with contextlib.suppress(OSError):
        _flush(folder)


def remove_unfinished() -> None:
    """Remove the temporary files of this process: it is about to end, whatever it is doing."""
    for temporary in list(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _existing_mode(path: str | os.PathLike[str]) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
