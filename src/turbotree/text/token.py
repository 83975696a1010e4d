"""One word of a sentence, and how its HEAD is read."""

from __future__ import annotations

from typing import NamedTuple


class Token(NamedTuple):
    """One word of a sentence with its ten CoNLL-U columns; ``_`` stands for nothing.

    >>> from turbotree.text import Sentence
    >>> Sentence.from_words(["Birds", "sing"], heads=[2, 0]).words[0].head
    2
    """

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None
    deprel: str
    deps: str
    misc: str


class BadHeadError(Exception):
    """The HEAD of a word (1..n) is no number; never leaves this package."""

    def __init__(self, word: int, value: str) -> None:
        super().__init__(f"head {value!r} is not a word number, 0 or '_'")
        self.word = word


# Looking a head up is quicker than int(), and refuses what int() takes but CoNLL-U does not
# ("1_0", " 1", "+1", digits of other scripts).
_HEADS: dict[str, int | None] = {"_": None, **{str(number): number for number in range(1000)}}


def parse_heads(values: tuple[str, ...]) -> tuple[int | None, ...]:
    """Turn a HEAD column into numbers, ``_`` into None.

    >>> parse_heads(("2", "0", "_"))
    (2, 0, None)
    """
    try:
        return tuple([_HEADS[value] for value in values])
    except KeyError:
        return tuple([_parse_head(word, value) for word, value in enumerate(values, 1)])


def _parse_head(word: int, value: str) -> int | None:
    if value == "_":
        return None
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    raise BadHeadError(word, value)
