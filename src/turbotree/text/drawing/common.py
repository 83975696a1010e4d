"""What both kinds of pictures need: checked input and the width of words."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from operator import index
from typing import NamedTuple

from turbotree.errors import InputError
from turbotree.text.checking import find_cycle


class Drawing(NamedTuple):
    """A tree to draw; `heads` are 0 for roots and None for words without a head."""

    forms: list[str]
    heads: list[int | None]
    labels: list[str]
    probabilities: list[float] | None


def checked(
    forms: Sequence[str],
    heads: Sequence[int | None],
    labels: Sequence[str],
    probabilities: Sequence[float] | None,
) -> Drawing:
    """Check that this is a tree (or part of one) and give it with printable words."""
    count = len(forms)
    given = {"heads": heads, "labels": labels, "probabilities": probabilities}
    for name, values in given.items():
        if values is not None and len(values) != count:
            raise InputError(f"{len(values)} {name} for {count} words")
    numbers = [None if head is None else index(head) for head in heads]
    for word, head in enumerate(numbers, 1):
        if head is not None and not 0 <= head <= count:
            raise InputError(f"head {head} of word {word} is outside the sentence ({count} words)")
    cycle = find_cycle([head or 0 for head in numbers])
    if cycle:
        raise InputError(f"words {', '.join(map(str, cycle))} form a cycle, a tree has none")
    chances = None if probabilities is None else [float(value) for value in probabilities]
    for word, chance in enumerate(chances or [], 1):
        if not -1e-6 <= chance <= 1 + 1e-6:
            raise InputError(f"probability {chance} of word {word} is not between 0 and 1")
    return Drawing([printable(f) for f in forms], numbers, [printable(x) for x in labels], chances)


def printable(text: str) -> str:
    """Replace what would disturb a terminal or a page (control characters, line ends).

    >>> printable("a\\tb\\x1b"), printable("10\\u00a0000")
    ('a·b·', '10 000')
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    # Joiners belong to the words of some scripts; other format characters may turn text about.
    if character.isprintable() or character in "\u200c\u200d":
        return character
    return " " if unicodedata.category(character) == "Zs" else "·"


def is_from_right(text: str) -> bool:
    """Return whether most letters of a text are written from right to left.

    >>> is_from_right("שלום עולם"), is_from_right("say שלום twice"), is_from_right("...")
    (True, False, False)
    """
    if text.isascii():
        return False
    strong = [unicodedata.bidirectional(character) for character in text]
    from_right = sum(direction in ("R", "AL") for direction in strong)
    return from_right > strong.count("L")


def isolated(text: str) -> str:
    """Keep a text that has letters from right to left from turning about what stands beside it.

    >>> isolated("dog"), isolated("כלב") == "\\u2068כלב\\u2069"
    ('dog', True)
    """
    if text.isascii() or not any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        return text
    return f"\u2068{text}\u2069"


def width(text: str) -> int:
    """Count the terminal cells of a text: wide characters take two, accents none.

    >>> width("naïve"), width("猫"), width("e\\u0301")
    (5, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, cells: int) -> str:
    """Fill a text with blanks on the right.

    >>> pad("猫", 4)
    '猫  '
    """
    return text + " " * (cells - width(text))
