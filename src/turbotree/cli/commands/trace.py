"""``turbotree trace``: how bound and value of a sentence came together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from turbotree.cli.commands.explain import sentence_of
from turbotree.cli.inputs.reading import InputFormat
from turbotree.cli.inputs.tree_models import tree_model
from turbotree.cli.outputs.files import check_output, opened_output
from turbotree.parsing.tracing import draw_trace, trace_sentence


def trace(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that turbotree train wrote, or en.")
    ],
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="A file of sentences.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write an SVG picture of bound and value along the rounds.",
        ),
    ] = None,
    sentence: Annotated[
        int, typer.Option(metavar="K", help="Which sentence of the file, from 1.", min=1)
    ] = 1,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(help="Without it, what the file looks like.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every round as JSON, for programs.")
    ] = False,
) -> None:
    """Solve one sentence by dual decomposition, and show how the solver got there.

    The bound falls and the value of the best tree so far rises; where they meet, the tree is
    proven best. A gap that stays is one of the relaxation; parse searches further then.
    """
    if output is not None:
        check_output(output, [model, input])
    parser, prepare = tree_model(model)
    (chosen,) = prepare([sentence_of(input, sentence, input_format)])
    solution = trace_sentence(parser, chosen)
    if output is not None:
        title = chosen.text or " ".join(chosen.forms)
        with opened_output(output) as out:
            out.write(draw_trace(solution, title).encode())
    typer.echo(json.dumps(solution.to_dict(), indent=2) if as_json else str(solution))
