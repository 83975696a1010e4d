"""Writers: sentences to files and streams, converted to another layout if need be."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TypeAlias, cast

from turbotree.errors import InputError
from turbotree.files.atomic import atomic_stream
from turbotree.text.blocks import is_blank
from turbotree.text.layouts import CONLLU, CONLLX, STANDARD_COLUMNS, Layout
from turbotree.text.sentence import Sentence
from turbotree.text.values import check_values

#: A path, or an open stream of bytes or text.
Target: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"


def write_conllu(sentences: Iterable[Sentence], target: Target) -> int:
    """Write sentences as CoNLL-U; those of another layout are converted.

    A path gets the whole file or is left as it was: the text goes to a temporary file in the
    same folder, which then takes the path's place. ``.gz`` is packed.

    Parameters
    ----------
    sentences : iterable of Sentence
        Taken one by one, so a generator is fine.
    target : path or stream
        Where to write, a path or an open stream of bytes or text.

    Returns
    -------
    int
        The number of sentences written.

    Examples
    --------
    >>> import io
    >>> stream = io.StringIO()
    >>> write_conllu([Sentence.from_words(["Go"], heads=[0])], stream)
    1
    >>> stream.getvalue()
    '1\\tGo\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_\\n\\n'
    """
    return write_sentences(sentences, target, CONLLU)


def write_conllx(sentences: Iterable[Sentence], target: Target) -> int:
    """Write sentences as CoNLL-X; see `write_conllu`.

    >>> import io
    >>> write_conllx([Sentence.from_words(["Go"], heads=[0])], io.BytesIO())
    1
    """
    return write_sentences(sentences, target, CONLLX)


def write_sentences(
    sentences: Iterable[Sentence], target: Target, layout: Layout | None = None
) -> int:
    """Write sentences in the layout given, or each in its own; see `write_conllu`.

    >>> import io
    >>> write_sentences([], io.BytesIO())
    0
    """
    with _opened(target) as write:
        count = 0
        for text in _texts(sentences, layout):
            write(text)
            count += 1
    return count


def converted(sentence: Sentence, layout: Layout) -> Sentence:
    """Return the sentence in another layout; columns it lacks become ``_``.

    Multiword tokens and empty nodes are lost on the way, and comments if the layout has none.
    A value that cannot stand in the new layout (a form with a space in a file split by spaces)
    is an InputError.

    Parameters
    ----------
    sentence : Sentence
        A sentence of any layout.
    layout : Layout
        The layout wanted; if the sentence has it, the sentence itself is returned.

    Examples
    --------
    >>> from turbotree.text import column_layout
    >>> tagged = Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"])
    >>> converted(tagged, column_layout(["form", "upos"])).to_text()
    'Go VERB\\n! PUNCT\\n\\n'
    """
    if layout == sentence.layout:
        return sentence
    known = (*sentence.layout.columns, *STANDARD_COLUMNS)
    absent = ("_",) * len(sentence)
    columns = [sentence.column(name) if name in known else absent for name in layout.columns]
    if layout.numbered:
        columns[0] = tuple(str(number) for number in range(1, len(sentence) + 1))
    for name, column in zip(layout.columns, columns, strict=True):
        check_values(column, name, layout)
    rows = map((layout.separator or " ").join, zip(*columns, strict=True))
    text = "\n".join([*rows, "", ""])
    result = Sentence(text, layout, path=sentence.path, line=sentence.line)
    return result.with_comments(sentence.comments) if layout.numbered else result


def _texts(sentences: Iterable[Sentence], layout: Layout | None) -> Iterator[str]:
    missing = ""  # what the sentence before needs so that the next one does not run into it
    for sentence in sentences:
        kept = sentence if layout is None else converted(sentence, layout)
        text = kept.to_text()
        yield missing + text
        missing = _missing_end(text, kept.layout)


def _missing_end(text: str, layout: Layout) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if text.endswith("\r"):  # already half of the line's end
        return "\n" + newline
    if not text.endswith("\n"):
        return newline * 2
    last_line = text[text.rfind("\n", 0, len(text) - 1) + 1 : -1]
    return "" if is_blank(last_line, layout) else newline


@contextmanager
def _opened(target: Target) -> Iterator[Callable[[str], object]]:
    if not isinstance(target, str | os.PathLike):
        yield _stream_writer(target)
        return
    path = os.fspath(target)
    try:
        with atomic_stream(path) as stream:
            yield _stream_writer(stream)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _stream_writer(stream: IO[bytes] | IO[str]) -> Callable[[str], object]:
    is_text = isinstance(stream, io.TextIOBase) or (
        not isinstance(stream, io.RawIOBase | io.BufferedIOBase)
        and "b" not in str(getattr(stream, "mode", "b"))
    )
    if is_text:
        return cast(IO[str], stream).write
    binary = cast(IO[bytes], stream)
    return lambda text: binary.write(text.encode())
