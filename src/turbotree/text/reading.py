"""Readers: files and streams to sentences, one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from turbotree.errors import InputError
from turbotree.text.blocks import DOCUMENT_START
from turbotree.text.layouts import CONLLU, CONLLX, Layout, column_layout
from turbotree.text.sentence import Sentence
from turbotree.text.sources import Source, check_encoding, is_live, lines_of, name_of

#: What to do about a malformed sentence: "raise", "skip", or a function that is told.
OnError: TypeAlias = "str | Callable[[InputError], object]"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_conllu(source: Source, *, on_error: OnError = "raise") -> Iterator[Sentence]:
    """Read a CoNLL-U file sentence by sentence, losing nothing.

    Only TAB parts columns and only LF ends lines. A missing blank line at the end of the file is
    tolerated. HEAD is not looked at here: see `check_tree`.

    Parameters
    ----------
    source : path or stream
        A path (``.gz`` is unpacked) or an open stream of bytes or text. On a pipe each sentence
        is given as soon as the blank line after it has come.
    on_error : {"raise", "skip"} or callable
        What to do about a malformed sentence: raise the InputError, skip the sentence, or skip
        it and call a function with the error.

    Yields
    ------
    Sentence

    Examples
    --------
    >>> import io
    >>> text = "1\\tGo\\tgo\\tVERB\\tVB\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> [sentence.forms for sentence in read_conllu(io.StringIO(text))]
    [('Go',)]
    """
    return read_layout(source, CONLLU, on_error=on_error)


def read_conllx(source: Source, *, on_error: OnError = "raise") -> Iterator[Sentence]:
    """Read a CoNLL-X (CoNLL 2006/2007) file; see `read_conllu`.

    CPOSTAG and POSTAG are the columns ``upos`` and ``xpos``.

    >>> import io
    >>> text = "1\\tGo\\tgo\\tV\\tVB\\t_\\t0\\tROOT\\t0\\tROOT\\n\\n"
    >>> next(read_conllx(io.StringIO(text))).column("pdeprel")
    ('ROOT',)
    """
    return read_layout(source, CONLLX, on_error=on_error)


def read_columns(
    source: Source,
    names: Sequence[str] = ("form", "xpos", "chunk"),
    separator: str | None = " ",
    *,
    on_error: OnError = "raise",
    encoding: str | None = None,
) -> Iterator[Sentence]:
    """Read a column file as of CoNLL-2000 and CoNLL-2002; see `read_conllu`.

    Lines that begin with ``-DOCSTART-`` are kept but are no words.

    Parameters
    ----------
    source : path or stream
        As in `read_conllu`.
    names : sequence of str
        The columns' names.
    separator : str or None
        Space, TAB, or None for any run of both.
    on_error : {"raise", "skip"} or callable
        As in `read_conllu`.
    encoding : str, optional
        The file's encoding (``"latin-1"``) if it is not UTF-8.

    Examples
    --------
    >>> import io
    >>> sentence = next(read_columns(io.StringIO("He PRP B-NP\\nwent VBD B-VP\\n\\n")))
    >>> sentence.forms, sentence.column("chunk")
    (('He', 'went'), ('B-NP', 'B-VP'))
    """
    layout = column_layout(names, separator)
    return read_layout(source, layout, on_error=on_error, encoding=encoding)


def read_layout(
    source: Source,
    layout: Layout,
    *,
    on_error: OnError = "raise",
    encoding: str | None = None,
    first_line: int = 1,
) -> Iterator[Sentence]:
    """Read a file of a known layout; see `read_conllu`.

    A file that is not UTF-8 needs its encoding (``"latin-1"``). A stream that begins in the middle
    of a file may say in which line, for the messages.

    >>> import io
    >>> layout = Layout("tags", ("form", "upos"), "\\t")
    >>> next(read_layout(io.StringIO("Go\\tVERB\\n\\n"), layout)).upos
    ('VERB',)
    """
    if not callable(on_error) and on_error not in ("raise", "skip"):
        raise InputError(f"on_error is {on_error!r}, expected 'raise', 'skip' or a function")
    if isinstance(source, str | os.PathLike) and not os.path.exists(source):
        raise InputError(f"{os.fspath(source)}: no such file")
    if encoding is not None:
        check_encoding(encoding)
    return _sentences(source, layout, on_error, encoding, first_line)


def _sentences(
    source: Source, layout: Layout, on_error: OnError, encoding: str | None, first_line: int
) -> Iterator[Sentence]:
    path = name_of(source)
    with lines_of(source, encoding) as lines:
        for place, block in _blocks(lines, layout, live=is_live(source)):
            number = place + first_line - 1
            try:
                yield Sentence(_decode(block, path, number), layout, path=path, line=number)
            except InputError as error:
                if on_error == "raise":
                    raise
                if callable(on_error):
                    on_error(error)


def _decode(block: bytes, path: str, number: int) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError as error:
        line = number + block.count(b"\n", 0, error.start)
        reason = (
            f"not UTF-8: byte 0x{block[error.start]:02x} ({error.reason}); "
            "give the file's encoding if it has another, latin-1 for instance"
        )
        raise InputError.at(path, line, reason) from None


def _blocks(lines: Iterator[bytes], layout: Layout, *, live: bool) -> Iterator[tuple[int, bytes]]:
    """Cut lines into blocks: blank lines before, one sentence, all the blank lines after it.

    From a live source a block is given at its first blank line; more of them go to the next one.
    """
    blank_characters = b"\r\n" if layout.separator == "\t" else b" \t\r\n"
    document_start = DOCUMENT_START.encode()
    block: list[bytes] = []
    first = 1
    started = False  # the block has a line that is not blank
    filled = False  # and one that may be a word
    ended = False  # and a blank line after it
    for number, line in enumerate(lines, 1):
        if filled and not ended and line >= b"!":  # the usual case: one more line, not blank
            block.append(line)
            continue
        if ended and line.strip(blank_characters):
            yield first, b"".join(block)
            block, first, filled, ended = [], number, False, False
        # Files that were put together may have a mark at the beginning of any block.
        bare = line if block else line.removeprefix(_BYTE_ORDER_MARK)
        blank = not bare.strip(blank_characters)
        block.append(line)
        if not blank:
            started = True
            filled = filled or layout.numbered or not bare.startswith(document_start)
        elif filled:
            ended = True
            if live:
                yield first, b"".join(block)
                block, first, started, filled, ended = [], number + 1, False, False, False
    if started:
        yield first, b"".join(block)
