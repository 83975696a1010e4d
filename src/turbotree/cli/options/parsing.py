"""The options of ``turbotree parse``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import (
    INPUT,
    OUTPUT,
    PIPELINE,
    SCALE,
    SEARCH,
    TAGGER,
    TREES,
    Options,
    option,
)
from turbotree.cli.outputs.formats import OutputFormat
from turbotree.errors import InputError
from turbotree.models import USUAL
from turbotree.presets import presets_for

_ArcDecoder = Literal["mst", "eisner", "mbr"]
_PartDecoder = Literal[
    "auto",
    "exact",
    "admm",
    "subgradient",
    "lp",
    "lp-single",
    "lp2009",
    "lp2009-single",
    "ilp",
    "koo2010",
    "admm2011",
    "subgradient2011",
    "bp",
]
Decoder = Literal[_ArcDecoder, _PartDecoder]
Rows = Literal["token", "sentence"]


_search = partial(option, panel=SEARCH, fits=TREES)


@dataclass(frozen=True, kw_only=True)
class ParseOptions(Options):
    """What ``turbotree parse`` takes."""

    model: Path = shared.model(
        default=Path(USUAL),
        metavar="MODEL",
        help="A model file, or the name of a model: en is bundled, turbotree models lists all. "
        "--text alone takes en.",
    )
    input: Path | None = shared.sentences(
        default=None,
        metavar="INPUT",
        help="A file of sentences, or of text for a pipeline; .gz is unpacked. Without it or with "
        "-, standard input. With --engine, a file or a folder.",
    )

    output: Path | None = shared.output(
        help="The file to write; it appears whole or not at all. Without it or with -, standard "
        "output. With --engine, a file or a folder."
    )
    format: OutputFormat | None = option(
        None,
        "json: one object per line. text: trees for the terminal. svg: a picture of one sentence. "
        "html: a page with a picture of each. Without it, what the name of the output says, or "
        "else the format of the input.",
        "--format -f",
        clashes=("engine",),
    )
    text: str | None = option(
        None,
        "Parse this text instead of INPUT. In a terminal, the trees are drawn.",
        metavar="TEXT",
        fits=(PIPELINE,),
        clashes=("engine",),
    )

    input_format: shared.InputFormat | None = shared.input_format(
        help="Format of INPUT. A pipeline also takes text; lines: one sentence per line; words: "
        "one sentence per line, with spaces between its words. Without it, what the file is "
        "called (.lines, .words) or looks like; for standard input, conllu, or text if the model "
        "is a pipeline.",
        clashes=("engine",),
    )
    columns: str | None = shared.columns(
        help="Names of the columns of a column file. Without it, those of the training data.",
        fits=(TAGGER,),
        clashes=("input_format", "engine"),
    )
    encoding: str | None = shared.encoding(
        help="Encoding of input and output, if it is not UTF-8.",
        fits=(TAGGER,),
        clashes=("engine",),
    )
    keep_tags: bool = option(
        False, "Keep the tags and lemmas of the input sentences.", fits=(PIPELINE,), panel=INPUT
    )
    keep_given: bool = option(
        False,
        "Keep the heads and relations that the input has, and find those that are _. Heads that "
        "contradict each other (a cycle, two roots) are an error.",
        fits=TREES,
        panel=INPUT,
    )
    on_error: shared.ErrorPolicy = shared.on_error(
        help="What to do about a sentence that is malformed, or that has no tree under --rules or "
        "--keep-given: stop, or skip it and count it."
    )

    decoder: Decoder | None = _search(
        None,
        "How to choose a tree. For models of single arcs: mst (the default), the best tree; "
        "eisner, the best projective one; mbr, the one with most correct arcs in expectation. For "
        "all models: auto (the default of the others), dual decomposition, then a short search if "
        "a gap remains; exact, a search until the tree is proven best; admm, no search; "
        "subgradient, lp, lp-single, ilp, other solvers; koo2010, admm2011, "
        "subgradient2011, lp2009, lp2009-single, solvers as the papers have them; bp, as mbr, by "
        "belief propagation.",
        clashes=("samples",),
    )
    exact: bool = _search(
        False, "Short for --decoder exact: every tree is proven best.", clashes=("samples",)
    )
    decomposition: Literal["structured", "logic", "heads", "flows"] | None = _search(
        None,
        "How a sentence is written as a factor graph: structured, with trees and automata as "
        "factors; heads, with one automaton per head; logic, with flows and simple factors; or "
        "flows, which also reads paths and non-projective arcs off these. "
        "Without it, logic for linear programs and admm2011, heads for koo2010, and structured for "
        "all else.",
        clashes=("k", "samples"),
    )
    preset: str | None = _search(
        None,
        f"Decode as a paper does: {', '.join(presets_for('parsing'))}. docs/papers.md says what "
        "that sets.",
        metavar="NAME",
        clashes=("decoder", "exact", "decomposition", "k", "samples"),
    )
    k: int | None = _search(
        None,
        "Write the N best trees of each sentence, best first, with comments k and score. Their "
        "certificates say whether they are proven.",
        "--k",
        metavar="N",
        clashes=("samples", "engine"),
    )
    diversity: int = option(
        1,
        "With --k: each tree differs in at least D arcs from all before it.",
        metavar="D",
        needs="k",
        panel=SEARCH,
    )
    samples: int | None = _search(
        None,
        "Write N random trees of each sentence, drawn with the model's probabilities, with "
        "comments sample and score.",
        metavar="N",
        clashes=("engine",),
    )
    seed: int = option(
        0, "With --samples: the same seed gives the same trees.", metavar="S", panel=SEARCH
    )
    projective: bool = _search(False, "Allow no crossing arcs, whatever the decoder.")
    single_root: bool | None = _search(
        None,
        "One word under the root, or any number. Without it, as in the training data.",
        "--single-root/--multi-root",
    )
    rules: list[str] | None = _search(
        None,
        "Rules for trees and labels: a rule file, or the name of bundled rules (one-root, "
        "one-subject, determiners, quotations, names). Can be repeated. docs/parsing/rules.md "
        "describes the language.",
        metavar="FILE",
        clashes=("samples",),
    )
    time_limit: float | None = _search(
        None,
        "Time per sentence. After it, the best tree so far is written, and a comment says so. "
        "Without it 60, or no limit with --decoder exact or ilp; inf is no limit.",
        metavar="SECONDS",
        least=0.0,
        clashes=("samples",),
    )

    marginals: bool = option(
        False,
        "Add probabilities. CoNLL-U: HeadProb and LabelProb in MISC, and a comment "
        "tree_probability. JSON: the same, and the likely heads of each word. Pictures always "
        "show them.",
        clashes=("engine",),
        panel=OUTPUT,
    )
    certificates: bool = option(
        False,
        "Add what is known of each tree: its status (optimal is a proof), bound, gap, and the "
        "rounds and seconds of the solver. CoNLL-U: comments certificate_status and so on, which "
        "eval --certificates sums up. JSON: an object.",
        fits=TREES,
        clashes=("engine",),
        panel=OUTPUT,
    )
    profile: bool = option(
        False,
        "At the end, print to standard error where the time went, how many parts there were, and "
        "how many trees are proven best.",
        fits=TREES,
        panel=OUTPUT,
    )

    threads: int = shared.threads()
    engine: shared.Engine | None = shared.engine(
        help="Parse a file or a whole folder with several workers: processes on this machine, or "
        "those of a Ray cluster. An interrupted run resumes when it is started again. "
        "docs/scale.md has the details."
    )
    workers: int | None = shared.workers()
    address: str | None = shared.address()
    rows: Rows | None = option(
        None, "What a row of a Parquet output (-o NAME.parquet) is. Without it, token.", panel=SCALE
    )
    parquet_column: str | None = option(
        None,
        "The column of a Parquet INPUT that holds the documents: CoNLL-U or, for a pipeline, plain "
        "text. Without it, conllu or text.",
        metavar="NAME",
        panel=SCALE,
    )

    @property
    def chosen_decoder(self) -> str | None:
        """The decoder, however it was asked for."""
        if self.exact and self.decoder not in (None, "exact"):
            raise InputError(f"--exact and --decoder {self.decoder}: give only one of them")
        return "exact" if self.exact else self.decoder

    @property
    def search(self) -> dict[str, Any]:
        """What a parser takes of these options, as far as they are given."""
        chosen = {
            "decoder": self.chosen_decoder,
            "decomposition": self.decomposition,
            "preset": self.preset,
            "projective": self.projective or None,
            "single_root": self.single_root,
            "keep_given": self.keep_given or None,
            "time_limit_seconds": self.time_limit,
        }
        return {name: value for name, value in chosen.items() if value is not None}
