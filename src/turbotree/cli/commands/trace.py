"""``turbotree trace``: how bound and value of a sentence came together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import typer

from turbotree.cli.commands.explain import SentenceOptions, chosen_sentence
from turbotree.cli.inputs.tree_models import tree_model
from turbotree.cli.options import shared
from turbotree.cli.options.declaring import takes
from turbotree.cli.outputs.files import check_output, opened_output
from turbotree.parsing.tracing import draw_trace, trace_sentence


@dataclass(frozen=True, kw_only=True)
class TraceOptions(SentenceOptions):
    """What ``turbotree trace`` takes."""

    output: Path | None = shared.output(
        help="Write a picture of bound and value by round: an SVG file."
    )
    as_json: bool = shared.as_json(help="Print every round as JSON, for programs.")


@takes(TraceOptions)
def trace(options: TraceOptions) -> None:
    """Show how dual decomposition solves one sentence.

    The bound falls and the value of the best tree so far rises; where they meet, the tree is
    proven best. A gap that remains is one of the relaxation; parse searches further then.
    """
    output = options.output
    if output is not None:
        check_output(output, [options.model, options.input])
    parser, prepare = tree_model(options.model)
    (chosen,) = prepare([chosen_sentence(options)])
    solution = trace_sentence(parser, chosen)
    if output is not None:
        title = chosen.text or " ".join(chosen.forms)
        with opened_output(output) as out:
            out.write(draw_trace(solution, title).encode())
    typer.echo(json.dumps(solution.to_dict(), indent=2) if options.as_json else str(solution))
