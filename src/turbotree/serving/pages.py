"""The files of the web pages, read once and answered from memory.

What the heads of all pages have in common is in ``head.html``; it takes the place of a comment with
that name.
"""

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
    >>> b"<meta charset" in read_pages()["docs.html"].content
    True
    """
    pages = {}
    static = resources.files("turbotree.serving").joinpath("static")
    head = static.joinpath("head.html").read_bytes()
    for entry in static.iterdir():
        media_type = _TYPES.get("." + entry.name.rpartition(".")[2])
        if media_type is not None:
            content = entry.read_bytes().replace(b"<!-- head.html -->\n", head)
            pages[entry.name] = Page(content, media_type, f'"{zlib.crc32(content):08x}"')
    return pages
