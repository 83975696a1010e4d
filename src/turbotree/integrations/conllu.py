"""Sentences for the ``conllu`` library.

The other way needs nothing: parsers and taggers take its ``TokenList`` like any sentence.
"""

from __future__ import annotations

from typing import Any

from turbotree.errors import MissingExtraError
from turbotree.text import Sentence


def to_token_list(sentence: Sentence) -> Any:
    """Return a sentence as a ``conllu.TokenList``.

    Examples
    --------
    >>> to_token_list(Sentence.from_words(["Birds", "sing"], heads=[2, 0]))[0]["head"]
    2
    """
    try:
        import conllu
    except ImportError as error:
        raise MissingExtraError(
            "to_token_list needs the conllu library: pip install conllu"
        ) from error
    return conllu.parse(sentence.to_text())[0]
