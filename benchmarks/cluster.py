"""What a corpus costs on a cluster: a simulation of stragglers and of workers that die.

Usage: python benchmarks/cluster.py [--tokens 1e9] [--workers 10,100,1000] [--rate 5000] ...
       python benchmarks/cluster.py measure MODEL CORPUS [--sentences 100000] [--engine ray]

The second measures what the simulation takes for granted, on this machine (`workers.py`).

A worker takes the next piece, reads it from shared storage, parses it and writes it. Pieces differ
in length of work (log-normal), some workers are slow throughout, and workers die at random: their
piece is done again by another, and a new worker needs a while to start. Storage gives all workers
together so many bytes per second. What comes out: the time against that of workers that neither die
nor wait, and the share of work that was done twice.
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cluster:
    """What is assumed of a cluster and of a corpus."""

    workers: int
    tokens: float
    rate: float  # tokens per second that a typical worker parses
    piece_tokens: float
    bytes_a_token: float  # read and written together
    storage: float  # bytes per second for all workers together
    dispatch: float  # seconds that the driver is busy with a piece
    hours_between_deaths: float  # of one worker
    start: float  # seconds until a new worker is ready
    slow_share: float
    slow_factor: float
    spread: float  # of the logarithm of a piece's work


def simulate(cluster: Cluster, seed: int = 1) -> dict[str, float]:
    """Process a corpus; give the time, and what it would be without failures."""
    rng = np.random.default_rng(seed)
    pieces = int(np.ceil(cluster.tokens / cluster.piece_tokens))
    work = rng.lognormal(-(cluster.spread**2) / 2, cluster.spread, pieces)
    work *= cluster.piece_tokens / cluster.rate
    slow = np.where(rng.random(cluster.workers) < cluster.slow_share, cluster.slow_factor, 1.0)
    moved = cluster.piece_tokens * cluster.bytes_a_token
    # As many pieces are on their way at once as there are workers: they share the storage.
    transfer = moved * cluster.workers / cluster.storage
    death_rate = 1.0 / (cluster.hours_between_deaths * 3600.0)
    free = [(0.0, worker) for worker in range(cluster.workers)]
    heapq.heapify(free)
    waiting = list(range(pieces))[::-1]
    driver = end = lost = 0.0
    while waiting:
        at, worker = heapq.heappop(free)
        driver = max(at, driver) + cluster.dispatch
        piece = waiting.pop()
        # Parsing and transfer overlap in the long run: the longer of the two counts.
        needed = max(work[piece] * slow[worker], transfer)
        dies = rng.exponential(1.0 / death_rate)
        if dies < needed:
            waiting.append(piece)
            lost += dies
            heapq.heappush(free, (driver + dies + cluster.start, worker))
            continue
        end = max(end, driver + needed)
        heapq.heappush(free, (driver + needed, worker))
    ideal = cluster.tokens / cluster.rate / cluster.workers
    return {
        "hours": end / 3600,
        "ideal_hours": ideal / 3600,
        "efficiency": ideal / end,
        "lost_share": lost / (end * cluster.workers),
    }


def main() -> None:
    """Print a line for each number of workers."""
    if sys.argv[1:2] == ["measure"]:
        from workers import measure

        sys.exit(measure(sys.argv[2:]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=float, default=1e9)
    parser.add_argument("--workers", default="10,100,1000,4000")
    parser.add_argument("--rate", type=float, default=5000.0, help="tokens per second and worker")
    parser.add_argument("--piece-tokens", type=float, default=20_000.0, help="1 MB of CoNLL-U")
    parser.add_argument("--bytes-a-token", type=float, default=110.0)
    parser.add_argument("--storage", type=float, default=2e9, help="bytes per second in all")
    parser.add_argument("--dispatch", type=float, default=0.0005, help="seconds a piece")
    parser.add_argument("--hours-between-deaths", type=float, default=24.0)
    parser.add_argument("--start", type=float, default=20.0)
    parser.add_argument("--slow-share", type=float, default=0.05)
    parser.add_argument("--slow-factor", type=float, default=3.0)
    parser.add_argument("--spread", type=float, default=0.3)
    parser.add_argument("--json", action="store_true")
    options = vars(parser.parse_args())
    as_json, counts = options.pop("json"), options.pop("workers")
    rows = []
    for workers in map(int, counts.split(",")):
        rows.append({"workers": workers, **simulate(Cluster(workers=workers, **options))})
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    print(f"{'workers':>8} {'hours':>9} {'ideal':>9} {'efficiency':>11} {'done twice':>11}")
    for row in rows:
        print(
            f"{row['workers']:8} {row['hours']:9.3f} {row['ideal_hours']:9.3f} "
            f"{100 * row['efficiency']:10.1f} % {100 * row['lost_share']:9.2f} %"
        )


if __name__ == "__main__":
    main()
