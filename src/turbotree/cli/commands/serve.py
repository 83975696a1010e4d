"""``turbotree serve``: a parser on the web."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import SCALE, Options, option, takes

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
        max_words=options.max_words,
        max_sentences=options.max_sentences,
        time_limit_seconds=options.time_limit,
        threads=options.threads or usual.threads,
        max_waiting=options.max_waiting,
    )
    engine = Engine.load(options.model, limits, rules_allowed=options.rules)
    annotations = Annotations(options.annotate) if options.annotate is not None else None
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
    app = create_app(
        engine, annotations=annotations, hosts=hosts_of(options.host, options.allow_host or ())
    )

    def started(address: str) -> None:
        typer.echo(f"Serving {engine.name} at {address} (the API is described at {address}/docs).")

    try:
        run(app, limits, host=options.host, port=options.port, started=started)
    finally:
        if annotations is not None:
            annotations.close()
    typer.echo("Stopped.")
    gc.freeze()  # Python would look through all of the model's objects before it ends
