"""What a worker does with a piece: it annotates the sentences and writes a file of its own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from time import process_time
from typing import Any, TypeAlias

from turbotree.atomic import atomic_path
from turbotree.errors import InputError
from turbotree.labeling import Tagger
from turbotree.loading import load
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.scaling.parquet import RowGroup, write_trees
from turbotree.scaling.pieces import Piece
from turbotree.streaming import in_batches
from turbotree.text import Layout, OnError, Sentence, write_sentences

_BATCH = 64

Model: TypeAlias = "Parser | Tagger | Pipeline"
AnyPiece: TypeAlias = "Piece | RowGroup"
#: A sentence, and the number of the row that it comes from if there are rows.
Placed: TypeAlias = "tuple[int | None, Sentence]"


@dataclass(frozen=True, slots=True)
class PieceReport:
    """What became of a piece: sentences, words, CPU seconds, and what was skipped of it."""

    sentences: int
    words: int
    seconds: float
    skipped: tuple[str, ...] = ()


def parse_piece(
    model: str,
    piece: AnyPiece,
    layout: Layout | None,
    options: dict[str, Any],
    skip_errors: bool,
    target: str,
    rows: str | None = None,
) -> PieceReport:
    """Parse one piece into a file of its own; this is what workers run.

    Parameters
    ----------
    model
        The model's file.
    piece, layout
        What to parse; without a layout it is plain text.
    options, skip_errors
        As for :func:`~turbotree.scaling.parse_corpus`.
    target
        The file to write.
    rows
        What its rows are if it is Parquet; without it, the file is CoNLL-U.
    """
    started = process_time()
    skipped: list[str] = []
    on_error: Any = (lambda error: skipped.append(str(error))) if skip_errors else "raise"
    annotator = _loaded(model, os.stat(model).st_mtime_ns)
    words = sentences = 0

    def predicted() -> Iterator[Placed]:
        nonlocal words, sentences
        for row, sentence in annotated(annotator, piece, layout, on_error, options):
            sentences += 1
            words += len(sentence)
            yield row, sentence

    with atomic_path(target) as temporary:
        if rows is not None:
            write_trees(predicted(), temporary, rows)
        else:
            with open(temporary, "wb") as out:
                write_sentences((sentence for _, sentence in predicted()), out)
    return PieceReport(sentences, words, process_time() - started, tuple(skipped))


def annotated(
    model: Model,
    piece: AnyPiece,
    layout: Layout | None,
    on_error: OnError,
    options: dict[str, Any],
) -> Iterator[Placed]:
    """Give the sentences of a piece with what a model finds."""
    if layout is not None:
        yield from _annotated(model, _sentences(piece, layout, on_error), options)
        return
    if not isinstance(model, Pipeline):
        raise InputError(f"{piece.source}: plain text needs a pipeline; this model takes sentences")
    documents: Iterable[tuple[int | None, str]]
    documents = piece.documents() if isinstance(piece, RowGroup) else [(None, piece.text())]
    for row, document in documents:
        for parse in model(document, **options):
            yield row, parse.to_sentence()


def _sentences(piece: AnyPiece, layout: Layout, on_error: OnError) -> Iterator[Placed]:
    if isinstance(piece, RowGroup):
        yield from piece.sentences(on_error)
    else:
        for sentence in piece.sentences(layout, on_error):
            yield None, sentence


def _annotated(model: Model, given: Iterator[Placed], options: dict[str, Any]) -> Iterator[Placed]:
    """Annotate sentences; models keep their order, so that each finds its row again."""
    rows: deque[int | None] = deque()

    def without_rows() -> Iterator[Sentence]:
        for row, sentence in given:
            rows.append(row)
            yield sentence

    found: Iterable[Any]
    if isinstance(model, Pipeline):
        batches = in_batches(without_rows(), _BATCH)
        found = (parse for batch in batches for parse in model.annotate(batch, **options))
    else:
        found = model.pipe(without_rows(), **options)
    for one in found:
        yield rows.popleft(), one.to_sentence()


@lru_cache(maxsize=2)
def _loaded(model: str, changed: int) -> Model:
    """Load a model once a worker, and again if the file has changed."""
    found: Model = load(model)
    return found
