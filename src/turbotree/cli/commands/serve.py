"""``turbotree serve``: a parser on the web."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import SCALE, Options, option, takes

if TYPE_CHECKING:
    from turbotree.serving import Annotations, Engine, Limits
    from turbotree.serving.review import Review
    from turbotree.serving.workbench import Workbench

_limit = partial(option, panel=SCALE)


@dataclass(frozen=True, kw_only=True)
class ServeOptions(Options):
    """What ``turbotree serve`` takes."""

    model: Path | None = shared.model(
        default=None,
        metavar="MODEL",
        help="A parser or a pipeline. Without it, the bundled English model.",
    )
    host: str = option(
        "127.0.0.1", "Address to listen on: 0.0.0.0 lets other machines in.", metavar="HOST"
    )
    port: int = option(
        8000, "Port to listen on; 0 takes a free one.", metavar="N", least=0, most=65535
    )
    annotate: Path | None = option(
        None,
        "Let the page save corrected trees to DIR/annotations.conllu, which turbotree train reads. "
        "What the page reports as saved survives a crash.",
        metavar="DIR",
    )
    queue: Path | None = option(
        None,
        "Let the page /annotate offer the sentences of FILE (CoNLL-U, or raw text for a pipeline), "
        "the most useful first; the model learns from every tree that is saved.",
        metavar="FILE",
        needs="annotate",
    )
    cold_start: bool = option(
        False,
        "Begin without any model, and learn from nothing but what is saved.",
        needs="queue",
        clashes=("model",),
    )
    overlap: float = option(
        0.0,
        "Share of the sentences that every annotator gets, to measure agreement.",
        metavar="SHARE",
        least=0.0,
        most=1.0,
    )
    rank_by: Literal["errors", "mean", "total"] = option(
        "errors",
        "What makes a sentence useful. errors: the share of arcs and relations expected to be "
        "wrong. mean: doubt per word. total: doubt of the whole tree.",
    )
    retrain_with: list[Path] | None = option(
        None,
        "What the model was trained on: retraining in the background starts from scratch with it "
        "and the saved trees. Without it, only what was learnt on top of the model is learnt "
        "again. Can be repeated.",
        metavar="FILE",
        needs="queue",
    )
    retrain: bool = option(
        True, "Retrain in the background as trees are saved.", "--retrain/--no-retrain"
    )
    review: Path | None = option(
        None,
        "Let the page /review go through the findings that turbotree check -o FILE.jsonl wrote. "
        "The corrected treebank goes to DIR of --annotate, or to FILE.review.",
        metavar="FILE",
    )
    treebank: Path | None = option(
        None,
        "The treebank to review, if it is elsewhere than its findings say.",
        metavar="FILE",
        needs="review",
    )
    inception: bool = option(
        False,
        "Answer INCEpTION as an external recommender: relations, tags and lemmas are suggested, "
        "and learnt if INCEpTION is told to train. Needs the extra inception.",
    )
    rules: bool = option(True, "Accept rules from the page and in requests.", "--rules/--no-rules")
    allow_host: list[str] | None = option(
        None,
        "Answer to this name too, beside localhost; for a server behind a proxy. Can be repeated.",
        metavar="NAME",
    )
    max_words: int = _limit(250, "Words in the longest sentence accepted.", metavar="N", least=1)
    max_sentences: int = _limit(200, "Sentences accepted per request.", metavar="N", least=1)
    max_body: int = _limit(
        1_000_000, "Size of the largest request accepted.", metavar="BYTES", least=1
    )
    max_document: int = _limit(
        100_000_000,
        "Size of the largest request accepted from INCEpTION.",
        metavar="BYTES",
        least=1,
    )
    time_limit: float = option(10.0, "Time per request.", metavar="SECONDS", least=0.1, panel=SCALE)
    threads: int | None = shared.threads(
        default=None, help="Requests parsed at the same time. Without it, one per core."
    )
    max_waiting: int = _limit(
        16, "Requests that may wait for a thread; others get status 429.", metavar="N", least=0
    )


@takes(ServeOptions)
def serve(options: ServeOptions) -> None:
    """Serve a web page and an HTTP API.

    The page draws trees whose arcs can be pinned and forbidden. /docs describes the API, /metrics
    is for Prometheus. Ctrl-C or SIGTERM stops the server once the current requests are answered.
    """
    from turbotree.cli.process.failures import say
    from turbotree.serving import Annotations, Engine, Limits
    from turbotree.serving.app import create_app
    from turbotree.serving.running import hosts_of, run

    usual = Limits()
    limits = Limits(
        max_body_bytes=options.max_body,
        max_document_bytes=options.max_document,
        max_words=options.max_words,
        max_sentences=options.max_sentences,
        time_limit_seconds=options.time_limit,
        threads=options.threads or usual.threads,
        max_waiting=options.max_waiting,
    )
    engine = None
    reviews_alone = options.review is not None and options.model is None and not options.inception
    if not options.cold_start and not reviews_alone:
        engine = Engine.load(options.model, limits, rules_allowed=options.rules)
    review = _review(options) if options.review is not None else None
    keeps = options.annotate is not None and (engine is not None or options.cold_start)
    annotations = Annotations(options.annotate) if keeps and options.annotate is not None else None
    if annotations is not None:
        count = annotations.counts.in_file
        kept = f"{count} sentences" if count != 1 else "1 sentence"
        typer.echo(f"Corrected trees go to {annotations.file}, which has {kept}.")
        if annotations.damaged is not None:
            say(
                "a line of the journal was damaged and is skipped; the old journal is kept as "
                f"{annotations.damaged}"
            )
        if annotations.problem is not None:
            say(annotations.problem)
    workbench, inception = None, None
    try:
        if options.queue is not None and annotations is not None:
            workbench = _workbench(options, engine, annotations, limits)
        served = engine if workbench is None else workbench.engine
        if options.inception:
            from turbotree.serving.inception import Recommender

            def current() -> Engine:
                found = engine if workbench is None else workbench.engine
                assert found is not None  # --review alone has none, and is not asked
                return found

            inception = Recommender(current)
        app = create_app(
            served,
            annotations=annotations,
            workbench=workbench,
            review=review,
            inception=inception,
            limits=limits,
            hosts=hosts_of(options.host, options.allow_host or ()),
        )

        def started(address: str) -> None:
            said = f"the API is described at {address}/docs"
            if workbench is not None:
                said = f"annotate at {address}/annotate; {said}"
            if review is not None:
                said = f"review at {address}/review; {said}"
            if inception is not None:
                said = f"INCEpTION's remote URL is {address}/inception; {said}"
            name = served.name if served is not None else "findings"
            typer.echo(f"Serving {name} at {address} ({said}).")

        run(app, limits, host=options.host, port=options.port, started=started)
    finally:
        if review is not None:
            review.close()
        if inception is not None:
            inception.close()
        if workbench is not None:
            workbench.close()
        if annotations is not None:
            annotations.close()
    typer.echo("Stopped.")
    gc.freeze()  # Python would look through all of the model's objects before it ends


def _review(options: ServeOptions) -> Review:
    from turbotree.cli.process.failures import say
    from turbotree.serving.review import Review

    assert options.review is not None
    folder = options.annotate or options.review.with_name(f"{options.review.name}.review")
    review = Review(options.review, folder, options.treebank)
    status = review.status()
    left = status["total"] - status["decided"]
    typer.echo(f"{left} of {status['total']} findings are open; corrections go to {folder}.")
    if review.stale:
        say(f"{options.review}: {review.stale} findings do not fit the treebank and are omitted")
    if review.damaged is not None:
        say(f"a line of the journal was damaged; the old journal is kept as {review.damaged}")
    return review


def _workbench(
    options: ServeOptions, engine: Engine | None, annotations: Annotations, limits: Limits
) -> Workbench:
    from turbotree.cli.process.failures import say
    from turbotree.serving.workbench import Workbench, WorkbenchOptions

    assert options.queue is not None
    workbench = Workbench(
        engine,
        annotations,
        options.queue,
        WorkbenchOptions(
            overlap=options.overlap,
            measure=options.rank_by,
            treebanks=options.retrain_with or (),
            retrain_share=0.2 if options.retrain else 0.0,
        ),
        base=options.model or "en",
        limits=limits,
    )
    status = workbench.status("")
    typer.echo(f"{status['left']} of {status['total']} sentences wait in {options.queue}.")
    if workbench.too_long:
        say(
            f"{options.queue}: {workbench.too_long} sentences are longer than "
            f"{limits.max_words} words and are omitted"
        )
    return workbench
