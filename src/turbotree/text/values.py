"""What may stand in a column."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

from turbotree.errors import InputError
from turbotree.text.blocks import BYTE_ORDER_MARK, DOCUMENT_START
from turbotree.text.layouts import Layout


def value_text(value: str | SupportsIndex | None) -> str:
    """Return the text of a value: ``_`` for None, digits for any kind of integer.

    >>> value_text(3), value_text(None)
    ('3', '_')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "_"
    try:
        return str(index(value))
    except TypeError:
        kind = type(value).__name__
        raise InputError(f"value {value!r} is a {kind}, expected text, integer or None") from None


def column_of(
    values: Sequence[str] | Sequence[int | None], column: str, layout: Layout, count: int
) -> tuple[str, ...]:
    """Return the texts that are to replace a column of so many words, or raise InputError.

    >>> from turbotree.text.layouts import CONLLU
    >>> column_of([2, 0], "head", CONLLU, 2)
    ('2', '0')
    """
    if column == "id" and layout.numbered:
        raise InputError("the id column cannot be replaced")
    if len(values) != count:
        raise InputError(f"{len(values)} values for column {column!r}, expected {count}")
    texts = tuple([value_text(value) for value in values])
    check_values(texts, column, layout)
    return texts


def is_unicode(value: str) -> bool:
    """Return whether a text can be written as UTF-8: half a surrogate pair cannot.

    >>> is_unicode("naïve"), is_unicode("\\ud800")
    (True, False)
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_values(values: Sequence[str], column: str, layout: Layout) -> None:
    """Raise InputError if a value would not come back from the file it is written to.

    >>> from turbotree.text.layouts import CONLLU
    >>> check_values(["fine", "two words"], "form", CONLLU)
    """
    forbidden = ["\t", "\n"] if layout.separator == "\t" else [" ", "\t", "\n"]
    if column == layout.columns[-1]:
        forbidden.append("\r")  # at the end of a line it would be taken for a line ending
    together = "".join(values)
    for character in forbidden:
        if character in together:
            value = next(value for value in values if character in value)
            raise InputError(
                f"value {value!r} for column {column!r}: {character!r} cannot stand there"
            )
    if not is_unicode(together):
        raise InputError(f"a value for column {column!r} is not Unicode text")
    if layout.numbered:
        return
    if "" in values:
        raise InputError(f"empty value for column {column!r}: {layout.name} cannot hold it")
    if column == layout.columns[0]:
        for mark in (DOCUMENT_START, BYTE_ORDER_MARK):
            if any(value.startswith(mark) for value in values):
                raise InputError(f"a line cannot begin with {mark!r} and hold a word")
