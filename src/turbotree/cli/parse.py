"""``turbotree parse``: sentences in, trees out."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from turbotree.cli.arriving import Arriving, batches
from turbotree.cli.formats import OutputFormat, format_of, write_parses
from turbotree.cli.output import check_output, in_color, opened_output
from turbotree.cli.reading import (
    STDIN,
    InputFormat,
    OnMistake,
    Skipped,
    format_layout,
    standard_input,
    tree_layout,
)
from turbotree.cli.run_pipeline import run_pipeline
from turbotree.cli.tag import tag_file
from turbotree.errors import InputError
from turbotree.labeling import Tagger
from turbotree.labeling.storing import KIND as TAGGER
from turbotree.modelfile import read_model
from turbotree.parsing import Parse, Parser
from turbotree.parsing.profile import Profile
from turbotree.pipeline import Pipeline
from turbotree.pipeline.storing import KIND as PIPELINE
from turbotree.text import CONLLX, Layout, Sentence, read_layout
from turbotree.text.sources import is_live

# Sentences a thread that are parsed at once from a live input, if so many have arrived.
_MOST_AT_ONCE = 256


class Decoder(str, Enum):
    """Ways to choose a tree."""

    MST = "mst"
    EISNER = "eisner"
    MBR = "mbr"
    AUTO = "auto"
    EXACT = "exact"
    ADMM = "admm"
    SUBGRADIENT = "subgradient"
    LP = "lp"
    LP_SINGLE = "lp-single"
    ILP = "ilp"
    BP = "bp"


class Decomposition(str, Enum):
    """Ways to write a sentence for a decoder."""

    STRUCTURED = "structured"
    LOGIC = "logic"


def parse(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that turbotree train wrote.")
    ],
    input: Annotated[
        Path | None,
        typer.Argument(
            metavar="INPUT",
            help="Sentences; .gz is unpacked. Without it or with -, standard input.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; the file appears whole or not at all. "
            "Without it or with -, standard output.",
        ),
    ] = None,
    format: Annotated[
        OutputFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="json: one object a line. text: trees for the terminal. svg: a picture of one "
            "sentence. html: a page with pictures of all. Without it, what the name of the "
            "output says, or else the format of the input.",
            show_default=False,
        ),
    ] = None,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(
            help="Without it, what the file looks like; for standard input conllu, or text if the "
            "model is a pipeline.",
            show_default=False,
        ),
    ] = None,
    decoder: Annotated[
        Decoder | None,
        typer.Option(
            help="For arc-factored models, mst (the default): the best tree; eisner: the best "
            "projective one; mbr: the one with most right arcs in expectation. For all models, "
            "auto (the default of the others): dual decomposition, and a short search where that "
            "leaves a gap; exact: search until the tree is proven best; admm: no search; "
            "subgradient, lp, lp-single, ilp: other ways to the same; bp: as mbr, by belief "
            "propagation.",
            show_default=False,
        ),
    ] = None,
    decomposition: Annotated[
        Decomposition | None,
        typer.Option(
            help="How decoders of all models write a sentence: structured, with trees and automata "
            "as factors; or logic, with flows and simple factors. Without it, linear programs are "
            "written by logic, everything else is structured.",
            show_default=False,
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Short for --decoder exact: every tree is proven best.")
    ] = False,
    marginals: Annotated[
        bool,
        typer.Option(
            "--marginals",
            help="Add probabilities. CoNLL-U: HeadProb and LabelProb in MISC, and a comment "
            "tree_probability. JSON: the same, and the likely heads of each word. Pictures "
            "always have them.",
        ),
    ] = False,
    projective: Annotated[
        bool, typer.Option("--projective", help="Allow no crossing arcs, whatever the decoder.")
    ] = False,
    single_root: Annotated[
        bool | None,
        typer.Option(
            "--single-root/--multi-root",
            help="One word under the root, or any number. Without it, as in the training data.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="In the end, tell on standard error where the time went, how many parts there "
            "were, and how many trees are proven best.",
        ),
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="For taggers: names of the columns of a column file. Without it, those of the "
            "training data.",
            show_default=False,
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For taggers: encoding of input and output if it is not UTF-8.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="For pipelines: parse this text instead of INPUT.",
            show_default=False,
        ),
    ] = None,
    keep_tags: Annotated[
        bool,
        typer.Option(
            "--keep-tags",
            help="For pipelines, with sentences as input: keep their tags and lemmas.",
        ),
    ] = False,
    threads: Annotated[
        int,
        typer.Option(metavar="N", help="Threads; the output is the same for any number.", min=1),
    ] = 1,
    on_error: Annotated[
        OnMistake,
        typer.Option(
            help="What to do about a malformed sentence: stop, or leave it out and count it."
        ),
    ] = OnMistake.RAISE,
) -> None:
    """Parse sentences, or label their words: whatever the model does.

    The input comes back with HEAD and DEPREL replaced and everything else as it was: comments,
    multiword tokens, empty nodes. Heads that the input has are not looked at. From a pipe,
    answers come as soon as sentences do.
    """
    if output is not None and output == STDIN:
        output = None
    if output is not None:
        check_output(output)
    skipped = Skipped(on_error)
    kind = read_model(model).kind
    if kind == PIPELINE:
        if columns is not None or encoding is not None:
            raise InputError("--columns and --encoding are for taggers; this model is a pipeline")
        run_pipeline(
            Pipeline.load(model),
            input,
            output,
            text=text,
            format=format,
            input_format=input_format,
            keep_tags=keep_tags,
            marginals=marginals,
            skipped=skipped,
            options={
                "decoder": _decoder(decoder, exact),
                "decomposition": decomposition.value if decomposition else None,
                "projective": projective,
                "single_root": single_root,
                "threads": threads,
            },
            profile=profile,
        )
        return
    if text is not None or keep_tags:
        raise InputError(f"--text and --keep-tags are for pipelines; this model is a {kind}")
    if kind == TAGGER:
        if decoder or decomposition or exact or projective or profile or single_root is not None:
            raise InputError("--decoder and the like are for parsers; this model is a tagger")
        tag_file(
            Tagger.load(model),
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
        raise InputError("--columns and --encoding are for taggers; this model is a parser")
    parser = Parser.load(model)
    source, layout = _source(input, input_format)
    format = _format(format, output, layout, marginals)
    figures = Profile()
    options: dict[str, Any] = {
        "decoder": _decoder(decoder, exact),
        "decomposition": decomposition.value if decomposition else None,
        "projective": projective,
        "single_root": single_root,
        "threads": threads,
        "profile": figures,
    }
    sentences = read_layout(source, layout, on_error=skipped.on_error)
    with opened_output(output) as out:
        if isinstance(source, Arriving):
            parses = _live(parser, sentences, source, out, options)
        else:
            parses = parser.pipe(sentences, **options)
        write_parses(parses, out, format, marginals=marginals, color=in_color(output))
    skipped.report()
    if profile:
        typer.echo(figures, err=True)


def _decoder(decoder: Decoder | None, exact: bool) -> str | None:
    if exact and decoder not in (None, Decoder.EXACT):
        raise InputError(f"--exact and --decoder {decoder.value}: give only one of them")
    return "exact" if exact else decoder.value if decoder else None


def _source(path: Path | None, format: InputFormat | None) -> tuple[Any, Layout]:
    if path is not None and path != STDIN:
        return path, tree_layout(path, format)
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


def _live(
    parser: Parser,
    sentences: Iterator[Sentence],
    source: Arriving,
    out: IO[bytes],
    options: dict[str, Any],
) -> Iterator[Parse]:
    for batch in batches(sentences, source, _MOST_AT_ONCE * options["threads"]):
        yield from parser.pipe(batch, **options)
        out.flush()
