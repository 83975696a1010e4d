"""``turbotree parse``: sentences in, trees out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import typer

from turbotree.cli import parse_options as option
from turbotree.cli.inputs.live import Arriving, batches
from turbotree.cli.inputs.reading import (
    STDIN,
    InputFormat,
    OnMistake,
    Skipped,
    format_layout,
    standard_input,
    tree_layout,
    with_advice,
)
from turbotree.cli.models.corpus import parse_with_engine
from turbotree.cli.models.pipeline import Find, run_pipeline
from turbotree.cli.models.tagger import tag_file
from turbotree.cli.outputs.files import check_output, in_color, opened_output
from turbotree.cli.outputs.formats import Notes, OutputFormat, format_of, write_parses
from turbotree.cli.parse_options import DecoderName
from turbotree.errors import InputError, ModelFileError
from turbotree.labeling import Tagger
from turbotree.modelfile import ModelFile, read_model
from turbotree.models import USUAL
from turbotree.parsing import Parse, Parser, compile_rules
from turbotree.parsing.profile import Profile
from turbotree.pipeline import Pipeline
from turbotree.scaling.parquet import is_parquet
from turbotree.text import CONLLX, Layout, Sentence, read_layout
from turbotree.text.sources import is_live

# Sentences a thread that are parsed at once from a live input, if so many have arrived.
_MOST_AT_ONCE = 256
_ADVICE = (
    "; this model is a parser, which needs words with tags: raw text is for pipelines, "
    f"{USUAL} for instance"
)


def parse(
    model: option.Model = Path(USUAL),
    input: option.Input = None,
    output: option.Output = None,
    format: option.Format = None,
    input_format: option.InputFormat = None,
    decoder: option.Decoder = None,
    decomposition: option.Decomposition = None,
    exact: option.Exact = False,
    marginals: option.Marginals = False,
    certificates: option.Certificates = False,
    k: option.K = None,
    diversity: option.Diversity = 1,
    samples: option.Samples = None,
    seed: option.Seed = 0,
    projective: option.Projective = False,
    single_root: option.SingleRoot = None,
    rules: option.Rules = None,
    keep_given: option.KeepGiven = False,
    profile: option.Profile = False,
    time_limit: option.TimeLimit = None,
    columns: option.Columns = None,
    encoding: option.Encoding = None,
    text: option.Text = None,
    keep_tags: option.KeepTags = False,
    threads: option.Threads = 1,
    engine: option.Engine = None,
    workers: option.Workers = None,
    address: option.Address = None,
    rows: option.Rows = None,
    parquet_column: option.ParquetColumn = None,
    on_error: option.OnError = OnMistake.RAISE,
) -> None:
    """Parse sentences, or label their words: whatever the model does.

    The input comes back with HEAD and DEPREL replaced and everything else as it was: comments,
    multiword tokens, empty nodes. Heads that the input has are not looked at, unless
    --keep-given says so. From a pipe, answers come as soon as sentences do.
    """
    if output is not None and output == STDIN:
        output = None
    if engine is not None or any(is_parquet(path) for path in (input, output) if path):
        if any((format, input_format, columns, encoding, marginals, certificates, text)) or not (
            k is samples is None
        ):
            raise InputError(
                "--engine and Parquet: what was predicted is written as CoNLL-U or a table, and "
                "nothing else"
            )
        chosen: dict[str, Any] = {
            "decoder": _decoder(decoder, exact),
            "decomposition": decomposition.value if decomposition else None,
            "projective": projective or None,
            "single_root": single_root,
            "rules": rules or None,
            "keep_given": keep_given or None,
            "time_limit_seconds": time_limit,
        }
        parse_with_engine(
            model,
            input,
            output,
            engine=engine,
            workers=workers,
            address=address,
            options={name: value for name, value in chosen.items() if value is not None},
            on_error=on_error,
            rows=rows,
            column=parquet_column,
        )
        return
    if rows is not None or parquet_column is not None:
        raise InputError("--rows and --parquet-column are for files called .parquet")
    if workers is not None or address is not None:
        raise InputError("--workers and --address are for --engine")
    read = [model, *(rules or []), (input or STDIN) if text is None else None]
    check_output(output, read)
    skipped = Skipped(on_error)
    file = _model_at(model, input)
    kind = file.kind
    if input is not None and input.is_dir():
        raise InputError(
            f"{input}: is a folder; --engine processes -o FOLDER parses all files of it"
        )
    if (text is not None or keep_tags) and kind != Pipeline.kind:
        raise InputError(
            f"--text and --keep-tags are for pipelines, {USUAL} for instance; "
            f"this model is a {kind}"
        )
    if kind == Tagger.kind:
        for_parsers = (decoder, decomposition, exact, projective, profile, keep_given, certificates)
        if any(for_parsers) or not (single_root is k is samples is time_limit is None):
            raise InputError("--decoder and the like are for parsers; this model is a tagger")
        if rules:
            raise InputError("--rules are for parsers; this model is a tagger")
        tag_file(
            Tagger.from_file(file),
            input,
            output,
            format=format,
            input_format=input_format,
            columns=columns,
            encoding=encoding,
            marginals=marginals,
            threads=threads,
            skipped=skipped,
        )
        return
    if columns is not None or encoding is not None:
        raise InputError(f"--columns and --encoding are for taggers; this model is a {kind}")
    pipeline = Pipeline.from_file(file) if kind == Pipeline.kind else None
    parser = Parser.from_file(file) if pipeline is None else pipeline.parser
    figures = Profile()
    find, several = _trees_to_find(parser, k, diversity, samples, seed)
    options: dict[str, Any] = {
        "projective": projective,
        "single_root": single_root,
        "keep_given": keep_given,
        "threads": threads,
        "profile": figures,
        "on_failure": skipped.on_failure,
    }
    if samples is None:
        options["decoder"] = _decoder(decoder, exact)
        options["time_limit_seconds"] = time_limit
    elif decoder or exact:
        raise InputError("--samples needs no decoder")
    elif time_limit is not None:
        raise InputError("--samples knows no --time-limit")
    if samples is None:
        options["rules"] = compile_rules(rules) if rules else None
    elif rules:
        raise InputError("--samples are drawn without --rules; --k obeys them")
    if several is None:
        options["decomposition"] = decomposition.value if decomposition else None
    elif decomposition:
        raise InputError("--decomposition is for one tree a sentence")
    notes = Notes(marginals, certificates, several)
    if pipeline is not None:
        run_pipeline(
            pipeline,
            input,
            output,
            text=text,
            format=format,
            input_format=input_format,
            keep_tags=keep_tags,
            notes=notes,
            skipped=skipped,
            find=find if several else None,
            options=options,
        )
    else:
        _run_parser(find, input, output, format, input_format, notes, skipped, options)
    if profile:
        typer.echo(figures, err=True)


def _model_at(model: Path, input: Path | None) -> ModelFile:
    """Read a model; a text in its place is a model that was forgotten."""
    try:
        return read_model(model)
    except ModelFileError as error:
        if input is None and (model.is_dir() or "not a turbotree model" in str(error)):
            raise ModelFileError(
                f"{error}; the model comes first: turbotree parse {USUAL} {model}"
            ) from None
        raise


def _run_parser(
    find: Find,
    input: Path | None,
    output: Path | None,
    format: OutputFormat | None,
    input_format: InputFormat | None,
    notes: Notes,
    skipped: Skipped,
    options: dict[str, Any],
) -> None:
    source, layout = _source(input, input_format)
    format = _format(format, output, layout, notes.marginals)
    sentences = with_advice(read_layout(source, layout, on_error=skipped.on_error), _ADVICE)
    with opened_output(output) as out:
        if isinstance(source, Arriving):
            parses = _live(find, sentences, source, out, options)
        else:
            parses = find(sentences, **options)
        write_parses(parses, out, format, notes, color=in_color(output))
    skipped.report()


def _decoder(decoder: DecoderName | None, exact: bool) -> str | None:
    if exact and decoder not in (None, DecoderName.EXACT):
        raise InputError(f"--exact and --decoder {decoder.value}: give only one of them")
    return "exact" if exact else decoder.value if decoder else None


def _source(path: Path | None, format: InputFormat | None) -> tuple[Any, Layout]:
    if path is not None and path != STDIN:
        return path, tree_layout(path, format, advice=_ADVICE)
    stream = standard_input()
    source = Arriving(stream) if is_live(stream) else stream
    return source, format_layout(format or InputFormat.CONLLU)


def _format(
    format: OutputFormat | None, output: Path | None, layout: Layout, marginals: bool
) -> OutputFormat:
    as_input = OutputFormat.CONLLX if layout == CONLLX else OutputFormat.CONLLU
    chosen = format or format_of(output) or as_input
    if marginals and chosen is OutputFormat.CONLLX:
        raise InputError(
            "CoNLL-X has no column for probabilities; choose another --format with --marginals"
        )
    return chosen


def _trees_to_find(
    parser: Parser, k: int | None, diversity: int, samples: int | None, seed: int
) -> tuple[Find, str | None]:
    """Give what finds the trees of sentences, and what their places in a list are called."""
    if k is not None and samples is not None:
        raise InputError("--k and --samples: give only one of them")
    if diversity != 1 and k is None:
        raise InputError("--diversity says how the trees of --k differ; give --k too")
    if k is not None:
        return partial(parser.k_best_pipe, k=k, diversity=diversity), "k"
    if samples is not None:
        return partial(parser.sample_pipe, n=samples, seed=seed), "sample"
    return parser.pipe, None


def _live(
    find: Find,
    sentences: Iterator[Sentence],
    source: Arriving,
    out: IO[bytes],
    options: dict[str, Any],
) -> Iterator[Parse]:
    for batch in batches(sentences, source, _MOST_AT_ONCE * options["threads"]):
        yield from find(batch, **options)
        out.flush()
