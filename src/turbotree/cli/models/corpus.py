"""``turbotree parse --engine``: many files, many workers; and Parquet, with or without."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import typer

from turbotree.cli.options.parsing import ParseOptions
from turbotree.cli.outputs.progress import seconds_text
from turbotree.errors import InputError
from turbotree.scaling import CorpusReport, open_engine, parse_corpus
from turbotree.scaling.annotating import PieceReport
from turbotree.scaling.engines import OneProcess
from turbotree.scaling.parquet import is_parquet


def parse_files(options: ParseOptions) -> None:
    """Parse a file, or all files of a folder, and say how it went; here, without an engine."""
    input, output = options.input, options.output
    engine, rows = options.engine, options.rows
    if input is None or output is None:
        raise InputError(
            "--engine and Parquet need an INPUT (a file or a folder) and an output (-o)"
        )
    files = sorted(p for p in input.iterdir() if p.is_file()) if input.is_dir() else [input]
    files = [file for file in files if not file.name.startswith(".")]
    if input.is_dir():
        output.mkdir(exist_ok=True)
    targets = [output] if not output.is_dir() else files
    if rows is not None and not any(map(is_parquet, targets)):
        raise InputError("--rows is for an output called .parquet")
    if options.parquet_column is not None and not any(map(is_parquet, files)):
        raise InputError("--parquet-column is for an input called .parquet")
    opening = (
        open_engine(engine, options.workers or 2, address=options.address)
        if engine is not None
        else nullcontext(OneProcess())
    )
    with opening as opened, _progress() as told:
        report = parse_corpus(
            options.model,
            files,
            output,
            opened,
            options=options.search | ({"rules": options.rules} if options.rules else {}),
            skip_errors=options.on_error == "skip",
            rows=rows or "token",
            column=options.parquet_column,
            on_piece=told,
        )
    typer.echo(_summary(report), err=True)


@contextmanager
def _progress() -> Iterator[Any]:
    """Yield what shows how far the work is: a bar in a terminal, or nothing."""
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
