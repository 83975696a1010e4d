"""A model is one safetensors file: arrays, and a JSON header that says what they mean.

The layout is the one every safetensors reader knows: eight bytes with the length of a JSON
table, the table, then the arrays without gaps. turbotree adds three habits: the bytes depend on
the contents alone, the arrays begin at a multiple of 64 bytes and are ordered so that each is
aligned to its item size, and the table opens with a checksum of every other byte of the file.
Reading copies the file into memory, checks it, and never runs code. The copy is what makes a loaded
model safe from what becomes of its file: a mapped file that somebody truncates ends the process.
"""

from __future__ import annotations

import io
import json
import mmap
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from turbotree.errors import InputError, ModelFileError
from turbotree.files.atomic import atomic_path
from turbotree.files.safetensors import (
    Array,
    BadFileError,
    array_entries,
    array_views,
    in_file_order,
)
from turbotree.models import absent, located

__all__ = [
    "FORMAT_VERSION",
    "ModelFile",
    "ModelHeader",
    "model_bytes",
    "model_from_bytes",
    "read_header",
    "read_model",
    "write_model",
]

FORMAT_NAME = "turbotree"
FORMAT_VERSION = 1

_ALIGNMENT = 64
# The safetensors library refuses larger tables.
_LONGEST_TABLE = 100_000_000

# The checksum's place is fixed, so that it can cover all bytes before and after itself.
# CRC-32 finds every run of up to 32 wrong bits and costs a fifth of SHA-256 or SHA-1.
_OPENING = b'{"__metadata__":{"checksum":"'
_CHECKSUM_AT = 8 + len(_OPENING)
_CHECKSUM_END = _CHECKSUM_AT + len("crc32:00000000")

#: What stands for a path in messages where there is none.
_NO_FILE = "<bytes>"


@dataclass(frozen=True, eq=False)
class ModelHeader:
    """What a model file says of itself, as :func:`read_header` gives it.

    Attributes
    ----------
    path : str
        Where it was read; ``<bytes>`` if that was no file.
    kind : str
        What the model does: ``"parser"``.
    header : dict
        The JSON header that the model's writer gave.
    format_version : int
        Version of the file's layout.
    package_version : str
        The turbotree that wrote it.
    checksum : str
        Checksum of the whole file; tells two models apart. :func:`read_model` has verified it.
    size : int
        Bytes in the file.
    """

    path: str
    kind: str
    header: dict[str, Any] = field(repr=False)
    format_version: int
    package_version: str
    checksum: str
    size: int


@dataclass(frozen=True, eq=False)  # arrays do not compare to one truth
class ModelFile(ModelHeader):
    """What a model file holds, as :func:`read_model` gives it: its header, and its arrays.

    Attributes
    ----------
    arrays : dict of str to numpy.ndarray
        Read-only views of one copy of the file in memory.
    """

    arrays: dict[str, Array] = field(repr=False)


def write_model(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Array],
    header: Mapping[str, Any],
    *,
    kind: str,
) -> None:
    """Write a model file, whole or not at all.

    The same arrays and header give the same bytes, whatever their order in the mappings.

    Parameters
    ----------
    path : path-like
        The file to write; an existing one is replaced in one step.
    arrays : mapping of str to numpy.ndarray
        Booleans, integers or floating-point numbers of any shape.
    header : mapping
        Anything that JSON can hold: templates, vocabularies, the training record, the data's
        licence. Keys are text; tuples come back as lists.
    kind : str
        What the model does, ``"parser"`` for instance; :func:`read_model` can ask for it.

    Raises
    ------
    InputError
        If an array or the header is of a type that the file cannot hold.
    ModelFileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/small.safetensors"
    >>> write_model(path, {"weights": np.arange(3.0)}, {"labels": ["nsubj"]}, kind="parser")
    >>> read_model(path).arrays["weights"]
    array([0., 1., 2.])
    """
    blocks = _blocks(arrays, header, kind)
    try:
        with atomic_path(path) as temporary, open(temporary, "wb") as out:
            for block in blocks:
                out.write(block)
    except OSError as error:
        raise ModelFileError(f"{os.fspath(path)}: cannot be written: {error.strerror}") from None


def model_bytes(arrays: Mapping[str, Array], header: Mapping[str, Any], *, kind: str) -> bytes:
    """Return what :func:`write_model` would write.

    Examples
    --------
    >>> data = model_bytes({"weights": np.arange(3.0)}, {}, kind="parser")
    >>> model_from_bytes(data).arrays["weights"]
    array([0., 1., 2.])
    """
    return b"".join(_blocks(arrays, header, kind))


def read_model(path: str | os.PathLike[str], *, kind: str | None = None) -> ModelFile:
    """Read a model file into memory and verify it.

    Parameters
    ----------
    path : path-like
        A file that :func:`write_model` wrote, or the name of a bundled or installed model:
        ``"en"``.
    kind : str, optional
        What the model has to be; any kind if not given.

    Returns
    -------
    ModelFile
        Its arrays are views of one private copy of the file, whatever becomes of the file.

    Raises
    ------
    ModelFileError
        If the file is missing, damaged, truncated, foreign, newer than this package, or of
        another kind.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/small.safetensors"
    >>> write_model(path, {"weights": np.arange(3.0)}, {"labels": ["nsubj"]}, kind="parser")
    >>> model = read_model(path, kind="parser")
    >>> model.header["labels"], model.arrays["weights"].tolist()
    (['nsubj'], [0.0, 1.0, 2.0])
    >>> read_model(path, kind="tagger")
    Traceback (most recent call last):
    ...
    turbotree.errors.ModelFileError: ...: is a 'parser' model, expected 'tagger'
    """
    name = located(path)
    with _problems_of(name), _opened(name) as (file, size):
        return _read(name, _filled(file, size), kind)


def read_header(path: str | os.PathLike[str]) -> ModelHeader:
    """Read what a model file says of itself, without its arrays.

    This takes no longer for a large model than for a small one. The checksum is not verified:
    :func:`read_model` does that.

    Parameters
    ----------
    path : path-like
        As for :func:`read_model`.

    Raises
    ------
    ModelFileError
        If the file is missing, foreign or newer than this package, or its header damaged.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/small.safetensors"
    >>> write_model(path, {"weights": np.arange(3.0)}, {"labels": ["nsubj"]}, kind="parser")
    >>> read_header(path).kind
    'parser'
    """
    name = located(path)
    with _problems_of(name), _opened(name) as (file, size):
        length = int.from_bytes(file.read(8) or b"", "little")
        file.seek(0)
        data = _filled(file, min(8 + length, size))
        table, _ = _table(data)
        return ModelHeader(**_facts(name, data, _metadata(table), size))


def model_from_bytes(data: bytes, *, kind: str | None = None) -> ModelFile:
    """Verify what :func:`model_bytes` made, as :func:`read_model` verifies a file.

    Raises
    ------
    ModelFileError
        As for :func:`read_model`.
    """
    try:
        return _read(_NO_FILE, _filled(io.BytesIO(data), len(data)), kind)
    except BadFileError as problem:
        raise ModelFileError(f"{_NO_FILE}: {problem}") from None


def _blocks(arrays: Mapping[str, Array], header: Mapping[str, Any], kind: str) -> list[Any]:
    """Build the bytes of a file, in pieces that need not be copied."""
    stored = in_file_order(arrays)
    head = _head(stored, header, kind)
    blocks = [array.reshape(-1).view(np.uint8).data for array in stored.values()]
    checksum = _crc32([head[:_CHECKSUM_AT], head[_CHECKSUM_END:], *blocks])
    head[_CHECKSUM_AT:_CHECKSUM_END] = checksum.encode()
    return [head, *blocks]


def _head(arrays: Mapping[str, Array], header: Mapping[str, Any], kind: str) -> bytearray:
    """Build all bytes before the arrays, with zeros for the checksum."""
    from turbotree import __version__  # late: turbotree imports the packages that import this

    table: dict[str, Any] = {
        "__metadata__": {
            "checksum": "crc32:00000000",
            "format": FORMAT_NAME,
            "format_version": str(FORMAT_VERSION),
            "header": _json(dict(header), sort_keys=True),
            "kind": kind,
            "package_version": __version__,
        }
    }
    table.update(array_entries(arrays))
    try:
        encoded = _json(table).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"the header holds text that is not Unicode: {error.object[error.start]!r}"
        ) from None
    encoded += b" " * (-(8 + len(encoded)) % _ALIGNMENT)
    if len(encoded) > _LONGEST_TABLE:
        raise InputError(
            f"the header has {len(encoded)} bytes, a model file holds up to {_LONGEST_TABLE}: "
            "store large tables as arrays"
        )
    return bytearray(len(encoded).to_bytes(8, "little") + encoded)


def _json(value: Any, *, sort_keys: bool = False) -> str:
    try:
        return json.dumps(
            value,
            sort_keys=sort_keys,
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the header cannot be written as JSON: {error}") from None


@contextmanager
def _problems_of(name: str) -> Iterator[None]:
    """Turn what goes wrong with a file into errors that name it."""
    try:
        yield
    except BadFileError as problem:
        raise ModelFileError(f"{name}: {problem}") from None
    except FileNotFoundError:
        raise ModelFileError(absent(name)) from None
    except OSError as error:
        raise ModelFileError(f"{name}: cannot be read: {error.strerror}") from None


@contextmanager
def _opened(name: str) -> Iterator[tuple[io.FileIO, int]]:
    """Open a file that is no pipe; also give its size."""
    # Asked before opening: opening a pipe would wait for its writer.
    try:
        mode = os.stat(name).st_mode
    except ValueError:  # a zero byte in the name
        raise BadFileError("cannot be read: no such file") from None
    if not stat.S_ISREG(mode):
        raise BadFileError("is a folder" if stat.S_ISDIR(mode) else "is not a regular file")
    with open(name, "rb", buffering=0) as file:
        yield file, os.fstat(file.fileno()).st_size


def _filled(stream: io.RawIOBase | io.BytesIO, size: int) -> memoryview:
    """Read a stream into memory that is aligned as arrays expect it, and that nobody changes.

    Memory that the system gives page by page, and not as NumPy asks for it: large pages took four
    times as long to get. Processes that are forked from this one share it.
    """
    if size == 0:
        raise BadFileError("truncated: the file is empty")
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if os.name == "posix" else {}
    memory = memoryview(mmap.mmap(-1, size, **private))
    done = 0
    while done < size and (count := stream.readinto(memory[done:])):
        done += count
    # Less than there was room for if somebody cuts the file short right now.
    return memory[:done].toreadonly()


def _read(name: str, data: memoryview, kind: str | None) -> ModelFile:
    table, start = _table(data)
    meta = _metadata(table)
    arrays = array_views(data, table, start)
    if _stored_checksum(data) != _crc32([data[:_CHECKSUM_AT], data[_CHECKSUM_END:]]):
        raise BadFileError("damaged: the checksum does not fit the contents")
    facts = _facts(name, data, meta, len(data))
    if kind is not None and facts["kind"] != kind:
        raise BadFileError(f"is a {facts['kind']!r} model, expected {kind!r}")
    return ModelFile(**facts, arrays=arrays)


def _metadata(table: dict[str, Any]) -> dict[str, Any]:
    """Take the metadata out of the table; those of a newer format are refused."""
    # Said before the rest is looked at: a newer format may do all of it in another way.
    meta = table.pop("__metadata__", None)
    if not isinstance(meta, dict) or meta.get("format") != FORMAT_NAME:
        raise BadFileError("not a turbotree model")
    version = str(meta.get("format_version"))
    if not (version.isascii() and version.isdigit() and len(version) < 10):
        raise BadFileError(f"damaged: format version {version[:20]!r} is not a number")
    if int(version) > FORMAT_VERSION:
        raise BadFileError(
            f"written by a newer turbotree (format {version}; "
            f"this one reads up to {FORMAT_VERSION}): upgrade"
        )
    return meta


def _facts(name: str, data: memoryview, meta: dict[str, Any], size: int) -> dict[str, Any]:
    """Return the fields of a :class:`ModelHeader`."""
    return {
        "path": name,
        "kind": str(meta.get("kind")),
        "header": _parse_json(meta.get("header"), "the model's header"),
        "format_version": int(meta["format_version"]),
        "package_version": str(meta.get("package_version")),
        "checksum": _stored_checksum(data),
        "size": size,
    }


def _stored_checksum(data: memoryview) -> str:
    return bytes(data[_CHECKSUM_AT:_CHECKSUM_END]).decode("ascii", "replace")


def _table(data: memoryview) -> tuple[dict[str, Any], int]:
    """Parse the JSON table; also give the place where the arrays begin."""
    length = int.from_bytes(data[:8], "little")
    opening = bytes(data[8 : 8 + len(_OPENING)])
    if not _OPENING.startswith(opening):
        # Another program's safetensors file, or no such file at all.
        raise BadFileError("not a turbotree model")
    if len(data) < _CHECKSUM_END:
        raise BadFileError(f"truncated: only {len(data)} bytes")
    if 8 + length > len(data):
        raise BadFileError(f"truncated: {len(data)} bytes, its header alone needs {8 + length}")
    return _parse_json(bytes(data[8 : 8 + length]), "the table of arrays"), 8 + length


def _parse_json(text: Any, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise BadFileError(f"damaged: {what} is not JSON") from None
    if not isinstance(value, dict):
        raise BadFileError(f"damaged: {what} is not a JSON object")
    return value


def _crc32(parts: Iterable[Any]) -> str:
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return f"crc32:{value:08x}"
