"""``turbotree train --task tag|chunk|entities``: labelled sentences in, a tagger out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.inputs.reading import OnMistake, Skipped
from turbotree.cli.models.tagger import column_names
from turbotree.cli.outputs.files import bytes_text
from turbotree.cli.outputs.progress import seconds_text
from turbotree.cli.training_run import train_and_save
from turbotree.errors import InputError
from turbotree.labeling import Tagger, TaggerOptions
from turbotree.text import Sentence, read_layout, renamed, sniff


def train_tagger(
    train: Path,
    output: Path,
    dev: Path | None,
    options: dict[str, Any],
    *,
    columns: str | None,
    encoding: str | None,
    resume: bool,
    on_error: OnMistake,
    quiet: bool,
) -> None:
    """Train a tagger and write it."""
    if TaggerOptions(**options).scheme == "auto" and dev is None:
        raise InputError("--scheme auto chooses by the score on a --dev file; there is none")
    names = column_names(columns)
    train_sentences = read_labels(train, names, encoding, on_error)
    dev_sentences = read_labels(dev, names, encoding, on_error) if dev is not None else None
    tagger, seconds = train_and_save(
        partial(Tagger.train, train_sentences),
        output,
        resume=resume,
        quiet=quiet,
        dev=dev_sentences,
        **options,
    )
    if not quiet:
        typer.echo(_summary(tagger, output, seconds))


def read_labels(
    path: Path, names: list[str] | None, encoding: str | None, on_error: OnMistake
) -> list[Sentence]:
    """Read labelled sentences; complain if there are none."""
    layout = sniff(path)
    layout = renamed(layout, names) if names is not None else layout
    skipped = Skipped(on_error)
    sentences = list(read_layout(path, layout, on_error=skipped.on_error, encoding=encoding))
    skipped.report()
    if not sentences:
        raise InputError(f"{path}: no sentences")
    return sentences


def _summary(tagger: Tagger, output: Path, seconds: float) -> str:
    columns = ", ".join(
        f"{stage.column} ({len(stage.model.labels)} labels)" for stage in tagger.stages
    )
    lines = [
        f"{output}: {bytes_text(output.stat().st_size)}, {tagger.features:,} features; {columns}",
        f"trained on {tagger.record['sentences']:,} sentences in {seconds_text(seconds)}",
    ]
    last = {name: records[-1]["scores"] for name, records in tagger.record["stages"].items()}
    scores = [
        f"{name} {title.removeprefix('dev ')} {score:.2f}"
        for name, row in last.items()
        for title, score in row.items()
    ]
    if scores:
        lines.append(f"dev: {', '.join(scores)}")
    else:
        lines.append("no --dev file: scores were not checked, probabilities are calibrated roughly")
    return "\n".join(lines)
