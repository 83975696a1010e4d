"""Changing the text of one sentence and leaving alone every character that is not meant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from turbotree.text import blocks
from turbotree.text.layouts import Layout


def with_comment_lines(text: str, comments: Sequence[str], layout: Layout) -> str:
    """Put comment lines after those that stand before the words."""
    mark = blocks.BYTE_ORDER_MARK if text.startswith(blocks.BYTE_ORDER_MARK) else ""
    lines = text.removeprefix(mark).split("\n")
    ending = "\r" if lines[0].endswith("\r") else ""
    first = next(
        number
        for number, line in enumerate(lines)
        if not blocks.is_blank(line, layout) and not blocks.is_comment(line, layout)
    )
    lines[first:first] = [f"# {comment}{ending}" for comment in comments]
    return mark + "\n".join(lines)


def with_columns(
    text: str, words: blocks.Words, changes: Mapping[int, Sequence[str]], layout: Layout
) -> str:
    """Replace columns (by their index) on the word lines; leave every other character alone."""
    if isinstance(words.lines, range) and layout.separator is not None:  # the plain case
        columns: list[Sequence[str]] = list(words.columns)
        for index, column in changes.items():
            columns[index] = column
        before = text.split("\n", words.lines[0])[: words.lines[0]]
        rows = map(layout.separator.join, zip(*columns, strict=True))
        return "\n".join([*before, *rows, "", ""])
    mark = blocks.BYTE_ORDER_MARK if text.startswith(blocks.BYTE_ORDER_MARK) else ""
    lines = text.removeprefix(mark).split("\n")
    for word, place in enumerate(words.lines):
        row = {index: column[word] for index, column in changes.items()}
        lines[place] = _with_values(lines[place], row, layout)
    return mark + "\n".join(lines)


def _with_values(line: str, changes: dict[int, str], layout: Layout) -> str:
    ending = "\r" if line.endswith("\r") else ""
    body = line.removesuffix(ending)
    if layout.separator is not None:
        values = body.split(layout.separator)
        for column, value in changes.items():
            values[column] = value
        return layout.separator.join(values) + ending
    start = len(body) - len(body.lstrip(" \t"))
    stop = len(body.rstrip(" \t"))
    pieces = re.split(r"([ \t]+)", body[start:stop])
    for column, value in changes.items():
        pieces[2 * column] = value
    return body[:start] + "".join(pieces) + body[stop:] + ending
