"""``turbotree parse --engine``: many files, many workers; and Parquet, with or without."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.inputs.reading import OnMistake
from turbotree.cli.outputs.progress import seconds_text
from turbotree.errors import InputError
from turbotree.scaling import CorpusReport, open_engine, parse_corpus
from turbotree.scaling.annotating import PieceReport
from turbotree.scaling.engines import OneProcess
from turbotree.scaling.parquet import is_parquet


class EngineName(str, Enum):
    """Who does the work."""

    PROCESSES = "processes"
    RAY = "ray"


class RowKind(str, Enum):
    """What a row of a table of trees is."""

    TOKEN = "token"
    SENTENCE = "sentence"


def parse_with_engine(
    model: Path,
    input: Path | None,
    output: Path | None,
    *,
    engine: EngineName | None,
    workers: int | None,
    address: str | None,
    options: dict[str, Any],
    on_error: OnMistake,
    rows: RowKind | None = None,
    column: str | None = None,
) -> None:
    """Parse a file, or all files of a folder, and say how it went; here, without an engine."""
    if input is None or output is None:
        raise InputError(
            "--engine needs an INPUT, a file or a folder, and an output (-o); Parquet does too"
        )
    if engine is None and (workers is not None or address is not None):
        raise InputError("--workers and --address are for --engine")
    files = sorted(p for p in input.iterdir() if p.is_file()) if input.is_dir() else [input]
    files = [file for file in files if not file.name.startswith(".")]
    if input.is_dir():
        output.mkdir(exist_ok=True)
    targets = [output] if not output.is_dir() else files
    if rows is not None and not any(is_parquet(target) for target in targets):
        raise InputError("--rows are for an output called .parquet")
    if column is not None and not any(is_parquet(file) for file in files):
        raise InputError("--parquet-column is for an input called .parquet")
    opening = (
        open_engine(engine.value, workers or 2, address=address)
        if engine is not None
        else nullcontext(OneProcess())
    )
    with opening as opened, _progress() as told:
        report = parse_corpus(
            model,
            files,
            output,
            opened,
            options=options,
            skip_errors=on_error is OnMistake.SKIP,
            rows=(rows or RowKind.TOKEN).value,
            column=column,
            on_piece=told,
        )
    typer.echo(_summary(report), err=True)


@contextmanager
def _progress() -> Iterator[Any]:
    """Give what shows how far the work is: a bar in a terminal, or nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]:,} words"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("pieces", total=None, words=0)
        words = 0

        def told(done: int, pieces: int, report: PieceReport) -> None:
            nonlocal words
            words += report.words
            bar.update(task, completed=done, total=pieces, words=words)

        yield told


def _summary(report: CorpusReport) -> str:
    files = "1 file" if report.inputs == 1 else f"{report.inputs:,} files"
    lines = [
        f"{files}, {report.sentences:,} sentences, {report.words:,} words in {report.pieces:,} "
        f"pieces; the workers spent {seconds_text(report.seconds)}"
    ]
    if report.resumed:
        lines.append(f"{report.resumed:,} pieces had been done before")
    if report.skipped:
        lines.append(f"skipped {len(report.skipped):,} sentences; the first: {report.skipped[0]}")
    return "\n".join(lines)
