"""What counts as a sentence where one is asked for."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

from turbotree.errors import InputError
from turbotree.text.reading import read_conllu
from turbotree.text.sentence import Sentence


def as_sentence(given: Any) -> Sentence:
    """Return a sentence as it is, and a ``TokenList`` of the conllu library as a sentence.

    Examples
    --------
    >>> sentence = Sentence.from_words(["Birds", "sing"])
    >>> as_sentence(sentence) is sentence
    True
    >>> as_sentence("Birds sing")
    Traceback (most recent call last):
    turbotree.errors.InputError: expected a Sentence, got str; ...
    """
    if isinstance(given, Sentence):
        return given
    serialize = getattr(given, "serialize", None)  # so that we need not import the library
    if not callable(serialize):
        raise InputError(
            f"expected a Sentence, got {type(given).__name__}; "
            "turbotree.text.read_conllu or Sentence.from_words make them"
        )
    sentences = list(read_conllu(io.StringIO(serialize())))
    if len(sentences) != 1:
        raise InputError(f"expected the tokens of one sentence, got {len(sentences)} sentences")
    return sentences[0]


def check_many(given: Any, what: str = "sentences") -> Any:
    """Return what was given if it can be many of something, one after another.

    Examples
    --------
    >>> check_many("Birds sing.", "texts")
    Traceback (most recent call last):
    turbotree.errors.InputError: expected texts, a list or any other iterable; got str
    """
    if what == "sentences" and isinstance(given, str | bytes):
        as_sentence(given)  # raises, and says what makes sentences of a path
    alone = isinstance(given, str | bytes | bytearray | Mapping | Sentence)
    if alone or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InputError(f"expected {what}, a list or any other iterable; got {kind}")
    return given
