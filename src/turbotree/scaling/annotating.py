"""What a worker does with a piece: it annotates the sentences and writes a file of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from time import process_time
from typing import Any, TypeAlias

from turbotree.errors import InputError, TurbotreeError
from turbotree.files.atomic import atomic_path
from turbotree.labeling import Tagger
from turbotree.loading import model_of
from turbotree.modelfile import read_model
from turbotree.parsing import Parser, compile_rules
from turbotree.pipeline import Pipeline
from turbotree.scaling.parquet import RowGroup, write_trees
from turbotree.scaling.pieces import Piece
from turbotree.streaming import OnFailure, map_batches, skipping_failures
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
    checksum: str,
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
    model, checksum
        The model's file, and the checksum of what it has to hold.
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

    def skip(error: TurbotreeError) -> None:
        skipped.append(str(error))

    annotator = _loaded(model, checksum)
    words = sentences = 0

    def predicted() -> Iterator[Placed]:
        nonlocal words, sentences
        for row, sentence in annotated(
            annotator, piece, layout, skip if skip_errors else None, options
        ):
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
    on_failure: OnFailure | None,
    options: dict[str, Any],
) -> Iterator[Placed]:
    """Yield the sentences of a piece with what a model finds."""
    if options.get("rules") is not None:
        options = {**options, "rules": compile_rules(options["rules"])}  # once for all batches
    if layout is not None:
        find = skipping_failures(partial(_annotate, model, options), on_failure)
        yield from map_batches(
            find, _sentences(piece, layout, on_failure or "raise"), size=_BATCH, threads=1
        )
        return
    if not isinstance(model, Pipeline):
        raise InputError(f"{piece.source}: plain text needs a pipeline; this model takes sentences")
    documents: Iterable[tuple[int | None, str]]
    documents = piece.documents() if isinstance(piece, RowGroup) else [(None, piece.text())]
    for row, document in documents:
        # Names keep the sentences of one output apart; a file in one piece needs none.
        number = piece.number or None if row is None else row
        name = None if number is None else str(number + 1)
        for parse in model(document, name=name, on_failure=on_failure, **options):
            yield row, parse.to_sentence()


def _annotate(model: Model, options: dict[str, Any], batch: Sequence[Placed]) -> list[Placed]:
    sentences = [sentence for _, sentence in batch]
    found: Sequence[Any]
    if isinstance(model, Tagger):
        found = list(model.pipe(sentences, **options))
    elif isinstance(model, Pipeline):
        found = model.annotate(sentences, **options)
    else:
        found = model.parse_batch(sentences, **options)
    return [(row, one.to_sentence()) for (row, _), one in zip(batch, found, strict=True)]


def _sentences(piece: AnyPiece, layout: Layout, on_error: OnError) -> Iterator[Placed]:
    if isinstance(piece, RowGroup):
        yield from piece.sentences(on_error)
    else:
        for sentence in piece.sentences(layout, on_error):
            yield None, sentence


@lru_cache(maxsize=2)
def _loaded(model: str, checksum: str) -> Model:
    """Load a model once a worker; all workers have to find the same in its file."""
    file = read_model(model)
    if file.checksum != checksum:
        raise InputError(f"{model}: the model has changed since the run began")
    return model_of(file)
