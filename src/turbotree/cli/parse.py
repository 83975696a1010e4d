"""``turbotree parse``: sentences in, trees out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from turbotree.cli.arriving import Arriving, batches
from turbotree.cli.corpus import EngineName, parse_with_engine
from turbotree.cli.formats import Notes, OutputFormat, format_of, write_parses
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
from turbotree.parsing import Parse, Parser, compile_rules
from turbotree.parsing.profile import Profile
from turbotree.pipeline import Pipeline
from turbotree.pipeline.storing import KIND as PIPELINE
from turbotree.text import CONLLX, Layout, Sentence, read_layout
from turbotree.text.sources import is_live

#: Finds the trees of a stream of sentences.
Find = Callable[..., Iterator[Parse]]

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
    certificates: Annotated[
        bool,
        typer.Option(
            "--certificates",
            help="Add what is known of each tree: status (optimal is a proof), bound, gap, rounds "
            "and seconds of the solver. CoNLL-U: comments certificate_status and so on, which "
            "eval --certificates sums up. JSON: an object.",
        ),
    ] = False,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            metavar="N",
            help="Write the N best trees of each sentence, best first, with comments k and score. "
            "Exact, if the certificates say so.",
            show_default=False,
        ),
    ] = None,
    diversity: Annotated[
        int,
        typer.Option(
            metavar="D",
            help="With --k: each tree differs in at least D arcs from all before it.",
        ),
    ] = 1,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Write N trees of each sentence drawn at random, each with the model's "
            "probability, with comments sample and score.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="S", help="With --samples: the same seed, the same trees.")
    ] = 0,
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
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Rules that trees and labels have to obey: a rule file, or the name of rules that "
            "come along (one-root, one-subject, determiners, quotations, names). May be given "
            "several times. docs/parsing/rules.md has the language.",
        ),
    ] = None,
    keep_given: Annotated[
        bool,
        typer.Option(
            "--keep-given",
            help="Keep the heads and relations that the input has, and find those that are _. "
            "Heads that clash (a cycle, two roots) are an error.",
        ),
    ] = False,
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
    engine: Annotated[
        EngineName | None,
        typer.Option(
            help="Parse a file or a whole folder with several workers: processes of this machine, "
            "or those of a Ray cluster. Started again, it goes on where it was; the output does "
            "not depend on workers that die. docs/scale.md has the details.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Workers of --engine; 2 without it.", min=1),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="A", help="Of the Ray cluster; without it, Ray starts here."),
    ] = None,
    on_error: Annotated[
        OnMistake,
        typer.Option(
            help="What to do about a malformed sentence: stop, or leave it out and count it."
        ),
    ] = OnMistake.RAISE,
) -> None:
    """Parse sentences, or label their words: whatever the model does.

    The input comes back with HEAD and DEPREL replaced and everything else as it was: comments,
    multiword tokens, empty nodes. Heads that the input has are not looked at, unless
    --keep-given says so. From a pipe, answers come as soon as sentences do.
    """
    if output is not None and output == STDIN:
        output = None
    if engine is not None:
        if any((format, input_format, columns, encoding, marginals, certificates, text)) or not (
            k is samples is None
        ):
            raise InputError("--engine writes CoNLL-U with what was predicted, and nothing else")
        chosen: dict[str, Any] = {
            "decoder": _decoder(decoder, exact),
            "decomposition": decomposition.value if decomposition else None,
            "projective": projective or None,
            "single_root": single_root,
            "rules": rules or None,
            "keep_given": keep_given or None,
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
        )
        return
    if workers is not None or address is not None:
        raise InputError("--workers and --address are for --engine")
    if output is not None:
        check_output(output)
    skipped = Skipped(on_error)
    kind = read_model(model).kind
    if kind == PIPELINE:
        if columns is not None or encoding is not None:
            raise InputError("--columns and --encoding are for taggers; this model is a pipeline")
        if not (k is samples is None) or keep_given:
            raise InputError("--k, --samples and --keep-given are for parsers, not for pipelines")
        run_pipeline(
            Pipeline.load(model),
            input,
            output,
            text=text,
            format=format,
            input_format=input_format,
            keep_tags=keep_tags,
            notes=Notes(marginals, certificates, None),
            skipped=skipped,
            options={
                "decoder": _decoder(decoder, exact),
                "decomposition": decomposition.value if decomposition else None,
                "projective": projective,
                "single_root": single_root,
                "rules": compile_rules(rules) if rules else None,
                "threads": threads,
            },
            profile=profile,
        )
        return
    if text is not None or keep_tags:
        raise InputError(f"--text and --keep-tags are for pipelines; this model is a {kind}")
    if kind == TAGGER:
        for_parsers = (decoder, decomposition, exact, projective, profile, keep_given, certificates)
        if any(for_parsers) or not (single_root is k is samples is None):
            raise InputError("--decoder and the like are for parsers; this model is a tagger")
        if rules:
            raise InputError("--rules are for parsers; this model is a tagger")
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
    find, several = _trees_to_find(parser, k, diversity, samples, seed)
    options: dict[str, Any] = {
        "projective": projective,
        "single_root": single_root,
        "keep_given": keep_given,
        "threads": threads,
        "profile": figures,
    }
    if samples is None:
        options["decoder"] = _decoder(decoder, exact)
    elif decoder or exact:
        raise InputError("--samples needs no decoder")
    if several is None:
        options["decomposition"] = decomposition.value if decomposition else None
        options["rules"] = compile_rules(rules) if rules else None
    elif decomposition or rules:
        raise InputError("--decomposition and --rules are for one tree a sentence")
    sentences = read_layout(source, layout, on_error=skipped.on_error)
    with opened_output(output) as out:
        if isinstance(source, Arriving):
            parses = _live(find, sentences, source, out, options)
        else:
            parses = find(sentences, **options)
        notes = Notes(marginals, certificates, several)
        write_parses(parses, out, format, notes, color=in_color(output))
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
