"""An HTML page that stands alone: it loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape


def page(title: str, style: str, body: Iterable[str]) -> Iterator[str]:
    """Return the pieces of a page with a title, a style sheet, and what its body holds.

    >>> "".join(page("Trees", "", ["<p>"])).splitlines()[-3:]
    ['<body>', '<p></body>', '</html>']
    """
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    yield from body
    yield "</body>\n</html>\n"
