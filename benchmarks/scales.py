"""Whether proofs hold at every scale of scores, with every mask, against enumeration.

Usage: python benchmarks/scales.py [--problems 20000] [--seed 1]

A problem is a small graph of random factors or a sentence of two to four words with scores of
arcs, siblings and grandparents; it is distorted (another unit, masks, a constant) and solved by
every solver of best assignments, or by every decoder. Counted are proofs, and answers that are
false: proofs of what is not best, bounds below the best, values that are not those of their
assignments, and assignments said not to exist. The bars: nothing false; in other units, at most 1 %
fewer proofs than for the same problems as they are; with masks, the same for exact solvers.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from oracles.distortions import DISTORTIONS, rescored, resolution
from oracles.graphs import random_graph
from oracles.part_scores import score_of
from oracles.trees import all_trees

from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.arrays.decode import decode as decode_arrays
from turbotree.parsing.arrays.parts import dense_parts, part_scores
from turbotree.parsing.decoding import decode
from turbotree.parsing.parts import ScoredSentence

SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "admm": ("admm", {}),
    "branch_and_bound": ("branch_and_bound", {}),
    "subgradient": ("subgradient", {}),
    "max_product": ("max_product", {}),
    "linear_program": ("linear_program", {}),
    "linear_program, exact": ("linear_program", {"exact": True}),
}
DECODERS = {
    "auto": ("auto", None),
    "exact": ("exact", None),
    "admm": ("admm", None),
    "admm, logic": ("admm", "logic"),
    "subgradient": ("subgradient", None),
    "lp": ("lp", None),
    "lp-single": ("lp-single", None),
    "ilp": ("ilp", None),
    "ilp, structured": ("ilp", "structured"),
}
EXACT = ("branch_and_bound", "linear_program, exact", "tt.decode", "auto", "exact")
PLAIN = "as they are"
CONSTANT = "a constant"
UNITS = (CONSTANT, *(name for name in DISTORTIONS if name.startswith("times")))
FALSE = ("proof", "bound", "value", "infeasible")


@dataclass(frozen=True)
class Answer:
    """What one solver says, and what its assignment is really worth."""

    value: float
    bound: float
    proven: bool
    worth: float | None


def judged(answer: Answer | None, best: float, unit: float) -> Iterator[str]:
    """Give what is false of an answer, and whether it is a proof."""
    if answer is None:
        yield "proven" if best == -np.inf else "infeasible"
        return
    near = resolution(unit, best) if best > -np.inf else 0.0
    if answer.proven:
        yield "proven"
        if answer.worth is None or answer.worth < best - near:
            yield "proof"
    if best > -np.inf and answer.bound < best - near:
        yield "bound"
    worth = answer.worth
    if worth is not None and worth > -np.inf:
        off = abs(answer.value - worth)
        if off > 1e-9 * max(abs(worth), unit):
            yield "value"


def solve_graph(graph: FactorGraph, solver: str) -> Answer | None:
    name, options = SOLVERS[solver]
    try:
        found = graph.solve(name, **options)
    except InfeasibleError:
        return None
    worth = None if found.values is None else float(graph.value(found.values))
    return Answer(found.value, found.upper_bound, found.status is Status.OPTIMAL, worth)


def graphs(rng: np.random.Generator, count: int, seen: Callable[..., None]) -> None:
    """Try solvers on graphs of all kinds of factors."""
    for _ in range(count):
        plain = random_graph(rng)
        every = (np.arange(2 ** len(plain))[:, np.newaxis] >> np.arange(len(plain))) & 1
        name = str(rng.choice(list(DISTORTIONS)))
        make, unit = DISTORTIONS[name]
        distorted = rescored(plain, make(rng))
        for title, graph, size in ((PLAIN, plain, 1.0), (name, distorted, unit)):
            best = float(np.max(graph.value(every.astype(bool))))
            for solver in SOLVERS:
                seen(name, title, solver, judged(solve_graph(graph, solver), best, size))


@dataclass(frozen=True)
class Words:
    """Scores of a few words."""

    arcs: Any
    siblings: Any
    grandparents: Any
    shape: TreeShape

    def changed(self, arcs: Callable[..., Any], parts: Callable[..., Any]) -> Words:
        return Words(arcs(self.arcs), parts(self.siblings), parts(self.grandparents), self.shape)

    def score(self, heads: Any) -> float:
        return float(score_of(list(heads), self.arcs, self.siblings, self.grandparents))

    def answer(self, decoder: str) -> Answer | None:
        try:
            heads, score, certificate = self._decoded(decoder)
        except InfeasibleError:
            return None
        proven = certificate.status is Status.OPTIMAL
        return Answer(score, certificate.bound, proven, self.score(heads))

    def _decoded(self, decoder: str) -> tuple[Any, float, Any]:
        if decoder == "tt.decode":
            found = decode_arrays(
                self.arcs,
                sibling_scores=self.siblings,
                grandparent_scores=self.grandparents,
                single_root=self.shape.single_root,
                projective=self.shape.projective,
            )
            return found.heads, found.score, found.certificate
        name, decomposition = DECODERS[decoder]
        parts, places = dense_parts(self.arcs, len(self.arcs) - 1, grandparents=True)
        own = {"arc": self.arcs, "sibling": self.siblings, "grandparent": self.grandparents}
        scores = part_scores(own, places)
        scored = ScoredSentence(parts, 0, scores, self.shape)
        return decode(scored, name, decomposition=decomposition)


def sentences(rng: np.random.Generator, count: int, seen: Callable[..., None]) -> None:
    """Try decoders on sentences with siblings and grandparents."""
    names = [*DISTORTIONS, CONSTANT]
    for _ in range(count):
        side = int(rng.integers(3, 6))
        shape = TreeShape(bool(rng.integers(2)), bool(rng.integers(3) == 0))
        every = list(
            all_trees(side - 1, single_root=shape.single_root, projective=shape.projective)
        )
        cube = (side,) * 3
        plain = Words(
            2 * rng.normal(size=cube[:2]), rng.normal(size=cube), rng.normal(size=cube), shape
        )
        name = str(rng.choice(names))
        if name == CONSTANT:
            constant, unit = rng.choice([1e4, 1e6, -1e9]), 1.0
            distorted = plain.changed(lambda s, c=constant: s + c, lambda s: s)
        else:
            make, unit = DISTORTIONS[name]
            change, keep = make(rng), lambda s, unit=unit: s * unit
            where = 2 if name.startswith("times") else rng.integers(3)
            distorted = plain.changed(change if where else keep, keep if where == 1 else change)
        for title, words, size in ((PLAIN, plain, 1.0), (name, distorted, unit)):
            best = max(words.score(heads) for heads in every)
            if best == -np.inf:
                continue
            for decoder in ("tt.decode", *DECODERS):
                if shape.projective and ("logic" in decoder or decoder == "lp-single"):
                    continue
                seen(name, title, decoder, judged(words.answer(decoder), best, size))


class Table:
    """What every solver said, by kind of distortion, of problems as they are and distorted."""

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, bool, bool], Counter[str]] = defaultdict(Counter)

    def add(self, name: str, title: str, who: str, said: Iterator[str]) -> None:
        for word in ("asked", *said):
            self._counts[who, name in UNITS, title != PLAIN][word] += 1
            if word in FALSE:
                print(f"FALSE {word}: {who}, {title}")

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(who for who, _, _ in self._counts))

    def _share(self, who: str, units: bool, distorted: bool) -> float:
        own = self._counts[who, units, distorted]
        return 100 * own["proven"] / max(1, own["asked"])

    def _total(self, who: str, *words: str) -> int:
        own = [count for key, count in self._counts.items() if key[0] == who]
        return sum(count[word] for count in own for word in words)

    def row(self, who: str) -> str:
        shares = [
            f"{self._share(who, units, False):6.2f} -> {self._share(who, units, True):6.2f}%"
            for units in (True, False)
        ]
        asked, false = self._total(who, "asked"), self._total(who, *FALSE)
        return f"{who:24}{asked:8}   {shares[0]:18}   {shares[1]:18}{false:7}"

    def misses(self, who: str) -> bool:
        fewer = [
            self._share(who, units, True) < self._share(who, units, False) - 1.0
            for units in (True, False)
        ]
        # Masks make other problems, whose relaxation may be less tight.
        return self._total(who, *FALSE) > 0 or fewer[0] or (fewer[1] and who in EXACT)


def main() -> int:
    """Print a table; the status is 1 if a bar is missed."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--problems", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    asked = arguments.parse_args()
    rng = np.random.default_rng(asked.seed)
    missed = False
    for what, run in (("solver", graphs), ("decoder", sentences)):
        table = Table()
        run(rng, asked.problems // 2, table.add)
        print(f"{what:24}{'asked':>8}   {'in other units':18}   {'with masks':18}{'false':>7}")
        for who in table.names:
            print(table.row(who), flush=True)
            missed |= table.misses(who)
    print("a bar is missed" if missed else "all bars are reached")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
