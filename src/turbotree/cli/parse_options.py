"""What ``turbotree parse`` takes."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from turbotree.cli.inputs.reading import InputFormat as InputFormatName
from turbotree.cli.inputs.reading import OnMistake
from turbotree.cli.models.corpus import EngineName, RowKind
from turbotree.cli.outputs.formats import OutputFormat


class DecoderName(str, Enum):
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


class DecompositionName(str, Enum):
    """Ways to write a sentence for a decoder."""

    STRUCTURED = "structured"
    LOGIC = "logic"


Model: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="[MODEL]",
        help="A model that turbotree train wrote, or en, the English model of the package, which "
        "is also what --text takes if no model is given.",
        show_default=False,
    ),
]
Input: TypeAlias = Annotated[
    Path | None,
    typer.Argument(
        metavar="INPUT",
        help="Sentences; .gz is unpacked. Without it or with -, standard input.",
    ),
]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to write; the file appears whole or not at all. "
        "Without it or with -, standard output.",
    ),
]
Format: TypeAlias = Annotated[
    OutputFormat | None,
    typer.Option(
        "--format",
        "-f",
        help="json: one object a line. text: trees for the terminal. svg: a picture of one "
        "sentence. html: a page with pictures of all. Without it, what the name of the "
        "output says, or else the format of the input.",
        show_default=False,
    ),
]
InputFormat: TypeAlias = Annotated[
    InputFormatName | None,
    typer.Option(
        help="For pipelines, text: the model finds the sentences; lines: each line is one "
        "sentence; words: each line is one sentence, its words parted by spaces. Without it, what "
        "the file is called (.lines, .words) or looks like; for standard input conllu, or text if "
        "the model is a pipeline.",
        show_default=False,
    ),
]
Decoder: TypeAlias = Annotated[
    DecoderName | None,
    typer.Option(
        help="For arc-factored models, mst (the default): the best tree; eisner: the best "
        "projective one; mbr: the one with most right arcs in expectation. For all models, "
        "auto (the default of the others): dual decomposition, and a short search where that "
        "leaves a gap; exact: search until the tree is proven best; admm: no search; "
        "subgradient, lp, lp-single, ilp: other ways to the same; bp: as mbr, by belief "
        "propagation.",
        show_default=False,
    ),
]
Decomposition: TypeAlias = Annotated[
    DecompositionName | None,
    typer.Option(
        help="How decoders of all models write a sentence: structured, with trees and automata "
        "as factors; or logic, with flows and simple factors. Without it, linear programs are "
        "written by logic, everything else is structured.",
        show_default=False,
    ),
]
Exact: TypeAlias = Annotated[
    bool, typer.Option("--exact", help="Short for --decoder exact: every tree is proven best.")
]
Marginals: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--marginals",
        help="Add probabilities. CoNLL-U: HeadProb and LabelProb in MISC, and a comment "
        "tree_probability. JSON: the same, and the likely heads of each word. Pictures "
        "always have them.",
    ),
]
Certificates: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--certificates",
        help="Add what is known of each tree: status (optimal is a proof), bound, gap, rounds "
        "and seconds of the solver. CoNLL-U: comments certificate_status and so on, which "
        "eval --certificates sums up. JSON: an object.",
    ),
]
K: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--k",
        metavar="N",
        help="Write the N best trees of each sentence, best first, with comments k and score. "
        "Exact, if the certificates say so.",
        show_default=False,
    ),
]
Diversity: TypeAlias = Annotated[
    int,
    typer.Option(
        metavar="D",
        help="With --k: each tree differs in at least D arcs from all before it.",
    ),
]
Samples: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Write N trees of each sentence drawn at random, each with the model's "
        "probability, with comments sample and score.",
        show_default=False,
    ),
]
Seed: TypeAlias = Annotated[
    int, typer.Option(metavar="S", help="With --samples: the same seed, the same trees.")
]
Projective: TypeAlias = Annotated[
    bool, typer.Option("--projective", help="Allow no crossing arcs, whatever the decoder.")
]
SingleRoot: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--single-root/--multi-root",
        help="One word under the root, or any number. Without it, as in the training data.",
        show_default=False,
    ),
]
Rules: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Rules that trees and labels have to obey: a rule file, or the name of rules that "
        "are bundled (one-root, one-subject, determiners, quotations, names). May be given "
        "several times. docs/parsing/rules.md has the language.",
    ),
]
KeepGiven: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-given",
        help="Keep the heads and relations that the input has, and find those that are _. "
        "Heads that clash (a cycle, two roots) are an error.",
    ),
]
Profile: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--profile",
        help="In the end, tell on standard error where the time went, how many parts there "
        "were, and how many trees are proven best.",
    ),
]
TimeLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="For one sentence: what is then best is written, and a comment says so. 60 without "
        "it, and no limit with --decoder exact or ilp; inf is no limit.",
        min=0.0,
        show_default=False,
    ),
]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="For taggers: names of the columns of a column file. Without it, those of the "
        "training data.",
        show_default=False,
    ),
]
Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="For taggers: encoding of input and output if it is not UTF-8.",
        show_default=False,
    ),
]
Text: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="For pipelines: parse this text instead of INPUT, and draw the trees if they go to "
        "a terminal and no --format is given.",
        show_default=False,
    ),
]
KeepTags: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-tags",
        help="For pipelines, with sentences as input: keep their tags and lemmas.",
    ),
]
Threads: TypeAlias = Annotated[
    int,
    typer.Option(metavar="N", help="Threads; the output is the same for any number.", min=1),
]
Engine: TypeAlias = Annotated[
    EngineName | None,
    typer.Option(
        help="Parse a file or a whole folder with several workers: processes of this machine, "
        "or those of a Ray cluster. Started again, it goes on where it was; the output does "
        "not depend on workers that die. docs/scale.md has the details.",
        show_default=False,
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", help="Workers of --engine; 2 without it.", min=1),
]
Address: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A", help="Of the Ray cluster; without it, Ray starts here."),
]
Rows: TypeAlias = Annotated[
    RowKind | None,
    typer.Option(
        help="What a row of a Parquet output (-o NAME.parquet) is; token without it.",
        show_default=False,
    ),
]
ParquetColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The column of a Parquet INPUT that holds the documents, CoNLL-U or, for a "
        "pipeline, plain text; conllu or text without it.",
        show_default=False,
    ),
]
OnError: TypeAlias = Annotated[
    OnMistake,
    typer.Option(
        help="What to do about a sentence that is malformed, or that no tree fits under --rules or "
        "--keep-given: stop, or leave it out and count it."
    ),
]
