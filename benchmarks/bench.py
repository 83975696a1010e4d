"""Speed beside the peers in a few minutes, compared with earlier runs: what `make bench` does.

Usage: python benchmarks/bench.py [--data FOLDER] [--only TEXT,...] [--repeats 5] [--no-record]

Every contest is timed by turns with its peer, in CPU seconds on one thread; the figure is the
peer's time over ours. The history (benchmarks/history.json) has the ratios of earlier runs, by kind
of machine. What is slower than it was, by more than noise, is measured once more; if it still is,
the exit status is 1 and the run is not recorded, unless --accept says that it is meant.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Has to stand in the environment before NumPy is loaded.
    for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[_name] = "1"

import argparse
import platform
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from contests import Contest, measure
from contests_core import graph_contests, layer_contests, tree_contests
from contests_models import model_contests
from figures import commit, machine_kind, today
from history import Entry, Measured, Verdict, compare, read_history, with_entry, write_history

HISTORY = Path(__file__).with_name("history.json")
PEERS = ("ufal.chu_liu_edmonds", "ufal.udpipe", "pycrfsuite", "torch")


def all_contests(data: Path | None) -> Iterator[Contest]:
    """Everything that can be measured here."""
    yield from tree_contests()
    yield from graph_contests(data)
    yield from layer_contests()
    yield from model_contests(data)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _options(arguments)
    wanted = options.only.split(",") if options.only else [""]
    history, machine = read_history(options.history), machine_kind()
    started = perf_counter()
    print(f"{machine}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    print("ratio: the peer's CPU seconds over ours, median of the repeats\n")
    print(f"{'':38} {'beside':22} {'ratio':>8} {'noise':>7} {'before':>8} {'change':>8}")
    measured: list[Measured] = []
    verdicts: list[Verdict] = []
    for contest in all_contests(options.data):
        if not any(text in contest.name for text in wanted):
            continue
        found = measure(contest, options.repeats)
        (verdict,) = compare([found], machine, history)
        if verdict.slower:
            found = found.pooled(measure(contest, options.repeats))
            (verdict,) = compare([found], machine, history)
        measured.append(found)
        verdicts.append(verdict)
        print(_line(contest, verdict), flush=True)
    return _end(options, measured, verdicts, history, machine, perf_counter() - started)


def _end(
    options: argparse.Namespace,
    measured: list[Measured],
    verdicts: list[Verdict],
    history: list[Entry],
    machine: str,
    seconds: float,
) -> int:
    missing = [name for name in PEERS if not _installed(name)]
    if missing:
        print(f"\nskipped, not installed: {', '.join(missing)}")
    if not measured:
        print("nothing measured")
        return 2
    slower = [verdict.measured.name for verdict in verdicts if verdict.slower]
    print(f"\n{len(measured)} ratios in {seconds:.0f} s; {len(slower)} slower than before", end="")
    print(f": {', '.join(slower)}" if slower else "")
    if slower and not options.accept:
        print("not recorded; --accept records a run that is meant to be slower")
        return 1
    if options.record:
        entry = Entry(machine, today(), commit(), {one.name: one.median for one in measured})
        write_history(options.history, with_entry(history, entry))
        print(f"recorded in {options.history.name}")
    return 0


def _line(contest: Contest, verdict: Verdict) -> str:
    before = "–" if verdict.before is None else f"{verdict.before:.3g}"
    change = "" if verdict.before is None else f"{100 * verdict.change:+.0f} %"
    allowed = "" if verdict.before is None else f" (within {100 * verdict.limit:.0f} %)"
    one = verdict.measured
    return (
        f"{contest.name:38} {contest.peer:22} {one.median:8.3g} {100 * one.noise:5.1f} % "
        f"{before:>8} {change:>8}  {verdict.word}{allowed}"
    )


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, help="a folder with treebanks/ and bench/second_order/, if there is")
    add("--only", help="contests with one of these texts in their names")
    add("--repeats", type=int, default=5, help="of each contest; the median counts")
    add("--history", type=Path, default=HISTORY, help="where earlier runs stand")
    add("--no-record", dest="record", action="store_false", help="compare only")
    add("--accept", action="store_true", help="record this run even if something is slower")
    options = parser.parse_args(arguments)
    if options.repeats < 2:
        parser.error("--repeats is at least 2: without repeats there is no noise to judge by")
    if options.data is not None and not options.data.is_dir():
        parser.error(f"--data: {options.data} is no folder")
    return options


if __name__ == "__main__":
    sys.exit(main())
