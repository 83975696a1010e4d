"""Cutting text into atoms, the pieces that a tokenizer puts together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from turbotree.features.attributes import Word, word_pattern

#: How fine atoms are: runs of letters, of digits, of one mark; or single characters.
UNITS = ("runs", "characters")

# Marks that go with the letter before them, in scripts that write vowels or accents apart.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0de5"
# Scripts without spaces between words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUNS = re.compile(
    f"[{_UNSPACED}]"
    f"|(?:(?![{_UNSPACED}])[^\\W\\d_]|[{_MARKS}])+"
    r"|\d+"
    r"|(.)\1*",
    re.DOTALL,
)
_CHUNK = re.compile(r"\S+")
_LONGEST_CHUNK = 40  # characters of it that are looked at

SPACE, NO_SPACE = "space", "none"


class Atom(NamedTuple):
    """A piece of text, where it begins, and what templates see of it.

    Templates see five columns: the atom (form), the stretch between spaces that it stands in
    (lemma), whether a space follows (upos), its kind and length (xpos), and the pattern of the
    stretch (feats).
    """

    start: int
    word: Word


@lru_cache(maxsize=50_000)
def _cut(chunk: str, unit: str) -> tuple[Word, ...]:
    """Cut what stands between two spaces; a space follows the last piece."""
    pieces = [m[0] for m in _RUNS.finditer(chunk)] if unit == "runs" else list(chunk)
    shown = chunk[:_LONGEST_CHUNK].lower()
    pattern = word_pattern(chunk[:_LONGEST_CHUNK])
    last = len(pieces) - 1
    return tuple(
        (piece, shown, SPACE if i == last else NO_SPACE, _kind(piece), pattern)
        for i, piece in enumerate(pieces)
    )


def _kind(piece: str) -> str:
    first = piece[0]
    kind = "d" if first.isdigit() else "."
    if first.isalpha():
        kind = "X" if first.isupper() else "x"
    return f"{kind}{min(len(piece), 4)}"


def atoms_of(text: str, unit: str = "runs") -> Iterator[Atom]:
    """Cut a text into atoms; what is blank is omitted.

    >>> [atom.word[0] for atom in atoms_of("Don't go to B2B... ok?")]
    ['Don', "'", 't', 'go', 'to', 'B', '2', 'B', '...', 'ok', '?']
    >>> [atom.start for atom in atoms_of("a  bc", "characters")]
    [0, 3, 4]
    """
    for match in _CHUNK.finditer(text):
        start = match.start()
        for word in _cut(match[0], unit):
            yield Atom(start, word)
            start += len(word[0])
