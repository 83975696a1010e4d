"""What is written: tokens as they stand in the text, with what they hide and the spaces between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from turbotree.text.sentence import Sentence


class SurfaceToken(NamedTuple):
    """A token of the text: a word, or a multiword token.

    Attributes
    ----------
    form
        What is written.
    first, last
        The words it stands for, from 1; a single one as a rule.
    space_after
        Whether a space follows.
    """

    form: str
    first: int
    last: int
    space_after: bool


def surface_tokens(sentence: Sentence) -> list[SurfaceToken]:
    """Return the tokens of a sentence as they stand in the text.

    >>> blank = "\\t_" * 8 + "\\n"
    >>> lines = [f"{number}{blank}" for number in ("1-2\\tdon't", "1\\tdo", "2\\tn't", "3\\t!")]
    >>> [token[:3] for token in surface_tokens(Sentence("".join(lines) + "\\n"))]
    [("don't", 1, 2), ('!', 3, 3)]
    """
    tokens: list[SurfaceToken] = []
    hidden = word = 0
    for line in sentence.to_text().split("\n"):
        number, _, rest = line.partition("\t")
        if not rest or number.startswith("#") or "." in number:
            continue
        columns = rest.rstrip("\r").split("\t")
        # CoNLL-X has other columns where CoNLL-U has MISC.
        space = not (sentence.layout.extended and "SpaceAfter=No" in columns[-1].split("|"))
        if "-" in number:
            first, last = map(int, number.split("-"))
            tokens.append(SurfaceToken(columns[0], first, last, space))
            hidden = last
            continue
        word += 1
        if word > hidden:
            tokens.append(SurfaceToken(columns[0], word, word, space))
    return tokens


def surface_text(sentence: Sentence) -> str:
    """Return the text of a sentence, put together from its tokens.

    >>> surface_text(Sentence.from_words(["Go", "!"], misc=["SpaceAfter=No", "_"]))
    'Go! '
    """
    return "".join(
        token.form + (" " if token.space_after else "") for token in surface_tokens(sentence)
    )


def paragraphs(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Cut a stream where a comment says that a document or a paragraph begins.

    >>> marked = Sentence.from_words(["Stop"], comments=["newpar"])
    >>> [len(part) for part in paragraphs([Sentence.from_words(["Go"]), marked, marked])]
    [1, 1, 1]
    """
    part: list[Sentence] = []
    for sentence in sentences:
        starts = any(c.split(" ", 1)[0] in ("newdoc", "newpar") for c in sentence.comments)
        if starts and part:
            yield part
            part = []
        part.append(sentence)
    if part:
        yield part


def raw_text(sentences: Iterable[Sentence]) -> str:
    """Return the text of a treebank, a blank line between paragraphs.

    >>> marked = Sentence.from_words(["Stop"], comments=["newpar"])
    >>> raw_text([Sentence.from_words(["Go", "on"]), Sentence.from_words(["Run"]), marked])
    'Go on Run\\n\\nStop\\n'
    """
    parts = ("".join(map(surface_text, part)).strip() for part in paragraphs(sentences))
    return "\n\n".join(parts) + "\n"
