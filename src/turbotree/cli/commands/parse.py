"""``turbotree parse``: sentences or text in, trees or labels out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from turbotree.cli.inputs.reading import STDIN, Skipped
from turbotree.cli.models.corpus import parse_files
from turbotree.cli.models.parser import Search, run_parser
from turbotree.cli.models.pipeline import run_pipeline
from turbotree.cli.models.tagger import tag_file
from turbotree.cli.options.declaring import takes
from turbotree.cli.options.parsing import ParseOptions
from turbotree.cli.outputs.files import check_output
from turbotree.cli.outputs.formats import Notes
from turbotree.errors import InputError, ModelFileError
from turbotree.labeling import Tagger
from turbotree.modelfile import ModelFile, read_model
from turbotree.models import USUAL
from turbotree.parsing import Parser
from turbotree.parsing.profile import Profile
from turbotree.pipeline import Pipeline
from turbotree.scaling.parquet import is_parquet


@takes(ParseOptions)
def parse(options: ParseOptions) -> None:
    """Parse sentences or text, or label words, as the model does.

    The input comes back with new values for HEAD and DEPREL and everything else unchanged:
    comments, multiword tokens, empty nodes. Heads in the input are ignored, unless --keep-given
    is set. From a pipe, answers are written as soon as sentences arrive.
    """
    if options.output == STDIN:
        options = replace(options, output=None)
    model, input, output = options.model, options.input, options.output
    parquet = any(is_parquet(path) for path in (input, output) if path)
    if parquet:
        options.check(engine="Parquet files")
    if parquet or options.engine is not None:
        parse_files(options)
        return
    if options.rows is not None or options.parquet_column is not None:
        raise InputError("--rows and --parquet-column are for files called .parquet")
    read = [model, *(options.rules or []), (input or STDIN) if options.text is None else None]
    check_output(output, read)
    file = _model_at(model, input)
    if input is not None and input.is_dir():
        raise InputError(
            f"{input}: is a folder; --engine processes -o FOLDER parses all files in it"
        )
    options.check_fit(file.kind)
    skipped = Skipped(options.on_error)
    if file.kind == Tagger.kind:
        tag_file(Tagger.from_file(file), options, skipped)
        return
    pipeline = Pipeline.from_file(file) if file.kind == Pipeline.kind else None
    parser = Parser.from_file(file) if pipeline is None else pipeline.parser
    profile = Profile()
    search = Search.of(parser, options, skipped, profile)
    notes = Notes(options.marginals, options.certificates, search.numbered)
    if pipeline is not None:
        run_pipeline(pipeline, options, notes, skipped, search)
    else:
        run_parser(options, notes, skipped, search)
    if options.profile:
        typer.echo(profile, err=True)


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
