"""Finding out which layout a file has."""

from __future__ import annotations

import os
from collections.abc import Iterator

from turbotree.errors import InputError
from turbotree.naming import unknown
from turbotree.text.blocks import split_line
from turbotree.text.layouts import CONLLU, CONLLX, Layout, column_layout
from turbotree.text.reading import OnError, read_layout
from turbotree.text.sentence import Sentence
from turbotree.text.sources import Source, lines_of, name_of

# What the columns of well-known column files mean, by their number: CoNLL-2000 and CoNLL-2002
# have three, CoNLL-2003 has four.
_COLUMN_NAMES = {
    1: ("form",),
    2: ("form", "chunk"),
    3: ("form", "xpos", "chunk"),
    4: ("form", "xpos", "chunk", "entity"),
}
_LINES_LOOKED_AT = 200


def read_sentences(
    source: Source,
    format: str | Layout | None = None,
    *,
    on_error: OnError = "raise",
    encoding: str | None = None,
) -> Iterator[Sentence]:
    """Read a file of any layout that turbotree knows.

    Parameters
    ----------
    source : path or stream
        As in `read_conllu`; a stream needs its format named.
    format : {"conllu", "conllx", "columns"} or Layout, optional
        The layout; without it the file is looked at (see `sniff`).
    on_error : {"raise", "skip"} or callable
        As in `read_conllu`.
    encoding : str, optional
        The file's encoding if it is not UTF-8.

    Examples
    --------
    >>> import io
    >>> text = "1\\tGo\\tgo\\tVERB\\tVB\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> next(read_sentences(io.StringIO(text), "conllu")).forms
    ('Go',)
    """
    if format is not None:
        return read_layout(source, layout_of(format), on_error=on_error, encoding=encoding)
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"{name_of(source)}: a stream cannot be sniffed, name its format")
    return read_layout(source, sniff(source), on_error=on_error, encoding=encoding)


def layout_of(format: str | Layout) -> Layout:
    """Return the layout that a format's name means.

    >>> layout_of("conllu").name
    'CoNLL-U'
    """
    if isinstance(format, Layout):
        return format
    known = {"conllu": CONLLU, "conllx": CONLLX, "columns": column_layout()}
    layout = known.get(format)
    if layout is None:
        raise unknown("format", format, known)
    return layout


def sniff(path: str | os.PathLike[str]) -> Layout:
    """Guess a file's layout from its name or else its first lines.

    Ten columns split by TAB are CoNLL-U, unless the ninth and tenth hold projective heads as
    CoNLL-X has them. Anything else is a column file; an empty one counts as CoNLL-U.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.txt"
    >>> _ = path.write_text("He PRP B-NP\\nwent VBD B-VP\\n\\n")
    >>> sniff(path).columns
    ('form', 'xpos', 'chunk')
    """
    layout = found_layout(path)
    if layout is None:
        counts = [len(row.split()) for row in _first_rows(path)]
        raise InputError(
            f"{os.fspath(path)}: neither CoNLL-U nor columns (between {min(counts)} and "
            f"{max(counts)} columns in the first lines); name the format"
        )
    return layout


def found_layout(path: str | os.PathLike[str]) -> Layout | None:
    """Guess a file's layout as `sniff` does; None if its lines have nothing in common.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "book.txt"
    >>> _ = path.write_text("It was a dark\\nand stormy night.\\n")
    >>> found_layout(path) is None
    True
    """
    name = os.fspath(path).removesuffix(".gz")
    if name.endswith(".conllu"):
        return CONLLU
    if name.endswith(".conllx"):
        return CONLLX
    rows = _first_rows(path)
    if not rows:
        return CONLLU
    by_tab = [row.split("\t") for row in rows if not row.startswith("#")]
    if by_tab and all(len(values) == 10 for values in by_tab):
        has_projective_heads = all(
            values[8].isdigit() and values[9] not in ("_", "") for values in by_tab
        )
        return CONLLX if has_projective_heads else CONLLU
    for separator in (" ", "\t", None):
        layout = column_layout(("form",), separator)
        counts = {len(split_line(row, layout)) for row in rows}
        if len(counts) == 1 and (separator is None or counts != {1}):
            return column_layout(_names(counts.pop()), separator)
    return None


def _first_rows(path: str | os.PathLike[str]) -> list[str]:
    rows: list[str] = []
    with lines_of(path) as lines:
        for line in lines:
            # The last character may be cut in a damaged file; the reader will say so.
            row = line.decode(errors="replace").removeprefix("\ufeff").rstrip("\r\n")
            if row.strip() and not row.startswith("-DOCSTART-"):
                rows.append(row)
            if len(rows) >= _LINES_LOOKED_AT:
                break
    return rows


def _names(count: int) -> tuple[str, ...]:
    further = (f"column{number}" for number in range(2, count + 1))
    return _COLUMN_NAMES.get(count) or ("form", *further)
