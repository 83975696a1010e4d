"""``turbotree check``: suspicious annotation of treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from turbotree.checking import Finding, exceptions_path, read_exceptions, without_exceptions
from turbotree.checking.check import Check, check_treebank
from turbotree.checking.findings import KINDS, finding_line
from turbotree.checking.folds import FoldOptions, usual_cache
from turbotree.checking.guidelines import Guidelines
from turbotree.checking.marking import Style, marked_sentences, reasons_of
from turbotree.checking.page import findings_page
from turbotree.checking.reading import read_treebanks
from turbotree.cli.inputs.reading import tree_layout
from turbotree.cli.inputs.tree_models import tree_finder
from turbotree.cli.options import completion, shared
from turbotree.cli.options.declaring import (
    INPUT,
    MODEL,
    OUTPUT,
    SCALE,
    Options,
    argument,
    option,
    takes,
)
from turbotree.cli.outputs.files import check_output, opened_output
from turbotree.cli.outputs.progress import shown_progress
from turbotree.cli.process.failures import say
from turbotree.errors import InputError
from turbotree.labeling import Tagger
from turbotree.naming import unknown
from turbotree.parsing import Parser
from turbotree.text import Sentence
from turbotree.text.drawing.common import printable

FindingsFormat = Literal["table", "json", "conllu", "html"]
_ENDINGS: dict[str, FindingsFormat] = {
    ".jsonl": "json",
    ".json": "json",
    ".conllu": "conllu",
    ".html": "html",
}


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Options):
    """What ``turbotree check`` takes."""

    treebanks: list[Path] = argument(
        "Treebanks to check, as one: CoNLL-U files.",
        metavar="TREEBANK",
        complete=completion.treebanks,
    )
    output: Path | None = shared.output(
        help="The file to write: .jsonl, .conllu or .html. Without it, a table is printed."
    )
    most: int = option(50, "How many findings to show; 0 for all.", "--top", metavar="N", least=0)
    threshold: float = option(
        0.0, "The least probability that a word is wrong.", metavar="P", least=0, most=1
    )
    kind: str | None = option(
        None,
        f"Only findings of these kinds, with commas between: {', '.join(KINDS)}.",
        metavar="A,B,...",
    )
    rules: list[Path] | None = option(
        None,
        "A rule file of your own, in addition; may be given several times.",
        metavar="FILE",
        panel=INPUT,
    )
    ud: bool = option(
        True,
        "Whether the rules, relations and tags of Universal Dependencies hold.",
        "--ud/--no-ud",
        panel=INPUT,
    )
    exceptions: Path | None = option(
        None,
        "Acknowledged exceptions, which are not shown. Without it, TREEBANK.exceptions.",
        metavar="FILE",
        panel=INPUT,
    )
    model: Path | None = option(
        None,
        "A parser or pipeline that has not seen the treebank. Without it, models are trained on "
        "parts of the treebank and asked about the others.",
        metavar="MODEL",
        panel=MODEL,
        clashes=("folds", "fold_model", "seed", "cache"),
        complete=completion.models,
    )
    folds: int = option(5, "Parts of the treebank.", metavar="K", least=2, panel=MODEL)
    fold_model: Literal["turbo", "network"] = option(
        "turbo",
        "What is trained for each part. turbo: accurate. network: a third of the time.",
        panel=MODEL,
    )
    seed: int = option(1, "Decides every random choice.", metavar="N", least=0, panel=MODEL)
    cache: Path | None = option(
        None,
        "Folder for finished parts, by which a killed run goes on. Without it, "
        "~/.cache/turbotree/check.",
        metavar="FOLDER",
        panel=MODEL,
    )
    format: FindingsFormat | None = option(
        None, "What to write. Without it, by the name of the file.", panel=OUTPUT
    )
    as_json: bool = shared.as_json(help="Write JSON lines, as --format json.", clashes=("format",))
    misc: Style = option(
        "check",
        "What to write into CoNLL-U. udapi: also Bug and ToDo, which udapi highlights and filters. "
        "arborator: what ArboratorGrew can import.",
        panel=OUTPUT,
    )
    quiet: bool = shared.quiet()
    threads: int = option(
        1,
        "So many parts are trained at once. The result is the same for any number.",
        metavar="N",
        least=1,
        panel=SCALE,
    )


@takes(CheckOptions)
def check(options: CheckOptions) -> None:
    """Find suspicious annotation, likeliest errors first.

    Every sentence is scored by models that have not seen it; the rules of Universal Dependencies
    are checked; and the same words annotated differently elsewhere are found. One ranking, learnt
    from errors that are injected into a copy of the treebank, puts all this together: the first
    column is the probability that the word is wrong. What cannot be read is named and skipped.
    """
    format, kinds = _format(options), _kinds(options.kind)
    if options.misc != "check" and format != "conllu":
        raise InputError("--misc is for CoNLL-U: give -o FILE.conllu or --format conllu too")
    given = [*options.treebanks, options.model, options.exceptions, *(options.rules or ())]
    check_output(options.output, given)
    guidelines = _guidelines(options)
    models = None if options.model is None else _models(options.model)
    acknowledged = [one for path in _exception_files(options) for one in read_exceptions(path)]
    layout = tree_layout(options.treebanks[0])
    treebank = read_treebanks(options.treebanks, layout=layout, strict=options.ud)
    for problem in treebank.problems:
        say(str(problem))
    with shown_progress(options.quiet) as progress:
        checked = check_treebank(
            treebank.sentences,
            options=FoldOptions(folds=options.folds, model=options.fold_model, seed=options.seed),
            guidelines=guidelines,
            models=models,
            cache=options.cache or usual_cache(),
            threads=options.threads,
            progress=progress,
        )
    found: Iterable[Finding] = checked.findings(threshold=options.threshold, kinds=kinds)
    if acknowledged:
        found = (one for one in found if without_exceptions([one], acknowledged))
    findings = list(islice(found, options.most or None))
    _write(findings, checked, format, options)


def _write(
    findings: Sequence[Finding], checked: Check, format: FindingsFormat, options: CheckOptions
) -> None:
    if format == "table" and options.output is None:
        _print_table(findings)
        return
    with opened_output(options.output) as out:
        for text in _texts(findings, checked.sentences, format, options):
            out.write(text.encode())


def _texts(
    findings: Sequence[Finding],
    sentences: Sequence[Sentence],
    format: FindingsFormat,
    options: CheckOptions,
) -> Iterable[str]:
    if format == "json":
        return map(finding_line, findings)
    if format == "conllu":
        marked = marked_sentences(sentences, findings, options.misc)
        return (sentence.to_text() for sentence in marked)
    if format == "html":
        by_place = {
            sentence.place(word): sentence
            for sentence in sentences
            for word in range(1, len(sentence) + 1)
        }
        pairs = [(one, by_place[one.path, one.line]) for one in findings]
        return findings_page(pairs, ", ".join(path.name for path in options.treebanks))
    return _plain_table(findings)


def _print_table(findings: Sequence[Finding]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:  # for other programs: whole texts, tabs between
        for line in _plain_table(findings):
            print(line, end="")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("wrong", "where", "word", "why"):
        table.add_column(name, overflow="fold", justify="right" if name == "wrong" else "left")
    for finding in findings:
        table.add_row(*_cells(finding, "\n"))
    console.print(table, markup=False)


def _plain_table(findings: Iterable[Finding]) -> Iterator[str]:
    yield "wrong\twhere\tword\twhy\n"
    for finding in findings:
        yield "\t".join(_cells(finding, "; ")) + "\n"


def _cells(finding: Finding, between: str) -> tuple[str, str, str, str]:
    reasons = between.join(printable(reason) for reason in reasons_of(finding))
    where = f"{finding.path}:{finding.line}"
    return f"{finding.score:.2f}", printable(where), printable(finding.form), reasons


def _format(options: CheckOptions) -> FindingsFormat:
    if options.as_json:
        return "json"
    if options.format is not None:
        return options.format
    name = "" if options.output is None else options.output.name.removesuffix(".gz")
    return _ENDINGS.get(Path(name).suffix, "table")


def _kinds(given: str | None) -> list[str]:
    kinds = [kind.strip() for kind in given.split(",")] if given is not None else []
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("kind", kind, KINDS)
    return kinds


def _guidelines(options: CheckOptions) -> Guidelines:
    own = [Guidelines.of_file(path) for path in options.rules or ()]
    start = Guidelines.bundled() if options.ud else Guidelines.of_text("")
    return start.joined(own)


def _exception_files(options: CheckOptions) -> list[Path]:
    if options.exceptions is None:
        return [exceptions_path(path) for path in options.treebanks]
    if not options.exceptions.exists():
        raise InputError(f"{options.exceptions}: no such file")
    return [options.exceptions]


def _models(path: Path) -> tuple[Parser, Tagger | None]:
    model = tree_finder(path)
    return (model, None) if isinstance(model, Parser) else (model.parser, model.tagger)
