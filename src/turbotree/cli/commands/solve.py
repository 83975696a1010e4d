"""``turbotree solve``: the best assignment of a network in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import typer

from turbotree.cli.options import completion, shared
from turbotree.cli.options.declaring import INPUT, SEARCH, Options, argument, option, takes
from turbotree.cli.outputs.files import check_output, opened_output
from turbotree.cli.outputs.solving import shown_solving
from turbotree.cli.process.failures import interrupted
from turbotree.cli.process.signals import first_signal
from turbotree.graphs import Network, Status, read_network
from turbotree.graphs.formats.network import Answer, number_text
from turbotree.graphs.solvers.anytime import solve_anytime
from turbotree.interrupts import best_so_far
from turbotree.text.drawing.common import printable

Solver = Literal[
    "auto",
    "branch_and_bound",
    "admm",
    "linear_program",
    "subgradient",
    "belief_propagation",
    "brute_force",
    "toulbar2",
]

#: Solvers that cannot give their best so far when they are interrupted.
_IN_PYTHON = ("linear_program", "brute_force", "toulbar2")

_MEANINGS = {
    Status.OPTIMAL: "proven best",
    Status.RELAXED: "the relaxation is solved, but no proof",
    Status.LIMIT: "stopped early",
}


@dataclass(frozen=True, kw_only=True)
class SolveOptions(Options):
    """What ``turbotree solve`` takes."""

    file: Path = argument(
        "A network: .uai, .wcsp or .cfn, also .gz and .xz, or a graph that was saved as .npz.",
        metavar="FILE",
        complete=completion.networks,
    )
    output: Path | None = shared.output()
    evidence: Path | None = option(
        None,
        "Variables with known values: their number, then variable and value of each, as in "
        ".uai.evid files.",
        metavar="FILE",
        panel=INPUT,
    )
    solver: Solver = option(
        "auto", "The solver. auto: the relaxation first, then search.", panel=SEARCH
    )
    time_limit: float | None = option(
        None,
        "Stop after so many seconds with the best so far. Without it, search until it is proven.",
        metavar="SECONDS",
        least=0,
        panel=SEARCH,
    )
    gap: float | None = option(
        None,
        "Stop when value and bound differ by no more than this fraction of the bound, 0.01 for "
        "instance.",
        metavar="FRACTION",
        least=0,
        most=0.999,
        panel=SEARCH,
    )
    max_nodes: int | None = option(
        None,
        "Stop after so many nodes of the search; for auto and branch_and_bound.",
        metavar="N",
        least=1,
        panel=SEARCH,
    )
    as_json: bool = shared.as_json()
    quiet: bool = shared.quiet(help="Show no progress.")


@takes(SolveOptions)
def solve(options: SolveOptions) -> None:
    """Find the best assignment of a graphical model in a file.

    Reads Markov and Bayesian networks (.uai), weighted constraint networks (.wcsp) and cost
    function networks (.cfn), and prints the best assignment of the file's variables with its cost
    or log-probability. The bound tells how much better another one could be: where it meets the
    value, the assignment is proven best. Ctrl-C ends the search with the best so far.
    """
    check_output(options.output, [options.file, options.evidence])
    network = read_network(options.file, evidence=options.evidence)
    with first_signal(noted=options.solver not in _IN_PYTHON) as heard:
        with best_so_far(heard), shown_solving(network, options.time_limit, options.quiet) as told:
            solution = solve_anytime(
                network.graph,
                solver=options.solver,
                time_limit_seconds=options.time_limit,
                gap=options.gap,
                max_nodes=options.max_nodes,
                report=told,
            )
        answer = network.answer(solution)
        with opened_output(options.output) as out:
            for line in _lines(options, network, answer):
                out.write(f"{line}\n".encode())
        if options.output is not None:
            typer.echo(str(answer))
        if heard.signal is not None:
            raise interrupted(heard.signal, "; this is the best so far")


def _lines(options: SolveOptions, network: Network, answer: Answer) -> Iterator[str]:
    if options.as_json:
        record: dict[str, Any] = {"file": str(options.file), "solver": options.solver}
        yield json.dumps(record | answer.to_dict(), ensure_ascii=False, indent=2)
        return
    found = answer.assignment is not None
    value = number_text(answer.value) if found else "no assignment found"
    rows = {
        "status": f"{answer.status.value} ({_MEANINGS[answer.status]})",
        network.measure: value,
        "bound": number_text(answer.bound),
        "gap": f"{answer.gap:.3g}",
        "seconds": f"{answer.seconds:.3g}",
    }
    width = max(map(len, rows))
    for name, text in rows.items():
        yield f"{name:{width}}  {text}"
    if answer.assignment is not None:
        yield ""
        for name, chosen in answer.assignment.items():
            yield printable(f"{name} = {chosen}")
