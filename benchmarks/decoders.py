"""Decoders of one model side by side: time, proofs, bounds, and whether they agree.

    python benchmarks/decoders.py MODEL TREEBANK.conllu [--sentences 200] [--parts arc,sibling]

Only the decoders are timed: parts are found and scored once, for all of them. `--parts` leaves
families of the model out, for decoding under a smaller model with the same weights.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
from timing import cpu_seconds

from turbotree.graphs import Status
from turbotree.parsing import Parser
from turbotree.parsing.decoding import decode
from turbotree.parsing.parts import PartSet, ScoredSentence, families_of
from turbotree.scoring import Batch
from turbotree.text import Sentence, read_conllu

#: Decoder, decomposition and options.
RUNS: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "auto": ("auto", None, {}),
    "admm structured": ("admm", "structured", {}),
    "admm logic": ("admm", "logic", {}),
    "subgradient": ("subgradient", None, {"max_iterations": 1000}),
    "lp structured": ("lp", "structured", {}),
    "lp": ("lp", None, {}),
    "lp-single": ("lp-single", None, {}),
    "ilp structured": ("ilp", "structured", {}),
    "ilp": ("ilp", None, {}),
    "exact": ("exact", None, {}),
}


@dataclass
class Tally:
    """What one decoder did with each sentence."""

    seconds: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)
    proven: list[bool] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)

    def line(self, name: str) -> str:
        """Lay out the means."""
        return (
            f"{name:16} {1000 * np.mean(self.seconds):9.2f} {1000 * np.max(self.seconds):9.1f} "
            f"{100 * np.mean(self.proven):8.2f} {np.mean(self.bounds):12.4f} "
            f"{np.mean(self.scores):12.4f} {np.mean(self.iterations):9.1f}"
        )


def problems(
    parser: Parser, sentences: Sequence[Sentence], families: Sequence[str]
) -> list[tuple[PartSet, dict[str, Any]]]:
    """Return parts and scores of each sentence."""
    found = []
    for sentence in sentences:
        batch = Batch([sentence])
        arcs = parser.pruner.candidates(batch, shape=parser.shape)
        all_parts = PartSet.build(batch.lengths, arcs, parser.parts.families)
        scores = parser.parts.score(batch, all_parts)
        parts = PartSet.build(batch.lengths, arcs, families)
        found.append((parts, {name: scores[name] for name in families}))
    return found


def run(parser: Parser, cases: Sequence[tuple[PartSet, dict[str, Any]]], name: str) -> Tally:
    """Decode everything in one way."""
    decoder, decomposition, options = RUNS[name]
    tally = Tally()
    gc.collect()
    for parts, scores in cases:
        seconds, (_, score, known) = cpu_seconds(
            decode,
            ScoredSentence(parts, 0, scores, parser.shape),
            decoder,
            decomposition=decomposition,
            **options,
        )
        tally.seconds.append(seconds)
        tally.scores.append(score)
        tally.bounds.append(known.bound)
        tally.proven.append(known.status is Status.OPTIMAL)
        tally.iterations.append(known.iterations)
    return tally


def disagreement(tallies: Sequence[Tally]) -> tuple[int, float]:
    """Count where two decoders both claim the best tree, and tell how far their scores differ."""
    count, largest = 0, 0.0
    for one, other in combinations(tallies, 2):
        both = np.array(one.proven) & np.array(other.proven)
        apart = np.abs(np.subtract(one.scores, other.scores)) / np.maximum(1.0, np.abs(one.scores))
        count += int(both.sum())
        largest = max(largest, apart[both].max(initial=0.0))
    return count, largest


def main() -> None:
    """Read the arguments, print two tables."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("model", type=Path)
    arguments.add_argument("treebank", type=Path)
    arguments.add_argument("--sentences", type=int, default=200)
    arguments.add_argument("--parts", help="families, with commas; by default all of the model's")
    arguments.add_argument("--decoders", help=f"some of {', '.join(RUNS)}", default=",".join(RUNS))
    given = arguments.parse_args()
    parser = Parser.load(given.model)
    names = given.parts.split(",") if given.parts else parser.parts.families
    families = families_of("", names)
    cases = problems(parser, list(islice(read_conllu(given.treebank), given.sentences)), families)
    print(f"{len(cases)} sentences, {', '.join(families)}")
    print(
        f"{'decoder':16} {'ms':>9} {'most ms':>9} {'proofs %':>8} {'bound':>12} {'score':>12} "
        f"{'rounds':>9}"
    )
    tallies = {}
    for name in given.decoders.split(","):
        tallies[name] = run(parser, cases, name)
        print(tallies[name].line(name), flush=True)
    count, largest = disagreement(list(tallies.values()))
    print(f"\nboth of two decoders proven: {count} times; scores differ by {largest:.1e} at most")
    if "lp" in tallies:
        print("bounds less those of lp, as a share: least, most")
        reference = np.array(tallies["lp"].bounds)
        for name, tally in tallies.items():
            apart = (np.array(tally.bounds) - reference) / np.maximum(1.0, np.abs(reference))
            print(f"{name:16} {apart.min():9.1e} {apart.max():9.1e}")


if __name__ == "__main__":
    main()
