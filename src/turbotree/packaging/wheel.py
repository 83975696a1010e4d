"""Wheels, written directly: a zip file whose bytes depend on its contents alone (PEP 427).

Where zlib is another one, it may pack the same contents into other bytes.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

#: The earliest date that a zip file can hold.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_READABLE = 0o100644
_LEVEL = 6


def write_wheel(path: Path, contents: Mapping[str, bytes], metadata_folder: str) -> None:
    """Write a wheel; ``RECORD``, the list of what it holds, is added.

    Parameters
    ----------
    path
        The file to write.
    contents
        Files by name, in the order in which they are stored; metadata should come last.
    metadata_folder
        Where ``RECORD`` goes: ``turbotree_pt-1.0.dist-info``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "x-1.0-py3-none-any.whl")
    >>> write_wheel(path, {"x.py": b""}, "x-1.0.dist-info")
    >>> print(zipfile.ZipFile(path).read("x-1.0.dist-info/RECORD").decode())
    x.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0
    x-1.0.dist-info/RECORD,,
    <BLANKLINE>
    """
    record = f"{metadata_folder}/RECORD"
    lines = [f"{name},{_digest(data)},{len(data)}\n" for name, data in contents.items()]
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in {**contents, record: "".join([*lines, f"{record},,\n"]).encode()}.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = _UNIX
            entry.external_attr = _READABLE << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, _LEVEL)


def _digest(data: bytes) -> str:
    code = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"sha256={code}"
