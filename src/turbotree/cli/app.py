"""The command ``turbotree`` and its commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from turbotree import __version__
from turbotree.cli.commands.check import check
from turbotree.cli.commands.demo import demo
from turbotree.cli.commands.evaluate import evaluate
from turbotree.cli.commands.explain import explain
from turbotree.cli.commands.inspect import inspect
from turbotree.cli.commands.models import models
from turbotree.cli.commands.package import package
from turbotree.cli.commands.parse import parse
from turbotree.cli.commands.reproduce import reproduce
from turbotree.cli.commands.select import select
from turbotree.cli.commands.serve import serve
from turbotree.cli.commands.solve import solve
from turbotree.cli.commands.suggest import suggest
from turbotree.cli.commands.trace import trace
from turbotree.cli.commands.train import train
from turbotree.cli.options.help import PanelCommand
from turbotree.cli.process.failures import CarefulGroup

app = typer.Typer(
    name="turbotree",
    cls=CarefulGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # boxes leave too little width for the help
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with 'turbotree demo'. 'turbotree COMMAND --help' explains a command. "
    "'turbotree --install-completion' lets your shell complete options, models and treebanks.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"turbotree {__version__}")
        raise typer.Exit


@app.callback()
def turbotree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Parse sentences into dependency trees, with a probability for every arc."""


_EXAMPLES: dict[Callable[..., None], tuple[str, ...]] = {
    demo: ("demo",),
    train: (
        "train train.conllu -o mine.safetensors --dev dev.conllu --threads 2",
        "train train.conllu -o mine.safetensors --beta 5 --gamma 1 --epochs 20",
    ),
    select: (
        "select train.conllu -o small.safetensors --budget 200 --dev dev.conllu",
        "select train.txt -o small.safetensors --task chunk --budget 10,20,30 --dev dev.txt "
        "--plot budgets.svg",
    ),
    parse: (
        'parse --text "The dogs slept."',
        "parse mine.safetensors test.conllu -o parsed.conllu --threads 2",
        "parse mine.safetensors test.conllu -o trees.html",
        "parse mine.safetensors corpus/ -o parsed/ --engine processes --workers 8",
        "parse mine.safetensors partial.conllu --keep-given --k 5 --certificates",
    ),
    evaluate: ("eval test.conllu parsed.conllu", "eval test.conllu parsed.conllu --json"),
    inspect: ("inspect mine.safetensors",),
    models: ("models", "models --json"),
    package: (
        "package mine.safetensors --name turbotree-pt --model-version 1.0",
        "package mine.safetensors --name acme-models --model-version 2.1 --short pt -o wheels/",
    ),
    explain: ("explain mine.safetensors test.conllu --sentence 3 --arc 2,1",),
    suggest: (
        "suggest mine.safetensors unlabelled.conllu --top 100 -o todo.conllu",
        "suggest mine.safetensors unlabelled.conllu --words --top 500 > words.tsv",
    ),
    check: (
        "check train.conllu --threads 2",
        "check train.conllu dev.conllu --top 200 -o findings.html",
        "check test.conllu --model en --kind label,rule --threshold 0.5 --json",
    ),
    trace: ("trace mine.safetensors test.conllu --sentence 3 -o rounds.svg",),
    solve: (
        "solve network.uai --evidence network.uai.evid",
        "solve network.wcsp --time-limit 60 --json -o answer.json",
    ),
    serve: (
        "serve mine.safetensors",
        "serve mine.safetensors --port 8080 --annotate corrected",
    ),
    reproduce: (
        "reproduce --small all -o report.html",
        "reproduce koo2010 --data treebanks -o report.html --threads 2",
        "reproduce all --train train.conllu --test test.conllu -o report.html",
    ),
}

for _command, _examples in _EXAMPLES.items():
    _lines = [f"  turbotree {example}" for example in _examples]
    app.command(
        _examples[0].split()[0],
        cls=PanelCommand,
        epilog="\n".join(["\b", "Examples:", *_lines]),  # \b: as it stands
    )(_command)
