"""From the text of one sentence to its columns, checked line by line.

A block is the text of one sentence with everything around it: blank lines before, comments,
word lines, the blank line that ends it. Only LF ends a line; every other character is data, but
for the CR of CRLF files, which is no part of the last column's value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from turbotree.text.layouts import Layout

BYTE_ORDER_MARK = "\ufeff"
DOCUMENT_START = "-DOCSTART-"

_BLANKS = re.compile(r"[ \t]+")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
_WORD_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


# Tags and relations occur thousands of times: one object for each saves much of a treebank's
# memory. The other columns have too many values for it to pay.
_shared: dict[str, str] = {}
_SHARED_LIMIT = 100_000
_MANIFOLD = frozenset({"id", "form", "lemma", "head", "phead", "deps", "misc"})


class BlockError(Exception):
    """What is wrong, and in which line of the block (from 0); never leaves this package."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class Words(NamedTuple):
    """The words of a block: their line numbers (from 0) and their columns."""

    lines: Sequence[int]
    columns: tuple[tuple[str, ...], ...]


def parse_block(text: str, layout: Layout) -> Words:
    """Split a block into columns, or raise BlockError."""
    lines, columns = _parse_plain(text, layout) or _parse_lines(text, layout)
    if len(_shared) > _SHARED_LIMIT:
        _shared.clear()
    share = _shared.setdefault
    return Words(
        lines,
        tuple(
            [
                tuple(column) if name in _MANIFOLD else tuple(map(share, column, column))
                for name, column in zip(layout.columns, columns, strict=True)
            ]
        ),
    )


def is_blank(line: str, layout: Layout) -> bool:
    """Return whether a line (without its LF) ends a sentence."""
    if layout.separator == "\t":
        return line in ("", "\r")
    return not line.strip(" \t\r")


def is_comment(line: str, layout: Layout) -> bool:
    """Return whether a line is a comment; column files have none, as ``#`` may be a word."""
    return layout.numbered and line.startswith("#")


def split_line(line: str, layout: Layout) -> list[str]:
    """Split a word line into its values."""
    if line.endswith("\r"):
        line = line[:-1]
    if layout.separator is None:
        return _BLANKS.split(line.strip(" \t"))
    return line.split(layout.separator)


_numbers = [str(number) for number in range(1, 513)]
_line_feeds = ["\n"] * 512


_Split = tuple[Sequence[int], Sequence[Sequence[str]]]  # as Words, before sharing


def _parse_plain(text: str, layout: Layout) -> _Split | None:
    """Parse the plain case, comments and then nothing but words, with whole-block operations.

    Returns None for anything else, right or wrong. Each LF becomes a value of its own: if the
    column after the last holds all of them and nothing else, every line has the right number of
    columns.
    """
    separator = layout.separator
    if separator is None or not text.endswith("\n\n") or "\r" in text:
        return None
    start = comments = 0
    if layout.numbered:
        while text.startswith("#", start):
            start = text.index("\n", start) + 1
            comments += 1
    elif (
        DOCUMENT_START in text
        or text.startswith((" ", "\t", "\n", BYTE_ORDER_MARK))
        or "\n " in text
        or "\n\t" in text
        or text.find("\n\n") != len(text) - 2
    ):
        return None
    flat = text[start:-1].replace("\n", f"{separator}\n{separator}").split(separator)
    width = len(layout.columns) + 1
    count, rest = divmod(len(flat), width)
    if rest != 1 or not 0 < count <= len(_numbers):
        return None
    if flat.count("\n") != count or flat[width - 1 :: width] != _line_feeds[:count]:
        return None
    if layout.numbered and flat[0:-1:width] != _numbers[:count]:
        return None
    columns = [flat[column:-1:width] for column in range(width - 1)]
    return range(comments, comments + count), columns


def _parse_lines(text: str, layout: Layout) -> _Split:
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    unfinished = len(lines) - 1 if lines[-1] else -1  # the line that has no LF
    width = len(layout.columns)
    numbering = _Numbering(layout)
    ended = False
    places: list[int] = []
    rows: list[list[str]] = []
    for place, line in enumerate(lines):
        if is_blank(line, layout):
            ended = bool(rows)
            continue
        if ended:
            raise BlockError(place, "a second sentence begins here, expected one sentence")
        if not rows and place > 0 and line.startswith(BYTE_ORDER_MARK):
            raise BlockError(place, "a byte order mark that is not at the beginning")
        if is_comment(line, layout):
            continue
        if not layout.numbered and line.startswith(DOCUMENT_START):
            continue
        values = split_line(line, layout)
        if len(values) != width:
            count = "1 column" if len(values) == 1 else f"{len(values)} columns"
            reason = f"{count}, expected {width}"
            if place == unfinished:
                reason += " (the file looks truncated)"
            raise BlockError(place, reason)
        if not layout.numbered or numbering.is_word(place, values[0]):
            places.append(place)
            rows.append(values)
    if not rows:
        first = next((i for i, line in enumerate(lines) if not is_blank(line, layout)), 0)
        raise BlockError(first, "a sentence without words")
    numbering.finish()
    return places, list(zip(*rows, strict=True))


class _Numbering:
    """Checks the ID column of one sentence, from its first line to its last."""

    def __init__(self, layout: Layout) -> None:
        self._extended = layout.extended
        self._words = 0  # number of the last word
        self._empty = 0  # number of the last empty node after that word
        self._range_end = 0  # last word of the latest multiword token
        self._range_line = 0

    def is_word(self, line: int, value: str) -> bool:
        """Take the next line's ID; say whether the line holds a word."""
        if value == str(self._words + 1):
            self._words += 1
            self._empty = 0
            return True
        if self._extended:
            if match := _RANGE.fullmatch(value):
                self._take_range(line, value, int(match[1]), int(match[2]))
                return False
            if match := _EMPTY_NODE.fullmatch(value):
                self._take_empty_node(line, value, int(match[1]), int(match[2]))
                return False
        raise BlockError(line, self._complaint(value))

    def finish(self) -> None:
        """Check what only the end of the sentence can tell."""
        if self._range_end > self._words:
            raise BlockError(
                self._range_line,
                f"multiword token up to word {self._range_end} "
                f"in a sentence of {_count(self._words, 'word')}",
            )

    def _take_range(self, line: int, value: str, first: int, last: int) -> None:
        if last < first:
            raise BlockError(line, f"multiword token {value} ends before it begins")
        if first <= self._range_end:
            raise BlockError(line, f"multiword token {value} overlaps the one before")
        if first != self._words + 1:
            raise BlockError(line, f"multiword token {value} does not stand before word {first}")
        self._range_end, self._range_line = last, line

    def _take_empty_node(self, line: int, value: str, after: int, number: int) -> None:
        if after != self._words or number != self._empty + 1:
            expected = f"{self._words}.{self._empty + 1}"
            raise BlockError(line, f"empty node {value}, expected {expected} here")
        self._empty = number

    def _complaint(self, value: str) -> str:
        expected = self._words + 1
        if not _WORD_NUMBER.fullmatch(value):
            return f"id {value!r} is not a word number, expected {expected}"
        if int(value) <= self._words:
            return f"duplicate id {value}, expected {expected}"
        return f"missing id: {value} follows {self._words}, expected {expected}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
