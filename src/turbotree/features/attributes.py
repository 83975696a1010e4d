"""The attributes of words that templates can ask for."""

from __future__ import annotations

import re
from collections.abc import Callable

#: What the attributes of a word are made of: form, lemma, UPOS, XPOS, FEATS.
Word = tuple[str, str, str, str, str]

#: Set-valued attributes; all others have one value per word.
SET_ATTRIBUTES = ("feat",)

_AFFIX_LENGTHS = range(1, 6)


class _Kinds(dict[int, str]):
    """The kind of each character, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isalpha():
            kind = "X" if character.isupper() else "x"
        else:
            kind = "d" if character.isdigit() else "."
        self[code] = kind
        return kind


_KINDS = _Kinds()
_RUNS = re.compile(r"(.)\1+")


def word_shape(form: str) -> str:
    """Return the shape of a word: kinds of characters, runs shortened.

    >>> word_shape("McDonald's"), word_shape("U-2"), word_shape("1,024")
    ('XxXx.x', 'X.d', 'd.d')
    """
    return _RUNS.sub(r"\1", form.translate(_KINDS))[:8]


def word_pattern(form: str) -> str:
    """Return the pattern of a word: letters by case and digits, runs shortened, marks as they are.

    Runs of digits leave a plus behind (Collins 2002).

    >>> word_pattern("Confidence"), word_pattern("2,664,098"), word_pattern("U.S.-led")
    ('Aa', '0,0+,0+', 'A.A.-a')
    """
    pattern: list[str] = []
    for character in form:
        if character.isalpha():
            kind = "A" if character.isupper() else "a"
        else:
            kind = "0" if character.isdigit() else character
        if not pattern or pattern[-1][0] != kind:
            pattern.append(kind)
        elif kind == "0":
            pattern[-1] = "0+"
    return "".join(pattern[:12])


def word_case(form: str) -> str:
    """Return how a word is capitalised: its first letter, and whether the others are like it.

    >>> [word_case(form) for form in ("dog", "Dog", "DOG", "McDonald", "iPod", "A", "12")]
    ['lower', 'title', 'upper', 'title', 'mixed', 'title', 'none']
    """
    capitals = [character.isupper() for character in form if character.isalpha()]
    if not any(capitals):
        return "lower" if capitals else "none"
    if not capitals[0]:
        return "mixed"
    return "upper" if all(capitals) and len(capitals) > 1 else "title"


def _how_many(test: Callable[[str], bool]) -> Callable[[Word], str]:
    """Return for how many characters of a word something holds: none, some or all."""

    def value(word: Word) -> str:
        found = [test(character) for character in word[0]]
        return "none" if not any(found) else "all" if all(found) else "some"

    return value


def _is_mark(character: str) -> bool:
    return not character.isalnum()


def feats_entries(word: Word) -> list[str]:
    """Return the entries of a word's FEATS.

    >>> feats_entries(("dogs", "dog", "NOUN", "NNS", "Case=Nom|Number=Plur"))
    ['Case=Nom', 'Number=Plur']
    """
    return [] if word[4] == "_" else word[4].split("|")


def _lemma(word: Word) -> str:
    return word[1] if word[1] != "_" else word[0].lower()


def _xpos(word: Word) -> str:
    # Treebanks without language-specific tags still deserve the templates that use them.
    return word[3] if word[3] != "_" else word[2]


def _prefix(length: int) -> Callable[[Word], str]:
    return lambda word: word[0][:length].lower()


def _suffix(length: int) -> Callable[[Word], str]:
    return lambda word: word[0][-length:].lower()


def _feature(name: str) -> Callable[[Word], str]:
    start = f"{name}="

    def value(word: Word) -> str:
        return next((e[len(start) :] for e in feats_entries(word) if e.startswith(start)), "")

    return value


_READERS: dict[str, Callable[[Word], str]] = {
    "form": lambda word: word[0],
    "lower": lambda word: word[0].lower(),
    "lemma": _lemma,
    "upos": lambda word: word[2],
    "xpos": _xpos,
    "feats": lambda word: word[4],
    "shape": lambda word: word_shape(word[0]),
    "pattern": lambda word: word_pattern(word[0]),
    "case": lambda word: word_case(word[0]),
    "digit": _how_many(str.isdigit),
    "punct": _how_many(_is_mark),
    "hyphen": lambda word: "yes" if "-" in word[0][1:-1] else "no",
    **{f"prefix{length}": _prefix(length) for length in _AFFIX_LENGTHS},
    **{f"suffix{length}": _suffix(length) for length in _AFFIX_LENGTHS},
}

#: Single-valued attributes; ``feats:NAME`` and ``tags`` (see :mod:`.lexicon`) come on top of these.
ATTRIBUTES = tuple(_READERS)


def is_single(name: str) -> bool:
    """Return whether an attribute exists and has one value per word.

    >>> is_single("suffix3"), is_single("feats:Case"), is_single("feat"), is_single("colour")
    (True, True, False, False)
    """
    return name in _READERS or name == "tags" or name.startswith("feats:")


def reader_of(name: str) -> Callable[[Word], str]:
    """Return the function that reads a single-valued attribute off a word.

    >>> reader_of("suffix2")(("dogs", "dog", "NOUN", "NNS", "_"))
    'gs'
    >>> reader_of("feats:Case")(("dogs", "dog", "NOUN", "NNS", "Case=Nom|Number=Plur"))
    'Nom'
    """
    return _feature(name[6:]) if name.startswith("feats:") else _READERS[name]
