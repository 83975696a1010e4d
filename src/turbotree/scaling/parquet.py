"""Parquet in and out: columns of documents to annotate, and trees as tables.

A file is read by row groups, each of which is a piece for a worker. What comes out has one row per
word, or one row per sentence; ``docs/scale.md`` lists the columns.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turbotree.errors import InputError, MissingExtraError
from turbotree.text import CONLLU, OnError, Sentence, read_layout

#: What a row of the output is.
ROWS = ("token", "sentence")
#: Columns that hold documents, if nothing else is said; the first that is there.
_USUAL = ("conllu", "text")
# Sentences per row group of the output, and documents that are read at once.
_SENTENCES_PER_GROUP = 2000
_DOCUMENTS_A_BATCH = 256


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is called as if it were Parquet.

    >>> is_parquet("corpus.parquet"), is_parquet("corpus.conllu")
    (True, False)
    """
    return Path(path).suffix == ".parquet"


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError(
            "Parquet needs pyarrow: pip install 'turbotree[parquet]'"
        ) from error
    return pyarrow, pyarrow.parquet


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A run of documents of one file.

    Attributes
    ----------
    source
        The file.
    number
        Which of its row groups.
    first_row
        The number of its first row in the file, from 0.
    column
        Which column holds the documents.
    """

    source: str
    number: int
    first_row: int
    column: str

    def documents(self) -> Iterator[tuple[int, str]]:
        """Read the row group; give the number of each row and its document, if it has one."""
        _, parquet = _arrow()
        row = self.first_row
        with _readable(self.source), parquet.ParquetFile(self.source) as file:
            batches = file.iter_batches(
                _DOCUMENTS_A_BATCH, row_groups=[self.number], columns=[self.column]
            )
            for batch in batches:
                for document in batch.column(self.column):
                    text = self._text(document, row)
                    if text is not None:
                        yield row, text
                    row += 1

    def _text(self, document: Any, row: int) -> str | None:
        try:
            text: str | None = document.as_py()
        except UnicodeDecodeError:
            raise InputError(f"{self.source} row {row}: not UTF-8 text") from None
        return text

    def sentences(self, on_error: OnError) -> Iterator[tuple[int, Sentence]]:
        """Read documents of CoNLL-U; give the sentences, each with its row."""
        for row, document in self.documents():
            stream = io.BytesIO(document.encode())
            stream.name = f"{self.source} row {row}"
            for sentence in read_layout(stream, CONLLU, on_error=on_error):
                yield row, sentence


def row_groups(
    path: str | os.PathLike[str], column: str | None = None
) -> tuple[list[RowGroup], bool]:
    """Find the row groups of a file; tell too whether its documents are CoNLL-U.

    Parameters
    ----------
    path
        The file.
    column
        Where the documents are; without it, ``conllu`` or ``text``, or the only column of strings.
    """
    source = os.fspath(path)
    arrow, parquet = _arrow()
    with _readable(source), parquet.ParquetFile(source) as file:
        strings = [field.name for field in file.schema_arrow if _holds_strings(arrow, field.type)]
        chosen = _chosen(strings, column, source)
        counts = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    groups, first = [], 0
    for number, count in enumerate(counts):
        groups.append(RowGroup(source, number, first, chosen))
        first += count
    documents = (text for group in groups for _, text in group.documents() if text.strip())
    found = next(documents, None)
    # Of no documents at all, any model can find the trees.
    return groups, found is None or _is_conllu(found)


@contextmanager
def _readable(source: str) -> Iterator[None]:
    """Name the file of whatever is wrong with its bytes."""
    arrow, _ = _arrow()
    try:
        yield
    except InputError:
        raise
    except (OSError, arrow.ArrowException, ValueError, KeyError, MemoryError) as error:
        if isinstance(error, OSError) and error.strerror:
            raise InputError(f"{source}: {error.strerror}") from None
        reason = " ".join(str(error).split())  # some have several lines
        raise InputError(f"{source}: damaged, or not a Parquet file ({reason})") from None


def _holds_strings(arrow: Any, kind: Any) -> bool:
    if arrow.types.is_dictionary(kind):
        kind = kind.value_type
    types = arrow.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind))


def _chosen(strings: Sequence[str], column: str | None, name: str) -> str:
    if column is not None:
        if column not in strings:
            raise InputError(f"{name}: no column {column!r} of strings; there are {_list(strings)}")
        return column
    for usual in _USUAL:
        if usual in strings:
            return usual
    if len(strings) != 1:
        raise InputError(
            f"{name}: which column? There are {_list(strings)} of strings; none is called "
            f"{' or '.join(_USUAL)}"
        )
    return strings[0]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"


def _is_conllu(document: str) -> bool:
    lines = (line for line in document.splitlines() if line.strip() and line[0] != "#")
    return next(lines, "").count("\t") == 9


def write_trees(
    trees: Iterable[tuple[int | None, Sentence]], path: str | os.PathLike[str], rows: str
) -> None:
    """Write trees as a table, a row group at a time.

    Parameters
    ----------
    trees
        Sentences, each with the number of the row that it comes from, if any.
    path
        The file.
    rows
        One of `ROWS`.
    """
    arrow, parquet = _arrow()
    schema = _schema(rows)
    to_rows = _tokens if rows == "token" else _sentence
    with parquet.ParquetWriter(path, schema) as writer:
        lines: list[dict[str, Any]] = []
        number = -1
        for number, (row, sentence) in enumerate(trees):
            lines += to_rows(number, row, sentence)
            if (number + 1) % _SENTENCES_PER_GROUP == 0:
                writer.write_table(arrow.Table.from_pylist(lines, schema))
                lines = []
        if lines or number < 0:
            writer.write_table(arrow.Table.from_pylist(lines, schema))


def join_tables(parts: Sequence[Path], target: Path, rows: str) -> None:
    """Make one table of several, with the sentences numbered through."""
    _, parquet = _arrow()
    from pyarrow import compute

    schema, before = _schema(rows), 0
    with parquet.ParquetWriter(target, schema) as writer:
        for part in parts:
            following = before
            with parquet.ParquetFile(part) as file:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group)
                    numbers = compute.add(table.column("sentence"), before)
                    if len(numbers):
                        following = numbers[-1].as_py() + 1
                    writer.write_table(table.set_column(0, schema.field(0), numbers))
            before = following


def _schema(rows: str) -> Any:
    arrow, _ = _arrow()
    text, number = arrow.string(), arrow.int32()
    every = [("sentence", arrow.int64()), ("row", arrow.int64()), ("sent_id", text)]
    words = ("form", "lemma", "upos", "xpos", "feats")
    if rows == "token":
        columns = [("id", number), *((name, text) for name in words)]
        columns += [("head", number), ("deprel", text), ("misc", text)]
    else:
        columns = [("text", text), ("forms", arrow.list_(text)), ("upos", arrow.list_(text))]
        columns += [("heads", arrow.list_(number)), ("deprels", arrow.list_(text))]
        columns += [("conllu", text)]
    return arrow.schema([*every, *columns])


def _tokens(number: int, row: int | None, sentence: Sentence) -> Iterator[dict[str, Any]]:
    columns = ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc")
    values = zip(*(sentence.column(name) for name in columns), strict=True)
    for i, (head, line) in enumerate(zip(sentence.heads, values, strict=True), 1):
        yield {
            "sentence": number,
            "row": row,
            "sent_id": sentence.sent_id,
            "id": i,
            "head": head,
            **dict(zip(columns, line, strict=True)),
        }


def _sentence(number: int, row: int | None, sentence: Sentence) -> Iterator[dict[str, Any]]:
    yield {
        "sentence": number,
        "row": row,
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "forms": sentence.forms,
        "upos": sentence.upos,
        "heads": sentence.heads,
        "deprels": sentence.labels,
        "conllu": sentence.to_text(),
    }
