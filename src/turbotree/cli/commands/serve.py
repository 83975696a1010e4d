"""``turbotree serve``: a parser on the web."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    model: Annotated[
        Path | None,
        typer.Argument(
            metavar="[MODEL]",
            help="A parser or a pipeline that turbotree train wrote. Without it, the English "
            "model of the package.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(metavar="HOST", help="Where to listen: 0.0.0.0 lets other machines in."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", help="0 takes a port that is free.", min=0, max=65535)
    ] = 8000,
    annotate: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Let the page save corrected trees to DIR/annotations.conllu, which turbotree "
            "train reads. What the page says is saved survives a crash.",
            show_default=False,
        ),
    ] = None,
    max_words: Annotated[
        int, typer.Option(metavar="N", help="Words of the longest sentence taken.", min=1)
    ] = 250,
    max_sentences: Annotated[
        int, typer.Option(metavar="N", help="Sentences taken at a time.", min=1)
    ] = 200,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", help="Size of the largest request taken.", min=1)
    ] = 1_000_000,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time for one request.", min=0.1)
    ] = 10.0,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Requests parsed at the same time. Without it, one a core.",
            min=1,
            show_default=False,
        ),
    ] = None,
    max_waiting: Annotated[
        int,
        typer.Option(
            metavar="N", help="Requests that wait for a thread; others get status 429.", min=0
        ),
    ] = 16,
    rules: Annotated[
        bool, typer.Option("--rules/--no-rules", help="Take rules from the page and in requests.")
    ] = True,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Answer to this name too, beside localhost; for a server behind another one. "
            "May be given several times.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve a web page and an HTTP API: trees, probabilities, constraints, corrections.

    The page draws trees whose arcs can be pinned and forbidden. /docs describes the API, /metrics
    is for Prometheus. Ctrl-C or SIGTERM stops it once the requests under way are answered.
    """
    from turbotree.cli.process.failures import say
    from turbotree.serving import Annotations, Engine, Limits
    from turbotree.serving.app import create_app
    from turbotree.serving.running import hosts_of, run

    usual = Limits()
    limits = Limits(
        max_body_bytes=max_body,
        max_words=max_words,
        max_sentences=max_sentences,
        time_limit_seconds=time_limit,
        threads=threads or usual.threads,
        max_waiting=max_waiting,
    )
    engine = Engine.load(model, limits, rules_allowed=rules)
    annotations = Annotations(annotate) if annotate is not None else None
    if annotations is not None:
        count = annotations.counts.in_file
        kept = f"{count} sentences" if count != 1 else "1 sentence"
        typer.echo(f"Corrected trees go to {annotations.file}, which has {kept}.")
        if annotations.damaged is not None:
            say(
                "a line of the journal was damaged and is left out; the journal as it was is kept "
                f"as {annotations.damaged}"
            )
        if annotations.problem is not None:
            say(annotations.problem)
    app = create_app(engine, annotations=annotations, hosts=hosts_of(host, allow_host or ()))

    def started(address: str) -> None:
        typer.echo(f"Serving {engine.name} at {address} (the API is described at {address}/docs).")

    try:
        run(app, limits, host=host, port=port, started=started)
    finally:
        if annotations is not None:
            annotations.close()
    typer.echo("Stopped.")
