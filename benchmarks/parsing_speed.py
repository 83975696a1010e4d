"""The measurements behind ``parsing.py``: parsing speed, threads, start-up.

Every repetition loads the parser and reads the sentences again, outside the clock, so that nothing
an earlier one has cached (word ids, columns, mapped pages) makes it look faster than a first run.
"""

from __future__ import annotations

import io
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from reporting import busy_seconds, summary
from udpipe_peer import UDPipe

from turbotree.parsing import Parser
from turbotree.text import read_conllu, write_conllu

Run = Callable[[], None]


class Contest:
    """Ways to parse one file; each is set up off the clock, then run on it."""

    def __init__(self, model: Path, test: Path, peer: UDPipe | None) -> None:
        self._model = model
        self._test = test
        self._peer = peer
        self._text = test.read_text(encoding="utf-8")
        self.tokens = sum(len(sentence) for sentence in read_conllu(test))

    def entries(self) -> dict[str, Callable[[], Run]]:
        """Return the contestants by name; calling one sets it up and gives what to time."""
        entries: dict[str, Callable[[], Run]] = {
            "turbotree": self.parser_alone,
            "turbotree, again": self.parser_warm,
            "turbotree, file to file": self.file_to_file,
        }
        if self._peer is not None:
            entries["UDPipe"] = self.peer_alone
            entries["UDPipe, file to file"] = self.peer_file_to_file
        return entries

    def parser_alone(self, threads: int = 1) -> Run:
        """Parse sentences in memory that were read but never looked at."""
        parser, sentences = Parser.load(self._model), list(read_conllu(self._test))

        def run() -> None:
            for _ in parser.pipe(sentences, threads=threads):
                pass

        return run

    def parser_warm(self) -> Run:
        """Parse what the same parser has just parsed: the caches are full."""
        run = self.parser_alone()
        run()
        return run

    def file_to_file(self) -> Run:
        """Read CoNLL-U, parse, write CoNLL-U, in memory as UDPipe's pipeline does."""
        parser, source = Parser.load(self._model), io.BytesIO(self._text.encode())

        def run() -> None:
            parses = parser.pipe(read_conllu(source))
            write_conllu((parse.to_sentence() for parse in parses), io.BytesIO())

        return run

    def peer_alone(self) -> Run:
        """Parse with UDPipe's ``Model.parse`` sentences that UDPipe has read."""
        assert self._peer is not None
        peer, sentences = self._peer, self._peer.read(self._text)
        return lambda: peer.parse(sentences)

    def peer_file_to_file(self) -> Run:
        """Run UDPipe's pipeline from CoNLL-U to CoNLL-U."""
        assert self._peer is not None
        peer = self._peer
        return lambda: _ignore(peer.process(self._text))


def parsing_speed(contest: Contest, repetitions: int) -> dict[str, Any]:
    """Return tokens per CPU second of every contestant, repetitions interleaved."""
    speeds: dict[str, list[float]] = {name: [] for name in contest.entries()}
    for repetition in range(repetitions):
        entries = list(contest.entries().items())
        # Neither side always runs in the other's wake.
        for name, set_up in entries if repetition % 2 == 0 else reversed(entries):
            run = set_up()
            start = time.process_time()
            run()
            speeds[name].append(contest.tokens / (time.process_time() - start))
    return {name: summary(values) for name, values in speeds.items()}


def thread_scaling(contest: Contest, repetitions: int, threads: int = 2) -> dict[str, Any]:
    """Compare wall-clock times of one thread and several, in pairs.

    ``others`` tells how many cores other processes kept busy meanwhile: a ratio measured while
    that is far from 0 says more about them than about us. ``parallelism`` is the CPU time of the
    many-threaded run over its wall-clock time, ``cpu_overhead`` its CPU time over one thread's.
    ``processes`` is how much faster as many processes, each on its own, parse as many files: more
    than that the machine does not give.
    """
    ratios, parallelism, overhead, others, processes = [], [], [], [], []
    for repetition in range(repetitions):
        wall: dict[int, float] = {}
        cpu: dict[int, float] = {}
        for count in (1, threads) if repetition % 2 == 0 else (threads, 1):
            run = contest.parser_alone(threads=count)
            busy, cpu_start, start = busy_seconds(), time.process_time(), time.perf_counter()
            run()
            wall[count] = time.perf_counter() - start
            cpu[count] = time.process_time() - cpu_start
            now = busy_seconds()
            if busy is not None and now is not None:
                others.append(max(0.0, now - busy - cpu[count]) / wall[count])
        ratios.append(wall[1] / wall[threads])
        parallelism.append(cpu[threads] / wall[threads])
        overhead.append(cpu[threads] / cpu[1])
        processes.append(threads * wall[1] / _side_by_side(contest, threads))
    return {
        "threads": threads,
        "ratio": {**summary(ratios), "best": max(ratios)},
        "parallelism": median(parallelism),
        "cpu_overhead": median(overhead),
        "processes": median(processes),
        "others": median(others) if others else None,
    }


def _side_by_side(contest: Contest, count: int) -> float:
    """Return the seconds that processes take which parse the same file at the same time."""
    forked = multiprocessing.get_context("fork")
    ready, seconds = forked.Barrier(count), forked.SimpleQueue()

    def parse() -> None:
        run = contest.parser_alone()
        ready.wait()
        start = time.perf_counter()
        run()
        seconds.put(time.perf_counter() - start)

    children = [forked.Process(target=parse) for _ in range(count)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    return max(seconds.get() for _ in children)


_IMPORT = "import turbotree"
_LOAD = "parser = Parser.load(sys.argv[1])"
_CLOCKED = """
import sys, time
{before}
wall, cpu = time.perf_counter(), time.process_time()
{timed}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def start_up(model: Path, repetitions: int) -> dict[str, Any]:
    """Return the seconds to import the package and to load a model, in fresh processes."""
    scripts = {
        "import turbotree": _CLOCKED.format(before="", timed=_IMPORT),
        "import the parser": _CLOCKED.format(
            before="", timed="from turbotree.parsing import Parser"
        ),
        "load": _CLOCKED.format(before="from turbotree.parsing import Parser", timed=_LOAD),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in scripts}
    for _ in range(repetitions):
        for name, script in scripts.items():
            command = [sys.executable, "-c", script, str(model)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            wall, cpu = map(float, done.stdout.split())
            times[name].append((wall, cpu))
    return {
        name: {
            "wall_seconds": summary([wall for wall, _ in pairs]),
            "cpu_seconds": summary([cpu for _, cpu in pairs]),
        }
        for name, pairs in times.items()
    }


def _ignore(_: object) -> None:
    """Drop a result, so that runs are alike."""
