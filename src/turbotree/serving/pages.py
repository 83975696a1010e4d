"""The files of the web page, read once and answered from memory."""

from __future__ import annotations

import zlib
from importlib import resources
from typing import NamedTuple

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Page(NamedTuple):
    """A file: what it holds, what it is, and a name for this version of it."""

    content: bytes
    media_type: str
    tag: str


def read_pages() -> dict[str, Page]:
    """Read the files of the page by name.

    >>> read_pages()["index.html"].media_type
    'text/html; charset=utf-8'
    """
    pages = {}
    for entry in resources.files("turbotree.serving").joinpath("static").iterdir():
        media_type = _TYPES.get("." + entry.name.rpartition(".")[2])
        if media_type is not None:
            content = entry.read_bytes()
            pages[entry.name] = Page(content, media_type, f'"{zlib.crc32(content):08x}"')
    return pages
