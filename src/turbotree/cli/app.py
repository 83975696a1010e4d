"""The command ``turbotree`` and its verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from turbotree import __version__
from turbotree.cli.commands.demo import demo
from turbotree.cli.commands.evaluate import evaluate
from turbotree.cli.commands.explain import explain
from turbotree.cli.commands.inspect import inspect
from turbotree.cli.commands.parse import parse
from turbotree.cli.commands.reproduce import reproduce
from turbotree.cli.commands.select import select
from turbotree.cli.commands.serve import serve
from turbotree.cli.commands.suggest import suggest
from turbotree.cli.commands.trace import trace
from turbotree.cli.commands.train import train
from turbotree.cli.process.failures import CarefulGroup

app = typer.Typer(
    name="turbotree",
    cls=CarefulGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # boxes leave no room for the help in a terminal of 80 columns
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with 'turbotree demo'; 'turbotree VERB --help' explains a verb.",
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
    """Parse sentences into dependency trees, and tell how sure every arc is."""


def _example(*commands: str) -> str:
    title = "Example:" if len(commands) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  {command}" for command in commands)])  # \b: as it stands


app.command(epilog=_example("turbotree demo"))(demo)
app.command(
    epilog=_example(
        "turbotree train train.conllu -o mine.safetensors --dev dev.conllu --threads 2",
        "turbotree train train.conllu -o mine.safetensors --beta 5 --gamma 1 --epochs 20",
    )
)(train)
app.command(
    epilog=_example(
        "turbotree select train.conllu -o small.safetensors --budget 200 --dev dev.conllu",
        "turbotree select train.txt -o small.safetensors --task chunk --budget 10,20,30 "
        "--dev dev.txt --plot budgets.svg",
    )
)(select)
app.command(
    epilog=_example(
        "turbotree parse mine.safetensors test.conllu -o parsed.conllu --threads 2",
        "cat test.conllu | turbotree parse mine.safetensors --format text | less",
        "turbotree parse mine.safetensors test.conllu -o trees.html",
        "turbotree parse mine.safetensors corpus/ -o parsed/ --engine processes --workers 8",
        "turbotree parse mine.safetensors partial.conllu --keep-given --k 5 --certificates",
    )
)(parse)
app.command(
    "eval",
    epilog=_example(
        "turbotree eval test.conllu parsed.conllu",
        "turbotree parse mine.safetensors test.conllu | turbotree eval test.conllu - --json",
    ),
)(evaluate)
app.command(epilog=_example("turbotree inspect mine.safetensors"))(inspect)
app.command(
    epilog=_example("turbotree explain mine.safetensors test.conllu --sentence 3 --arc 2,1")
)(explain)
app.command(
    epilog=_example(
        "turbotree suggest mine.safetensors unlabelled.conllu --top 100 -o todo.conllu",
        "turbotree suggest mine.safetensors unlabelled.conllu --words --top 500 > words.tsv",
    )
)(suggest)
app.command(
    epilog=_example("turbotree trace mine.safetensors test.conllu --sentence 3 -o rounds.svg")
)(trace)
app.command(
    epilog=_example(
        "turbotree serve mine.safetensors",
        "turbotree serve mine.safetensors --port 8080 --annotate corrected",
    )
)(serve)
app.command(
    epilog=_example(
        "turbotree reproduce --small all -o report.html",
        "turbotree reproduce koo2010 --data treebanks -o report.html --threads 2",
        "turbotree reproduce all --train train.conllu --test test.conllu -o report.html",
    )
)(reproduce)
