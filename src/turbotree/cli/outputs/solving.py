"""How solving is shown: one line with bound and value in a terminal, a few lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from turbotree.graphs import Network, Solution
from turbotree.graphs.formats.network import number_text


def progress_text(network: Network, solution: Solution) -> str:
    """Say in the terms of the file what is known so far.

    >>> from turbotree.graphs import FactorGraph, Status
    >>> network = Network(FactorGraph(), (), "cost", offset=-10.0)
    >>> progress_text(network, Solution(None, -float("inf"), 2.5, Status.LIMIT, 1, 0.1))
    'bound 7.5, no assignment yet'
    """
    bound = f"bound {number_text(network.in_file_terms(solution.upper_bound))}"
    if solution.values is None:
        return f"{bound}, no assignment yet"
    value = number_text(network.in_file_terms(solution.value))
    return f"{network.measure} {value}, {bound}, gap {solution.gap:.3g}"


class _Lines:
    """For logs: a line after 10 s, 20 s, 40 s and so on, so that short runs print nothing."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._started = time.monotonic()
        self._next = 10.0

    def __call__(self, solution: Solution) -> None:
        seconds = time.monotonic() - self._started
        if seconds < self._next:
            return
        while self._next <= seconds:
            self._next *= 2
        print(f"{seconds:.0f} s: {progress_text(self._network, solution)}", file=sys.stderr)


@contextmanager
def shown_solving(
    network: Network, time_limit: float | None, quiet: bool
) -> Iterator[Callable[[Solution], None] | None]:
    """Yield what takes the best solution so far and shows it."""
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield _Lines(network)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    limit = f" of {time_limit:g} s" if time_limit is not None else ""
    columns = (
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn(limit),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task("solving", total=None)
        yield lambda solution: line.update(task, description=progress_text(network, solution))
