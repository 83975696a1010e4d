"""``turbotree train --task tag|chunk|entities``: labelled sentences in, a tagger out."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.failures import INTERRUPTED, say
from turbotree.cli.output import bytes_text, check_output
from turbotree.cli.reading import OnMistake, Skipped
from turbotree.cli.showing import seconds_text, shown_progress
from turbotree.cli.tag import column_names
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
    check_output(output)
    if TaggerOptions(**options).scheme == "auto" and dev is None:
        raise InputError("--scheme auto chooses by the score on a --dev file; there is none")
    checkpoint = output.with_name(f"{output.name}.checkpoint")
    tell_about_earlier_run(checkpoint, resume)
    started = time.perf_counter()
    names = column_names(columns)
    train_sentences = _read(train, names, encoding, on_error)
    dev_sentences = _read(dev, names, encoding, on_error) if dev is not None else None
    try:
        with shown_progress(quiet) as progress:
            tagger = Tagger.train(
                train_sentences,
                dev=dev_sentences,
                checkpoint=checkpoint,
                resume=resume,
                progress=progress,
                **options,
            )
            tagger.save(output)
    except KeyboardInterrupt:
        on = "; --resume goes on from the last checkpoint" if checkpoint.exists() else ""
        say(f"interrupted{on}")
        raise typer.Exit(INTERRUPTED) from None
    shutil.rmtree(checkpoint, ignore_errors=True)
    if not quiet:
        typer.echo(_summary(tagger, output, time.perf_counter() - started))


def tell_about_earlier_run(checkpoint: Path, resume: bool) -> None:
    """Say what becomes of the state of an earlier run."""
    if resume and not checkpoint.exists():
        say(f"nothing to resume: there is no {checkpoint}; starting from the beginning")
    elif not resume and checkpoint.exists():
        say(f"starting afresh; the earlier run's {checkpoint} is dropped")


def _read(
    path: Path, names: list[str] | None, encoding: str | None, on_error: OnMistake
) -> list[Sentence]:
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
