"""The subgradient method of Martins et al. (2011a), Eqs. 8 to 10, by enumeration of each factor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turbotree.graphs.factors.scores import factor_scores


@dataclass
class Round:
    """What a round gives, and the multipliers after it."""

    dual: float
    lambdas: list
    agreed: bool
    tied: bool  # whether another answer of a factor is as good


def assignments(graph):
    """List what each factor allows: variables, assignments by row, and their own scores."""
    found = []
    for block in graph.blocks:
        for number in range(len(block)):
            factor = block.factor(number)
            links = len(factor.variables)
            rows = (np.arange(2**links)[:, np.newaxis] >> np.arange(links)) & 1
            own = np.zeros((len(rows), len(graph)), dtype=bool)
            own[:, factor.variables] = rows
            scores = factor_scores(block, own)[:, number]
            allowed = scores > -np.inf
            found.append((factor.variables, rows[allowed].astype(float), scores[allowed]))
    return found


def run(graph, rounds, eta):
    """Run the algorithm with eta / (1 + rises of the dual) as steps; one record per round."""
    factors = assignments(graph)
    delta = np.bincount(np.concatenate([own[0] for own in factors]), minlength=len(graph))
    theta = graph.scores / np.maximum(delta, 1)
    free = float(np.maximum(graph.scores[delta == 0], 0.0).sum())
    lambdas = [np.zeros(len(variables)) for variables, _, _ in factors]
    records, last, rises = [], np.inf, 0
    for _ in range(rounds):
        z, dual, tied = [], free, False
        for (variables, rows, own), by in zip(factors, lambdas, strict=True):
            worths = own + rows @ (theta[variables] + by)
            z.append(rows[worths.argmax()])
            dual += worths.max()
            best = np.sort(worths)[-2:]
            tied |= len(best) == 2 and best[1] - best[0] < 1e-9
        u = np.zeros(len(graph))
        for (variables, _, _), answer in zip(factors, z, strict=True):
            np.add.at(u, variables, answer)
        u /= np.maximum(delta, 1)
        apart = [a - u[variables] for (variables, _, _), a in zip(factors, z, strict=True)]
        agreed = all(not own.any() for own in apart)
        rises += dual > last + 1e-12 * abs(last)  # less is rounding
        last = dual
        step = eta / (1 + rises)
        if not agreed:
            lambdas = [by - step * own for by, own in zip(lambdas, apart, strict=True)]
        records.append(Round(dual, lambdas, agreed, tied))
        if agreed:
            break
    return records
