"""How much of a graph a solver still works on, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.experiments.comparing import claim_shares
from turbotree.experiments.measuring import Case
from turbotree.experiments.records import Claim, Figure, Measured, Series
from turbotree.graphs.solution import recorded
from turbotree.parsing.decoding import logic_graph
from turbotree.parsing.parts.both_sides import heads_graph

#: What Figure 3 of Martins et al. (2011a) counts, and the column of a trace that has it.
MOVING = {
    "messages": "moving_links",
    "subproblems": "moving_factors",
    "variables": "moving_variables",
}


def active_shares(
    cases: Sequence[Case], solver: Literal["admm", "subgradient", "koo2010"], rounds: int
) -> Measured:
    """Solve every sentence and record the share of factors that are solved in each round.

    Returns
    -------
    dict
        ``rounds`` and ``share``: the mean over the sentences still being solved, in per cent;
        ``running``: how many these are; ``per_sentence``: the mean share of the rounds after the
        first.
    """
    mean = _MeanShares(rounds)
    for case in cases:
        graph = heads_graph(case.scored) if solver == "koo2010" else case.scored.graph()
        trace = recorded(graph.solve(solver, max_iterations=rounds, trace=True))
        mean.add(trace.iteration, trace.active)
    return mean.measured()


def moving_shares(cases: Sequence[Case], rounds: int) -> dict[str, Measured]:
    """Solve every sentence by ADMM with simple factors; record what still moves, by `MOVING`.

    Each is as `active_shares` gives it.
    """
    means = {name: _MeanShares(rounds) for name in MOVING}
    for case in cases:
        graph = logic_graph(case.scored)
        trace = recorded(graph.solve("admm", max_iterations=rounds, trace=True))
        for name, column in MOVING.items():
            means[name].add(trace.iteration, getattr(trace, column))
    return {name: mean.measured() for name, mean in means.items()}


def draw_shares(title: str, shares: Mapping[str, Measured], dashed: str = "") -> Figure:
    """Draw shares round by round, a line for each name; one may be dashed."""
    lines = tuple(
        Series(name, tuple(own["rounds"]), tuple(own["share"]), dashed=name == dashed)
        for name, own in shares.items()
    )
    note = "The mean over the sentences that are still being solved."
    return Figure(title, "round", "%", lines, note=note)


def claim_later_below(
    text: str, measure: str, shares: Mapping[str, Measured], limit: float
) -> Claim:
    """Compare the shares of the rounds after the first with a limit, for each treebank."""
    tests = {
        name: (own["per_sentence"], [limit] * len(own["per_sentence"]))
        for name, own in shares.items()
    }
    return claim_shares(text, measure, tests)


class _MeanShares:
    """The mean of shares, round by round, over the sentences still being solved."""

    def __init__(self, rounds: int) -> None:
        self._total, self._running = np.zeros(rounds), np.zeros(rounds)
        self._later: list[float] = []

    def add(self, iteration: LongArray, share: FloatArray) -> None:
        """Take in one sentence."""
        at = iteration[iteration <= len(self._total)] - 1
        share = share[: len(at)]
        known = np.isfinite(share) & (at >= 0)
        self._total[at[known]] += share[known]
        self._running[at[known]] += 1
        later = share[1:][np.isfinite(share[1:])]
        if len(later):
            self._later.append(float(later.mean()))

    def measured(self) -> Measured:
        """Give what there is, as JSON can hold it."""
        seen = np.flatnonzero(self._running)
        return {
            "rounds": (seen + 1).tolist(),
            "share": (100 * self._total[seen] / self._running[seen]).tolist(),
            "running": self._running[seen].astype(int).tolist(),
            "per_sentence": self._later or [0.0],
        }
