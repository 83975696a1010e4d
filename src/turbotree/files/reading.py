"""The bytes of files, unpacked if they are packed; what goes wrong is an InputError."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from turbotree.errors import InputError


@contextmanager
def opened(path: str, *, packed: tuple[str, ...] = (".gz",)) -> Iterator[IO[bytes]]:
    """Open a file for its bytes; those whose names end in one of `packed` are unpacked.

    Parameters
    ----------
    path
        The file.
    packed
        ``".gz"``, ``".xz"``, or both.
    """
    if "\0" in path:
        raise InputError(f"{path!r}: a null byte in the name of a file")
    with input_errors(path):
        if path.endswith(".gz") and ".gz" in packed:
            import gzip  # here, to keep `import turbotree` quick

            with gzip.open(path, "rb") as stream:
                yield cast(IO[bytes], stream)
        elif path.endswith(".xz") and ".xz" in packed:
            import lzma

            with lzma.open(path, "rb") as stream_of_xz:
                yield cast(IO[bytes], stream_of_xz)
        else:
            with open(path, "rb") as plain:
                yield plain


@contextmanager
def input_errors(path: str) -> Iterator[None]:
    """Turn what goes wrong with a file into an InputError."""
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise _damaged(path, error) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a file") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except Exception as error:
        if type(error).__name__ == "LZMAError":  # a class that is not loaded for other files
            raise _damaged(path, error) from None
        raise


def _damaged(path: str, error: Exception) -> InputError:
    kind = "xz" if path.endswith(".xz") else "gzip"
    return InputError(f"{path}: damaged {kind} file ({error})")
