"""``turbotree reproduce``: the papers' tables and figures, run again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from turbotree.cli.outputs.files import check_output
from turbotree.cli.outputs.progress import seconds_text, shown_progress
from turbotree.cli.process.failures import interrupted, say
from turbotree.errors import InputError

_ENTITY_FILES = ("train", "testa", "testb")


def reproduce(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="all, a paper (koo2010, ...), or one experiment; see --list."
        ),
    ] = "all",
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder of treebanks: X-ud-train.conllu, -dev, -test.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="REPORT", help="The HTML page to write."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead of --data: one treebank to train on."),
    ] = None,
    dev: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --train; else a tenth of it is held out."),
    ] = None,
    test: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --train: sentences to measure on.")
    ] = None,
    chunks: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Besides: a folder with train.txt and test.txt, of words, tags and chunks as in "
            "CoNLL-2000.",
            show_default=False,
        ),
    ] = None,
    entities: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Besides: a folder with X.train, X.testa and X.testb, of words, tags and entities "
            "as in CoNLL-2002.",
            show_default=False,
        ),
    ] = None,
    small: Annotated[
        bool,
        typer.Option(
            "--small",
            help="A few minutes for everything: the built-in treebank if no data are given, few "
            "sentences and epochs.",
        ),
    ] = False,
    medium: Annotated[
        bool,
        typer.Option(
            "--medium",
            help="Of each treebank, 4000 sentences to train on and 1000 to measure on; 5 epochs.",
        ),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Of WHAT, only experiments with one of these texts in their name: table2,fig.",
            show_default=False,
        ),
    ] = None,
    treebanks: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Of --data, only these: en_ewt,nl_lassysmall.",
            show_default=False,
        ),
    ] = None,
    sentences: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=10, help="Train on the first N sentences.", show_default=False
        ),
    ] = None,
    measured: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=2, help="Measure on the first N sentences.", show_default=False
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Passes of training.", show_default=False),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where results and models are kept; REPORT.cache if nothing is given. A run that "
            "was interrupted goes on from there.",
            show_default=False,
        ),
    ] = None,
    kept: Annotated[
        bool,
        typer.Option(
            "--kept",
            help="Do no new work: a report of what the cache holds, say of an interrupted run.",
        ),
    ] = False,
    threads: Annotated[int, typer.Option(metavar="N", min=1, help="Threads for training.")] = 1,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the experiments and exit.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")] = False,
) -> None:
    """Run the papers' experiments again and write a report.

    Each table and figure comes with the paper's values beside ours, an interval on every
    difference, and a plain word on whether the paper's ordering holds. Results are kept, so that
    a second run only does what is new.
    """
    from turbotree import experiments as room
    from turbotree.experiments.drawing import check_matplotlib
    from turbotree.experiments.settings import (
        MEDIUM_TEST,
        MEDIUM_TRAIN,
        SMALL_TEST,
        SMALL_TRAIN,
    )

    texts = tuple(text.strip() for text in only.split(",")) if only else ()
    chosen = room.choose(room.EXPERIMENTS, what, texts)
    if list_them:
        width = max(len(experiment.id) for experiment in chosen)
        for experiment in chosen:
            typer.echo(f"{experiment.id:{width}}  {experiment.place}: {experiment.compares}")
        return
    if output is None:
        raise InputError("no report to write; give -o REPORT.html")
    read = [train, dev, test]
    for folder, endings in ((data, ["conllu"]), (chunks, ["txt"]), (entities, _ENTITY_FILES)):
        if folder is not None:
            read += [file for ending in endings for file in folder.glob(f"*.{ending}")]
    check_output(output, read)
    check_matplotlib()
    if small and medium:
        raise InputError("--small and --medium do not go together")
    settings = room.SMALL if small else room.MEDIUM if medium else room.Settings()
    settings = settings.with_epochs(epochs)
    if small:
        sentences, measured = sentences or SMALL_TRAIN, measured or SMALL_TEST
    elif medium:
        sentences, measured = sentences or MEDIUM_TRAIN, measured or MEDIUM_TEST
    if train is not None or test is not None:
        if train is None or test is None or data is not None:
            raise InputError("--train and --test go together, without --data")
        datasets = [room.given_files(train, test, dev)]
    elif data is not None:
        datasets = room.find_datasets(data, treebanks.split(",") if treebanks else None)
    elif small:
        datasets = [room.built_in(sentences or SMALL_TRAIN, measured or SMALL_TEST)]
    elif chunks is not None or entities is not None:
        datasets = []
    else:
        raise InputError("no data; give --data DIR, or --train and --test, or --small")
    if chunks is not None:
        datasets.append(room.read_chunks(chunks))
    if entities is not None:
        datasets += room.read_entities(entities)
    datasets = [dataset.limited(sentences, measured) for dataset in datasets]
    kept_in = cache or output.with_name(f"{output.name}.cache")
    if not kept:
        kept_in.mkdir(parents=True, exist_ok=True)  # complains before hours of work

    def note(text: str) -> None:
        if not quiet:
            say(text)

    try:
        outcomes = room.run_experiments(
            chosen,
            datasets,
            settings,
            room.Cache(kept_in),
            threads=threads,
            kept_only=kept,
            note=note,
            # The trainings of a small run take seconds each.
            progress=partial(shown_progress, quiet or small),
        )
    except KeyboardInterrupt as error:
        raise interrupted(error, f"; the same command goes on from what {kept_in} holds") from None
    room.write_report(output, outcomes, datasets, settings)
    if not quiet:
        claims = [claim for outcome in outcomes for claim in outcome.shown.claims]
        seconds = sum(outcome.seconds for outcome in outcomes)
        typer.echo(
            f"{output}: {len(outcomes)} experiments in {seconds_text(seconds)}; "
            f"{sum(claim.holds for claim in claims)} of {len(claims)} orderings hold"
        )
