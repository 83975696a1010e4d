"""Two workers beside one, and one of the two killed on the way; run by ``cluster.py measure``.

A corpus is repeated up to so many sentences and parsed by one process, by one worker, and by two
workers of which one is killed in the middle of a piece. The bars: the same bytes each time, and
two workers at least 1.6 times as fast as one.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

from turbotree.parsing import Parser
from turbotree.scaling import CorpusReport, Engine, open_engine, parse_corpus
from turbotree.text import read_conllu, write_conllu

LEAST_RATIO = 1.6


def _dying_once(mark: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Make a call, and be killed in the middle of it unless that has happened before."""
    if not os.path.exists(mark):
        Path(mark).touch()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return function(*arguments)


def _rest(seconds: float) -> None:
    time.sleep(seconds)


class OneKilled:
    """An engine one of whose workers is killed."""

    def __init__(self, engine: Engine, mark: Path) -> None:
        self._engine = engine
        self._mark = str(mark)

    def run(
        self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        """Make all calls; a worker dies of the third, once."""
        first, later = calls[:2], calls[2:]
        yield from self._engine.run(function, first)
        killing = [(self._mark, function, *arguments) for arguments in later]
        for number, result in self._engine.run(_dying_once, killing):
            yield number + len(first), result


def _run(
    engine: str, workers: int, model: Path, corpus: Path, out: Path, mark: Path | None
) -> tuple[CorpusReport, float]:
    with open_engine(engine, workers) as opened:
        # Workers start when they are first needed; that takes a while, once.
        list(opened.run(_rest, [(0.5,)] * workers))
        started = time.perf_counter()
        used = opened if mark is None else OneKilled(opened, mark)
        return parse_corpus(model, [corpus], out, used), time.perf_counter() - started


def measure(arguments: list[str]) -> int:
    """Measure, and print a line for each run; give 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--engine", default="ray")
    options = parser.parse_args(arguments)
    folder = tempfile.TemporaryDirectory()
    corpus, alone = Path(folder.name, "in.conllu"), Path(folder.name, "alone.conllu")
    given = list(read_conllu(options.corpus))
    write_conllu(islice(chain.from_iterable(repeat(given)), options.sentences), corpus)
    print(f"{options.sentences:,} sentences, {corpus.stat().st_size / 1e6:.0f} MB")
    model = Parser.load(options.model)
    cpu, started = time.process_time(), time.perf_counter()
    write_conllu((parse.to_sentence() for parse in model.pipe(read_conllu(corpus))), alone)
    print(_line("one process", time.perf_counter() - started, time.process_time() - cpu))
    speeds, same = [], True
    for workers, killed in ((1, False), (2, True)):
        out, mark = Path(folder.name, "out.conllu"), Path(folder.name, "killed")
        report, seconds = _run(
            options.engine, workers, options.model, corpus, out, mark if killed else None
        )
        assert mark.exists() == killed
        what = f"{workers} of {options.engine}" + (", one killed" if killed else "")
        equal = filecmp.cmp(out, alone, shallow=False)
        same &= equal
        speeds.append(report.words / seconds)
        print(
            _line(what, seconds, report.seconds, report.words),
            "same bytes" if equal else "OTHER BYTES",
            flush=True,
        )
    ratio = speeds[1] / speeds[0]
    print(f"two workers, one of them killed, are {ratio:.2f} times as fast as one; bar 1.6")
    folder.cleanup()
    return int(not same or ratio < LEAST_RATIO)


def _line(what: str, seconds: float, cpu: float, words: int | None = None) -> str:
    speed = f", {words / seconds:,.0f} words per second" if words else ""
    load = os.getloadavg()[0]
    return f"{what:22} {seconds:6.1f} s, CPU {cpu:6.1f} s{speed}; load {load:.1f}"


if __name__ == "__main__":
    sys.exit(measure(sys.argv[1:]))
