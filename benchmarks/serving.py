"""A server under load on loopback: capacity, latencies at 80 % of it, overload, memory.

    python benchmarks/serving.py MODEL SENTENCES.conllu --seconds 300

Three rounds against one server process. As fast as it goes, by a few clients that each wait for
their answer: the capacity. Then requests that come by chance (Poisson), whether or not the ones
before are answered, at 80 % of it: latencies and memory. Then three times the capacity: what is
too much has to be answered with 429, and nothing else may go wrong. ``--record`` writes the figures
to figures.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from figures import record

from turbotree.text import read_conllu

_HEAD = "POST /parse HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
# A server may close a connection that has been idle for long, just as we use it again.
_IDLE_SECONDS = 20.0


@dataclass
class Round:
    """What happened in a round: latencies of good answers, and all statuses."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def quantile(self, share: float) -> float:
        """Latency that this share of good answers keeps within, in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Client:
    """Connections that are kept and used again; plain enough to cost next to nothing."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def post(self, body: bytes) -> str:
        """Send one request; give its status, or the name of what went wrong."""
        try:
            reader, writer = await self._connection()
            writer.write(f"{_HEAD}content-length: {len(body)}\r\n\r\n".encode() + body)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = re.search(r"content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError) as error:
            return type(error).__name__
        self._free.append((time.perf_counter(), reader, writer))
        return head.split(" ", 2)[1]

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._free:
            since, reader, writer = self._free.pop()
            if time.perf_counter() - since < _IDLE_SECONDS:
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self._port)


def bodies_of(path: Path, words: int) -> list[bytes]:
    """Make requests of the sentences of about so many words."""
    sentences = [s for s in read_conllu(path) if abs(len(s) - words) <= 1]
    if not sentences:
        sys.exit(f"{path}: no sentences of {words} words")
    return [json.dumps({"conllu": s.to_text()}).encode() for s in sentences]


async def ask(client: Client, body: bytes, done: Round) -> None:
    """Send one request and write down what came of it."""
    started = time.perf_counter()
    status = await client.post(body)
    done.statuses[status] += 1
    if status == "200":
        done.latencies.append(time.perf_counter() - started)


async def closed(client: Client, bodies: list[bytes], clients: int, seconds: float) -> Round:
    """Ask as fast as it goes: each client waits for its answer and asks again."""
    done = Round(seconds)
    over = time.perf_counter() + seconds

    async def one(seed: int) -> None:
        chance = random.Random(seed)
        while time.perf_counter() < over:
            await ask(client, chance.choice(bodies), done)

    await asyncio.gather(*map(one, range(clients)))
    return done


async def opened(client: Client, bodies: list[bytes], rate: float, seconds: float) -> Round:
    """Ask by chance, so many times per second, whether or not answers have come."""
    done = Round(seconds)
    chance = random.Random(1)
    tasks = set()
    next_at = started = time.perf_counter()
    while next_at < started + seconds:
        await asyncio.sleep(max(0.0, next_at - time.perf_counter()))
        task = asyncio.create_task(ask(client, chance.choice(bodies), done))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        next_at += chance.expovariate(rate)
    await asyncio.gather(*tasks)
    return done


def resident_bytes(pid: int) -> int:
    """Memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def watch(pid: int, found: list[tuple[float, int]]) -> None:
    """Write down the memory of a process every second."""
    started = time.perf_counter()
    while True:
        found.append((time.perf_counter() - started, resident_bytes(pid)))
        await asyncio.sleep(1)


def _mean(sizes: list[tuple[float, int]]) -> float:
    return sum(size for _, size in sizes) / len(sizes)


def report(name: str, done: Round) -> None:
    """Print one round."""
    good = len(done.latencies)
    marks = ", ".join(
        f"p{round(100 * q)} {1000 * done.quantile(q):.0f} ms" for q in (0.5, 0.95, 0.99)
    )
    statuses = ", ".join(f"{count:,} x {status}" for status, count in sorted(done.statuses.items()))
    print(
        f"{name:<10} {good / done.seconds:7.1f} answers per second; {marks}; {statuses}", flush=True
    )


async def measure(
    pid: int, port: int, bodies: list[bytes], seconds: float
) -> tuple[bool, dict[str, float]]:
    """Run the three rounds; tell whether the bars are met, and the figures."""
    client = Client(port)
    await closed(client, bodies, 4, 5)  # warm
    capacity = await closed(client, bodies, 4, max(10.0, seconds / 12))
    report("capacity", capacity)
    rate = len(capacity.latencies) / capacity.seconds
    memory: list[tuple[float, int]] = []
    watching = asyncio.create_task(watch(pid, memory))
    steady = await opened(client, bodies, 0.8 * rate, seconds)
    report("at 80 %", steady)
    rounds = len(memory)
    over = await opened(client, bodies, 3 * rate, max(10.0, seconds / 12))
    report("at 300 %", over)
    watching.cancel()
    settled = [size for at, size in memory if 50 <= at <= 60] or [memory[0][1]]
    base = sum(settled) / len(settled)
    growths = [_mean(memory[end - 10 : end]) / base - 1 for end in (rounds, len(memory))]
    growth = max(growths)
    print(
        f"memory     {base / 1e6:.0f} MB after the first minute, {100 * growths[0]:+.2f} % at the "
        f"end of 80 %, {100 * growths[1]:+.2f} % after 300 %"
    )
    statuses = capacity.statuses + steady.statuses + over.statuses
    wrong = {status for status in statuses if status not in ("200", "429")}
    met = {
        "no error but 429": not wrong,
        "p99 under 1 s at 80 %": steady.quantile(0.99) < 1,
        "memory grows by less than 5 %": growth < 0.05,
    }
    for bar, holds in met.items():
        print(f"{'met' if holds else 'MISSED':<10} {bar}")
    total = sum(steady.statuses.values())
    figures = {
        "answers per s": round(rate),
        "median ms": round(1000 * steady.quantile(0.5)),
        "p99 s": round(steady.quantile(0.99), 2),
        "answered with 429 %": round(100 * steady.statuses["429"] / total),
        "MB": round(base / 1e6),
        "growth %": round(100 * growths[1]),
    }
    return all(met.values()), figures


def main() -> None:
    """Start a server and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--record", action="store_true", help="write to figures.json")
    given = parser.parse_args()
    bodies = bodies_of(given.sentences, given.words)
    server = subprocess.Popen(
        [sys.executable, "-u", "-m", "turbotree", "serve", str(given.model), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        address = re.search(r":(\d+) ", server.stdout.readline())
        assert address, "the server did not start"
        met, figures = asyncio.run(measure(server.pid, int(address[1]), bodies, given.seconds))
    finally:
        server.terminate()
        status = server.wait()
    if given.record:
        setting = f"{given.seconds:.0f} s, sentences of {given.words} words, {given.model.name}"
        record("serving/standard", figures, setting=setting, script=__file__)
    print(f"stopped with status {status}")
    sys.exit(0 if met and status == 0 else 1)


if __name__ == "__main__":
    main()
