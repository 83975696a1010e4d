"""``turbotree reproduce``: the papers' tables and figures, run again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from turbotree.cli.options import completion, shared
from turbotree.cli.options.declaring import (
    INPUT,
    OUTPUT,
    TRAINING,
    Options,
    argument,
    option,
    takes,
)
from turbotree.cli.outputs.files import check_output
from turbotree.cli.outputs.progress import seconds_text, shown_progress
from turbotree.cli.process.failures import interrupted, say
from turbotree.errors import InputError

_ENTITY_FILES = ("train", "testa", "testb")

_folder = partial(option, None, panel=INPUT, metavar="DIR")
_treebank = partial(option, None, panel=INPUT, metavar="FILE", complete=completion.treebanks)
_number = partial(option, None, panel=TRAINING, metavar="N")


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(Options):
    """What ``turbotree reproduce`` takes."""

    what: str = argument(
        "all, a paper (koo2010, ...), or one experiment; see --list.", "all", metavar="WHAT"
    )
    output: Path | None = shared.output(help="The HTML page to write.", metavar="REPORT")
    list_them: bool = option(False, "List the experiments and exit.", "--list")
    small: bool = option(
        False,
        "A few minutes for everything: few sentences and epochs, and the built-in treebank if no "
        "data are given.",
        clashes=("medium",),
    )
    medium: bool = option(
        False, "Per treebank 4000 sentences to train on and 1000 to test on; 5 epochs."
    )

    data: Path | None = _folder(
        "A folder of treebanks: X-ud-train.conllu, -dev, -test.", clashes=("train", "test")
    )
    treebanks: str | None = option(
        None, "Of --data, only these: en_ewt,nl_lassysmall.", metavar="A,B,...", panel=INPUT
    )
    train: Path | None = _treebank("Instead of --data: one treebank to train on.", needs="test")
    dev: Path | None = _treebank(
        "With --train: held-out sentences. Without it, a tenth of --train."
    )
    test: Path | None = _treebank("With --train: sentences to test on.", needs="train")
    chunks: Path | None = _folder(
        "In addition, a folder with train.txt and test.txt, of words, tags and chunks as in "
        "CoNLL-2000.",
    )
    entities: Path | None = _folder(
        "In addition, a folder with X.train, X.testa and X.testb, of words, tags and entities as "
        "in CoNLL-2002.",
    )

    only: str | None = option(
        None,
        "Of WHAT, only experiments with one of these texts in their name: table2,fig.",
        metavar="A,B,...",
        panel=TRAINING,
    )
    sentences: int | None = _number("Train on the first N sentences.", least=10)
    measured: int | None = _number("Test on the first N sentences.", least=2)
    epochs: int | None = _number("Passes over the data.", least=1)

    cache: Path | None = option(
        None,
        "Where results and models are kept; REPORT.cache without it. An interrupted run resumes "
        "from there.",
        metavar="DIR",
        panel=OUTPUT,
    )
    kept: bool = option(
        False,
        "Do no new work: report what the cache holds, for instance of an interrupted run.",
        panel=OUTPUT,
    )
    quiet: bool = shared.quiet()
    threads: int = shared.threads()


@takes(ReproduceOptions)
def reproduce(options: ReproduceOptions) -> None:
    """Repeat the papers' experiments and write a report.

    Each table and figure shows the paper's values beside ours, an interval on every difference,
    and whether the paper's ordering holds. Results are kept, so that a second run only does what
    is new.
    """
    output, small, quiet = options.output, options.small, options.quiet
    data, chunks, entities = options.data, options.chunks, options.entities
    from turbotree import experiments
    from turbotree.experiments.report.drawing import check_matplotlib
    from turbotree.experiments.settings import MEDIUM_TEST, MEDIUM_TRAIN, SMALL_TEST, SMALL_TRAIN

    texts = tuple(text.strip() for text in options.only.split(",")) if options.only else ()
    chosen = experiments.choose(experiments.EXPERIMENTS, options.what, texts)
    if options.list_them:
        width = max(len(experiment.id) for experiment in chosen)
        for experiment in chosen:
            typer.echo(f"{experiment.id:{width}}  {experiment.place}: {experiment.compares}")
        return
    if output is None:
        raise InputError("no report to write; give -o REPORT.html")
    read = [options.train, options.dev, options.test]
    for folder, endings in ((data, ["conllu"]), (chunks, ["txt"]), (entities, _ENTITY_FILES)):
        if folder is not None:
            read += [file for ending in endings for file in folder.glob(f"*.{ending}")]
    check_output(output, read)
    check_matplotlib()
    settings, train, test = experiments.Settings(), None, None
    if small:
        settings, train, test = experiments.SMALL, SMALL_TRAIN, SMALL_TEST
    elif options.medium:
        settings, train, test = experiments.MEDIUM, MEDIUM_TRAIN, MEDIUM_TEST
    settings = settings.with_epochs(options.epochs)
    sentences, measured = options.sentences or train, options.measured or test
    if options.train is not None and options.test is not None:
        datasets = [experiments.given_files(options.train, options.test, options.dev)]
    elif data is not None:
        datasets = experiments.find_datasets(
            data, options.treebanks.split(",") if options.treebanks else None
        )
    elif small:
        datasets = [experiments.built_in(sentences or SMALL_TRAIN, measured or SMALL_TEST)]
    elif chunks is not None or entities is not None:
        datasets = []
    else:
        raise InputError("no data; give --data DIR, or --train and --test, or --small")
    if chunks is not None:
        datasets.append(experiments.read_chunks(chunks))
    if entities is not None:
        datasets += experiments.read_entities(entities)
    datasets = [dataset.limited(sentences, measured) for dataset in datasets]
    kept_in = options.cache or output.with_name(f"{output.name}.cache")
    if not options.kept:
        kept_in.mkdir(parents=True, exist_ok=True)  # complains before hours of work

    def note(text: str) -> None:
        if not quiet:
            say(text)

    try:
        outcomes = experiments.run_experiments(
            chosen,
            datasets,
            settings,
            experiments.Cache(kept_in),
            threads=options.threads,
            kept_only=options.kept,
            note=note,
            # The trainings of a small run take seconds each.
            progress=partial(shown_progress, quiet or small),
        )
    except KeyboardInterrupt as error:
        raise interrupted(error, f"; the same command resumes from {kept_in}") from None
    experiments.write_report(output, outcomes, datasets, settings)
    if not quiet:
        claims = [claim for outcome in outcomes for claim in outcome.shown.claims]
        seconds = sum(outcome.seconds for outcome in outcomes)
        typer.echo(
            f"{output}: {len(outcomes)} experiments in {seconds_text(seconds)}; "
            f"{sum(claim.holds for claim in claims)} of {len(claims)} orderings hold"
        )
