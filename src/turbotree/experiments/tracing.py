"""How much of a graph a solver still works on, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turbotree.experiments.measuring import Case
from turbotree.experiments.records import Measured
from turbotree.parsing.decoding import build_graph
from turbotree.parsing.logic import logic_graph


def active_shares(
    cases: Sequence[Case], solver: str, rounds: int, *, by_logic: bool = False
) -> Measured:
    """Solve every sentence and record the share of factors that are solved in each round.

    Returns
    -------
    dict
        ``rounds`` and ``share``: the mean over the sentences still being solved, in per cent;
        ``running``: how many these are; ``per_sentence``: the mean share of the rounds after the
        first.
    """
    total, running = np.zeros(rounds), np.zeros(rounds)
    per_sentence = []
    write = logic_graph if by_logic else build_graph
    for case in cases:
        graph = write(case.parts, 0, case.scores, case.shape)
        trace = graph.solve(solver, max_iterations=rounds, trace=True).trace
        assert trace is not None
        at = trace.iteration[trace.iteration <= rounds] - 1
        share = trace.active[: len(at)]
        known = np.isfinite(share) & (at >= 0)
        total[at[known]] += share[known]
        running[at[known]] += 1
        later = share[1:][np.isfinite(share[1:])]
        if len(later):
            per_sentence.append(float(later.mean()))
    seen = np.flatnonzero(running)
    return {
        "rounds": (seen + 1).tolist(),
        "share": (100 * total[seen] / running[seen]).tolist(),
        "running": running[seen].astype(int).tolist(),
        "per_sentence": per_sentence or [0.0],
    }
