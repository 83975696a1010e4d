"""Ten best trees beside one, in the same run: the figure that counts is the ratio.

python benchmarks/k_best.py MODEL TEST.conllu [--k 10] [--sentences N]
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
from pathlib import Path
from time import process_time

from turbotree import Parser
from turbotree.graphs import Status
from turbotree.parsing.profile import Profile
from turbotree.text import read_conllu

#: Ten best trees take at most so many times as long as one.
BAR = 5.0
_BATCH = 32


def main() -> int:
    """Measure; the exit status is 1 if the bar is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", type=Path)
    options.add_argument("test", type=Path)
    options.add_argument("--k", type=int, default=10)
    options.add_argument("--sentences", type=int, default=None)
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    parser = Parser.load(given.model)
    sentences = list(read_conllu(given.test))[: given.sentences]
    batches = [sentences[i : i + _BATCH] for i in range(0, len(sentences), _BATCH)]
    parser.parse_batch(batches[0])
    ratios = []
    for _ in range(given.repeats):
        started = process_time()
        for batch in batches:
            parser.parse_batch(batch)
        one = process_time() - started
        profile = Profile()
        started = process_time()
        lists = [
            found for b in batches for found in parser.k_best_batch(b, given.k, profile=profile)
        ]
        several = process_time() - started
        ratios.append(several / one)
        proven = [parse.certificate.status is Status.OPTIMAL for found in lists for parse in found]
        falling = all(a.score >= b.score for found in lists for a, b in itertools.pairwise(found))
        print(
            f"one best {one:.2f} s, {given.k} best {several:.2f} s: {several / one:.2f} times; "
            f"{len(proven) / len(lists):.2f} trees per sentence, "
            f"{100 * sum(proven) / len(proven):.2f} % proven, never rising: {falling}",
            flush=True,
        )
    print(profile)
    middle = statistics.median(ratios)
    print(f"median {middle:.2f} times, bar {BAR}: {'met' if middle < BAR else 'missed'}")
    return int(middle >= BAR)


if __name__ == "__main__":
    sys.exit(main())
