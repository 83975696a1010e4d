"""``turbotree train --task pipeline``, and parsers that learn from jack-knifed tags."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.inputs.reading import OnMistake, read_treebank
from turbotree.cli.outputs.files import bytes_text
from turbotree.cli.outputs.progress import seconds_text
from turbotree.cli.training_run import train_and_save
from turbotree.evaluation import attachment_scores, raw_scores
from turbotree.learning.progress import Progress
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline, PipelineOptions
from turbotree.pipeline.training import WITHOUT_SPACES, jackknife_tags
from turbotree.text import Sentence
from turbotree.text.surface import raw_text

_OWN = ("bits", "seed", "threads", "licence")


def train_pipeline(
    train: Path,
    output: Path,
    dev: Path | None,
    options: dict[str, Any],
    *,
    resume: bool,
    on_error: OnMistake,
    quiet: bool,
) -> None:
    """Train a pipeline and write it; what the command line says of trees is for its parser."""
    own = {name: options[name] for name in _OWN if name in options}
    own["parser"] = {name: value for name, value in options.items() if name not in _OWN}
    PipelineOptions(**own)  # complains before the data are read
    train_trees = read_treebank(train, on_error)
    dev_trees = read_treebank(dev, on_error) if dev is not None else None
    pipeline, seconds = train_and_save(
        partial(Pipeline.train, train_trees),
        output,
        resume=resume,
        quiet=quiet,
        dev=dev_trees,
        **own,
    )
    if not quiet:
        typer.echo(_summary(pipeline, output, dev_trees, seconds))


def train_jackknifed(
    train: list[Sentence],
    fit: Callable[..., Parser] = Parser.train,
    *,
    checkpoint: Path,
    resume: bool,
    progress: Progress,
    dev: list[Sentence] | None = None,
    **options: Any,
) -> Parser:
    """Train a parser on the tags that models without the part in question predict."""
    shared = {name: options[name] for name in ("seed", "threads")}
    state: dict[str, Any] = {"checkpoint": checkpoint, "resume": resume, "progress": progress}
    tagged = jackknife_tags(train, **shared, **state)
    return fit(tagged, dev=dev, **state, **options)


def _summary(pipeline: Pipeline, output: Path, dev: list[Sentence] | None, seconds: float) -> str:
    lines = [
        f"{output}: {bytes_text(output.stat().st_size)}",
        f"trained on {pipeline.record['sentences']:,} sentences in {seconds_text(seconds)}",
    ]
    if pipeline.tokenizer is None:
        lines.append(WITHOUT_SPACES)
    if dev and pipeline.tokenizer is not None:
        parses = pipeline(raw_text(dev))
        scores = raw_scores(dev, [parse.to_sentence() for parse in parses])
        figures = ", ".join(f"{name} {counts.f1:.2f}" for name, counts in scores.figures.items())
        lines.append(f"dev from raw text: {figures}")
    elif dev:
        parses = list(pipeline.annotate_stream(dev))
        known = attachment_scores(dev, [parse.to_sentence() for parse in parses])
        lines.append(f"dev with its words given: UAS {known.uas:.2f}, LAS {known.las:.2f}")
    else:
        lines.append("no --dev file: scores were not checked, probabilities are calibrated roughly")
    return "\n".join(lines)
