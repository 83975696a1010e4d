"""``turbotree train``: annotated sentences in, a model out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.inputs.reading import read_treebank
from turbotree.cli.options.declaring import PIPELINE, TAGGER, takes
from turbotree.cli.options.training import TrainOptions
from turbotree.cli.outputs.progress import seconds_text
from turbotree.cli.training import (
    given_templates,
    read_labels,
    train_and_save,
    training_output,
    with_preset,
)
from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores, raw_scores
from turbotree.files.sizes import bytes_text
from turbotree.labeling import TASKS, Tagger, TaggerOptions
from turbotree.learning.parameter_mixing import Mixing
from turbotree.learning.progress import Progress
from turbotree.networks.model_options import VECTOR_OPTIONS
from turbotree.parsing import Parser, TrainingOptions, compile_rules, learn_rule_weights
from turbotree.parsing.rules.compiled import ParserRules
from turbotree.parsing.training.options import template_sets
from turbotree.parsing.training.treebank import TrainingSource
from turbotree.pipeline import Pipeline, PipelineOptions
from turbotree.pipeline.training import WITHOUT_SPACES, jackknife_tags
from turbotree.scaling import open_engine, open_worker_pool, train_in_shards
from turbotree.text import Sentence
from turbotree.text.surface import raw_text

_OF_PIPELINES = ("bits", "seed", "threads", "licence", *VECTOR_OPTIONS)
_UNCHECKED = "no --dev file: scores were not checked, probabilities are only roughly calibrated"


@takes(TrainOptions)
def train(options: TrainOptions) -> None:
    """Train a parser, a tagger or a pipeline (--task).

    A parser is trained in three steps: a light pruner, which learns what heads are plausible; the
    arcs and the parts that they form; and the labels, at the same time if there are two threads.
    With --model turbo a neural network comes next; then DEV, or a tenth of TRAIN that is held out,
    tells how much it counts beside the rest.
    During training, its state is kept in the folder MODEL.checkpoint, which is removed when the
    model is written.
    """
    options.check_fit(options.kind)
    tagger = options.kind == TAGGER
    sets = TASKS[options.task] if tagger else template_sets()
    settings = options.learning | {
        "features": options.features,
        "templates": given_templates(options.templates or [], sets),
    }
    if options.bits is not None:
        settings["bits"] = options.bits
    if options.network is not None:
        settings["network"] = given_network(options.network)
    if options.trim is not None:
        settings["trim"] = given_trim(options.trim)
    for name in VECTOR_OPTIONS:
        if (given := getattr(options, name)) is not None:
            settings[name] = given
    if tagger:
        settings["trigrams"] = options.trigrams
    else:
        parts = options.parts
        settings |= {
            "model": options.model,
            "parts": [part.strip() for part in parts.split(",")] if parts is not None else None,
            "single_root": options.single_root,
            "decoder": options.decoder,
        }
    if options.preset is not None:
        settings = with_preset("training", options.preset, TrainingOptions, settings)
    template_files = (item.partition("=")[2] for item in options.templates or [])
    read = [options.train, options.dev, options.vectors, *(options.rules or []), *template_files]
    with training_output(options.output, read):
        if tagger:
            _train_tagger(options, settings)
        elif options.kind == PIPELINE:
            _train_pipeline(options, settings)
        else:
            _train_parser(options, settings)


def _train_parser(options: TrainOptions, settings: dict[str, Any]) -> None:
    TrainingOptions(**settings)  # complains before the data are read
    trees = read_treebank(options.train, options.on_error, partial=True)
    dev = read_treebank(options.dev, options.on_error) if options.dev is not None else None
    fit: Callable[..., Parser] = Parser.train
    source: Path | list[Sentence] = trees
    if options.engine is not None:
        fit = partial(_fit_in_shards, options)
        if options.train.is_file() and options.on_error == "raise":
            source = options.train  # workers read it themselves
    learn: Callable[..., Parser] = partial(fit, source)
    if options.tags == "jackknife":
        learn = partial(_train_jackknifed, trees, fit)
    if options.rules:
        learn = _with_rule_weights(learn, options.rules, trees)
    parser, seconds = train_and_save(learn, options, dev=dev, **settings)
    if not options.quiet:
        typer.echo(_parser_summary(parser, options, dev, seconds))


def _fit_in_shards(options: TrainOptions, train: TrainingSource, **settings: Any) -> Parser:
    """Train as ``Parser.train`` does, in as many shards as there are workers."""
    assert options.engine is not None
    workers = options.workers or 2
    with (
        open_engine(options.engine, workers, address=options.address) as engine,
        open_worker_pool(engine, workers) as pool,
    ):
        return train_in_shards(train, pool, workers, mixing=Mixing(times=options.mixes), **settings)


def _train_jackknifed(
    train: list[Sentence],
    fit: Callable[..., Parser],
    *,
    checkpoint: Path,
    resume: bool,
    progress: Progress,
    dev: list[Sentence] | None = None,
    **settings: Any,
) -> Parser:
    """Train a parser on the tags that models without the part in question predict."""
    shared = {name: settings[name] for name in ("seed", "threads")}
    state: dict[str, Any] = {"checkpoint": checkpoint, "resume": resume, "progress": progress}
    tagged = jackknife_tags(train, **shared, **state)
    return fit(tagged, dev=dev, **state, **settings)


def _with_rule_weights(
    train: Callable[..., Parser], rules: list[str], trees: Sequence[Sentence]
) -> Callable[..., Parser]:
    """Return a function that trains, and then learns the weights that rules leave open."""
    compiled = compile_rules(rules)
    if not any(rule.learn for rule in compiled.rules):
        raise InputError(f"{compiled.source}: no rule has a weight to learn, [?]")
    whole = [tree for tree in trees if None not in tree.heads]
    if not whole:
        raise InputError(
            "rule weights are learnt from complete trees; every tree here lacks a head"
        )
    return partial(_train_with_rules, train, compiled, whole)


def _train_with_rules(
    train: Callable[..., Parser],
    rules: ParserRules,
    trees: list[Sentence],
    *,
    progress: Progress,
    **settings: Any,
) -> Parser:
    parser = train(progress=progress, **settings)
    progress.note("learning rule weights")
    weighted = learn_rule_weights(parser, rules, trees)
    for name, weight in weighted.record["rules"].items():
        progress.note(f"rule {name}  {weight:.3f}")
    return weighted


def _parser_summary(
    parser: Parser, options: TrainOptions, dev: list[Sentence] | None, seconds: float
) -> str:
    record, weights = parser.record, parser.sparse()["parts"].weights or ()
    labels = f"{len(parser.labels.dictionary.names)} labels"
    if "parts" in record:
        lines = [
            f"{_size(options)}, {len(weights):,} features of "
            f"{', '.join(parser.parts.families)}; {labels}",
            f"{record['parts'][-1]['features']:,} features seen in training, "
            f"{record['supported features']:,} of them in correct trees",
        ]
    else:
        assert parser.network is not None
        lines = [f"{_size(options)}, {', '.join(parser.network.facts()[:1])}; {labels}"]
    lines.append(_trained(record, seconds))
    if free := record["words without a head"]:
        lines[-1] += f"; {free:,} of their {record['words']:,} words had no head"
    if dev:
        parses = parser.pipe(dev, threads=options.threads)
        scores = attachment_scores(dev, (parse.to_sentence() for parse in parses))
        lines.append(f"dev: UAS {scores.uas:.2f}, LAS {scores.las:.2f}")
    else:
        lines.append(_UNCHECKED)
    return "\n".join(lines)


def _train_tagger(options: TrainOptions, settings: dict[str, Any]) -> None:
    if TaggerOptions(**settings).scheme == "auto" and options.dev is None:
        raise InputError("--scheme auto needs --dev: it chooses by the score there")
    sentences = read_labels(options.train, options)
    dev = read_labels(options.dev, options) if options.dev is not None else None
    tagger, seconds = train_and_save(partial(Tagger.train, sentences), options, dev=dev, **settings)
    if options.quiet:
        return
    stages = tagger.stages
    columns = ", ".join(f"{stage.column} ({len(stage.model.labels)} labels)" for stage in stages)
    network = tagger.network
    beside = "" if network is None else f", {network.facts()[0]}"
    typer.echo(f"{_size(options)}, {tagger.features:,} features{beside}; {columns}")
    typer.echo(_trained(tagger.record, seconds))
    last = {name: records[-1]["scores"] for name, records in tagger.record["stages"].items()}
    last |= tagger.record.get("mixture", {})  # with the network
    scores = [
        f"{name} {title.removeprefix('dev ')} {score:.2f}"
        for name, row in last.items()
        for title, score in row.items()
    ]
    typer.echo(f"dev: {', '.join(scores)}" if scores else _UNCHECKED)


def _train_pipeline(options: TrainOptions, settings: dict[str, Any]) -> None:
    own = {name: settings[name] for name in _OF_PIPELINES if name in settings}
    own["parser"] = {name: value for name, value in settings.items() if name not in _OF_PIPELINES}
    trim = own["parser"].get("trim")
    if isinstance(trim, dict) and "tags" in trim:
        own["tagger"] = {"trim": trim["tags"]}
        own["parser"]["trim"] = {name: value for name, value in trim.items() if name != "tags"}
    own["shared_network"] = options.shared_network
    PipelineOptions(**own)  # complains before the data are read
    trees = read_treebank(options.train, options.on_error)
    dev = read_treebank(options.dev, options.on_error) if options.dev is not None else None
    pipeline, seconds = train_and_save(partial(Pipeline.train, trees), options, dev=dev, **own)
    if not options.quiet:
        typer.echo(_pipeline_summary(pipeline, options, dev, seconds))


def _pipeline_summary(
    pipeline: Pipeline, options: TrainOptions, dev: list[Sentence] | None, seconds: float
) -> str:
    lines = [_size(options), _trained(pipeline.record, seconds)]
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
        lines.append(_UNCHECKED)
    return "\n".join(lines)


def _size(options: TrainOptions) -> str:
    return f"{options.output}: {bytes_text(options.output.stat().st_size)}"


def _trained(record: dict[str, Any], seconds: float) -> str:
    return f"trained on {record['sentences']:,} sentences in {seconds_text(seconds)}"


def given_trim(text: str) -> float | dict[str, float]:
    """Read a number, or several with names.

    >>> given_trim("2"), given_trim("labels=4,pruner=15")
    (2.0, {'labels': 4.0, 'pruner': 15.0})
    """
    try:
        if "=" not in text:
            return float(text)
        pairs = (item.split("=") for item in text.split(","))
        return {name.strip(): float(value) for name, value in pairs}
    except ValueError:
        raise InputError(f"--trim {text}: expected a number, or NAME=NUMBER,...") from None


def given_network(text: str) -> int:
    """Read the size of a network.

    >>> given_network("128"), given_network("none")
    (128, 0)
    """
    if text == "none":
        return 0
    if not text.isdecimal():
        raise InputError(f"--network {text}: expected a size, such as 200 or 128, or none")
    return int(text)
