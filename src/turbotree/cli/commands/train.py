"""``turbotree train``: annotated sentences in, a model out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import typer

from turbotree.cli import train_options as option
from turbotree.cli.inputs.reading import OnMistake, read_treebank
from turbotree.cli.outputs.files import bytes_text
from turbotree.cli.outputs.progress import seconds_text
from turbotree.cli.train_engine import ShardedTraining, check_engine
from turbotree.cli.train_pipeline import train_jackknifed, train_pipeline
from turbotree.cli.train_rules import with_rule_weights
from turbotree.cli.train_tagger import train_tagger
from turbotree.cli.training_choices import (
    FeatureSet,
    ModelKind,
    Scheme,
    Tags,
    Task,
    TrainingDecoder,
    given_templates,
    given_trim,
)
from turbotree.cli.training_run import train_and_save, training_output
from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.parsing import Parser, TrainingOptions
from turbotree.text import Sentence


def train(
    train: option.Train,
    output: option.Output,
    dev: option.Dev = None,
    task: option.Task = Task.PARSE,
    tags: option.Tags = Tags.GIVEN,
    bits: option.Bits = None,
    trim: option.Trim = None,
    label: option.Label = None,
    columns: option.Columns = None,
    encoding: option.Encoding = None,
    scheme: option.Scheme = Scheme.BIOES,
    trigrams: option.Trigrams = False,
    model: option.Model = ModelKind.ARC,
    parts: option.Parts = None,
    loss: option.Loss = None,
    beta: option.Beta = None,
    gamma: option.Gamma = None,
    decoder: option.Decoder = TrainingDecoder(option.DEFAULTS.decoder),
    epochs: option.Epochs = None,
    step: option.Step = None,
    features: option.Features = FeatureSet(option.DEFAULTS.features),
    templates: option.Templates = None,
    threads: option.Threads = 1,
    seed: option.Seed = option.DEFAULTS.seed,
    licence: option.Licence = None,
    single_root: option.SingleRoot = None,
    rules: option.Rules = None,
    engine: option.Engine = None,
    workers: option.Workers = None,
    address: option.Address = None,
    mixes: option.Mixes = None,
    resume: option.Resume = False,
    on_error: option.OnError = OnMistake.RAISE,
    quiet: option.Quiet = False,
) -> None:
    """Train a parser on a treebank, or a tagger or a pipeline (--task).

    For a parser, first a light pruner learns which heads are worth a look, then the arcs and the
    parts that they form are trained, and the labels (beside them, if there are two threads). While
    training runs, its state is kept in the folder MODEL.checkpoint; it goes when the model is
    written.
    """
    check_engine(engine, workers, address, mixes, task.value)
    read = [train, dev, *(rules or []), *(item.partition("=")[2] for item in templates or [])]
    options: dict[str, Any] = {
        "loss": loss,
        "beta": beta,
        "gamma": gamma,
        "features": features.value,
        "seed": seed,
        "threads": threads,
        "templates": given_templates(templates or [], task),
        "licence": licence,
    }
    if epochs is not None:
        options["epochs"] = epochs
    if step is not None:
        options["largest_step"] = step
    if bits is not None:
        options["bits"] = bits
    if task not in (Task.PARSE, Task.PIPELINE):
        of_trees = (model is not ModelKind.ARC, decoder is not TrainingDecoder.ADMM)
        given = (parts, single_root, trim)
        if any(of_trees) or any(x is not None for x in given) or tags is not Tags.GIVEN:
            raise InputError(
                "--model, --parts, --decoder, --tags, --trim and roots are for trees, "
                f"not for task {task.value}"
            )
        if rules:
            raise InputError(f"--rules are for trees, not for task {task.value}")
        options |= {"task": task.value, "label": label, "scheme": scheme.value}
        options["trigrams"] = trigrams
        with training_output(output, read):
            train_tagger(
                train,
                output,
                dev,
                options,
                columns=columns,
                encoding=encoding,
                resume=resume,
                on_error=on_error,
                quiet=quiet,
            )
        return
    if trigrams or not (label is columns is encoding is None):
        raise InputError(
            "--label, --columns, --encoding and --trigrams are for --task tag, chunk or entities"
        )
    options |= {
        "model": model.value,
        "parts": [part.strip() for part in parts.split(",")] if parts is not None else None,
        "single_root": single_root,
        "decoder": decoder.value,
    }
    if trim is not None:
        options["trim"] = given_trim(trim)
    if task is Task.PIPELINE and rules:
        raise InputError("--rules are for --task parse; a pipeline obeys hard rules")
    with training_output(output, read):
        if task is Task.PIPELINE:
            train_pipeline(
                train, output, dev, options, resume=resume, on_error=on_error, quiet=quiet
            )
            return
        fit: Callable[..., Parser] = Parser.train
        if engine is not None:
            fit = ShardedTraining(engine, workers, address, mixes)
        _train_parser(
            train,
            output,
            dev,
            options,
            fit=fit,
            jackknife=tags is Tags.JACKKNIFE,
            rules=rules,
            resume=resume,
            on_error=on_error,
            quiet=quiet,
        )


def _train_parser(
    train: Path,
    output: Path,
    dev: Path | None,
    options: dict[str, Any],
    *,
    fit: Callable[..., Parser],
    jackknife: bool,
    rules: list[str] | None,
    resume: bool,
    on_error: OnMistake,
    quiet: bool,
) -> None:
    TrainingOptions(**options)  # complains before the data are read
    train_trees = read_treebank(train, on_error, partial=True)
    dev_trees = read_treebank(dev, on_error) if dev is not None else None
    source: Path | list[Sentence] = train_trees
    if isinstance(fit, ShardedTraining) and train.is_file() and on_error is OnMistake.RAISE:
        source = train  # workers read it themselves
    learn: Callable[..., Parser] = partial(fit, source)
    if jackknife:
        learn = partial(train_jackknifed, train_trees, fit)
    if rules:
        learn = with_rule_weights(learn, rules, train_trees)
    parser, seconds = train_and_save(
        learn,
        output,
        resume=resume,
        quiet=quiet,
        dev=dev_trees,
        **options,
    )
    if not quiet:
        typer.echo(_summary(parser, output, dev_trees, options["threads"], seconds))


def _summary(
    parser: Parser, output: Path, dev: list[Sentence] | None, threads: int, seconds: float
) -> str:
    weights = parser.sparse()["parts"].weights or ()
    lines = [
        f"{output}: {bytes_text(output.stat().st_size)}, "
        f"{len(weights):,} features of {', '.join(parser.parts.families)}; "
        f"{len(parser.labels.dictionary.names)} labels",
        f"{parser.record['parts'][-1]['features']:,} features met in training, "
        f"{parser.record['supported features']:,} occur in right trees",
        f"trained on {parser.record['sentences']:,} sentences in {seconds_text(seconds)}",
    ]
    if free := parser.record["words without a head"]:
        lines[-1] += f"; {free:,} of their {parser.record['words']:,} words had no head"
    if dev:
        parses = parser.pipe(dev, threads=threads)
        scores = attachment_scores(dev, (parse.to_sentence() for parse in parses))
        lines.append(f"dev: UAS {scores.uas:.2f}, LAS {scores.las:.2f}")
    else:
        lines.append("no --dev file: scores were not checked, probabilities are calibrated roughly")
    return "\n".join(lines)
