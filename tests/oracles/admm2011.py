"""Algorithm 1 of Martins et al. (2011a), with the projections of its appendices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turbotree.graphs import Kind

#: Kinds that the paper has, or that are others of its kinds with negations.
KINDS = (
    Kind.XOR,
    Kind.XOR_OUT,
    Kind.OR,
    Kind.OR_OUT,
    Kind.NAND,
    Kind.IMPLY,
    Kind.AND_OUT,
    Kind.PAIR,
)
TAU, FIRST_PENALTY = 1.5, 0.03


def clip(x):
    """Project on the unit interval."""
    return min(max(x, 0.0), 1.0)


def on_simplex(a):
    """Algorithm 2."""
    b = sorted(a, reverse=True)
    rho = max(j for j in range(1, len(b) + 1) if b[j - 1] - (sum(b[:j]) - 1.0) / j > 0)
    tau = (sum(b[:rho]) - 1.0) / rho
    return [max(x - tau, 0.0) for x in a]


def on_or(a):
    """Appendix D."""
    z = [clip(x) for x in a]
    return z if sum(z) >= 1.0 else on_simplex(a)


def on_or_out(a):
    """Appendix E; the output is the last."""
    inputs, output = a[:-1], a[-1]
    b = sorted(inputs, reverse=True)
    # Algorithm 3; if no j will do, all inputs are above the mean, and it is that of all.
    means = [(output + sum(b[: j - 1])) / j for j in range(1, len(b) + 2)]
    rho = next((j for j in range(1, len(b) + 1) if means[j - 1] > b[j - 1]), len(b) + 1)
    tau = means[rho - 1]
    z = [clip(min(x, tau)) for x in inputs]
    if clip(tau) <= sum(z):
        return [*z, clip(tau)]
    return flipped(on_simplex, a, [len(inputs)])


def on_pair(a, c):
    """Appendix B; c is the score of both, over rho."""
    if c < 0:
        first, second = on_pair([a[0] + c, 1.0 - a[1]], -c)
        return [first, 1.0 - second]
    if a[0] > a[1] + c:
        return [clip(a[0]), clip(a[1] + c)]
    if a[1] > a[0] + c:
        return [clip(a[0] + c), clip(a[1])]
    return [clip((a[0] + a[1] + c) / 2.0)] * 2


def flipped(project, a, negated):
    """Project where some inputs are negated."""
    turned = [1.0 - x if i in negated else x for i, x in enumerate(a)]
    return [1.0 - z if i in negated else z for i, z in enumerate(project(turned))]


def z_update(factor, a, rho):
    """Solve the subproblem of a factor (Eq. 17)."""
    everything, last = range(len(a)), [len(a) - 1]
    negated = set(np.flatnonzero(factor.negated).tolist())
    if factor.kind is Kind.PAIR:
        return flipped(lambda b: on_pair(b, factor.scores[0] / rho), a, negated)
    project, also = {
        Kind.XOR: (on_simplex, ()),
        Kind.XOR_OUT: (on_simplex, last),
        Kind.OR: (on_or, ()),
        Kind.NAND: (on_or, everything),
        Kind.IMPLY: (on_or, (0,)),
        Kind.OR_OUT: (on_or_out, ()),
        Kind.AND_OUT: (on_or_out, everything),
    }[factor.kind]
    return flipped(project, a, negated ^ set(also))


@dataclass
class Round:
    """The state after a round, its residuals, and the penalty that it had."""

    u: np.ndarray
    lambdas: list
    penalty: float
    primal: float
    dual: float


def run(graph, rounds, threshold=0.0):
    """Run the algorithm; one record per round."""
    factors = [block.factor(f) for block in graph.blocks for f in range(len(block))]
    delta = np.bincount(np.concatenate([f.variables for f in factors]), minlength=len(graph))
    theta = [graph.scores[f.variables] / delta[f.variables] for f in factors]
    u = np.full(len(graph), 0.5)
    lambdas = [np.zeros(len(f.variables)) for f in factors]
    rho, records = FIRST_PENALTY, []
    for _ in range(rounds):
        z = [
            np.array(z_update(f, (u[f.variables] + (t + own) / rho).tolist(), rho))
            for f, t, own in zip(factors, theta, lambdas, strict=True)
        ]
        before, u = u, np.zeros(len(graph))
        for f, own in zip(factors, z, strict=True):
            np.add.at(u, f.variables, own)
        u = u / np.maximum(delta, 1)
        differences = [own - u[f.variables] for f, own in zip(factors, z, strict=True)]
        lambdas = [own - TAU * rho * by for own, by in zip(lambdas, differences, strict=True)]
        primal = sum((by**2).sum() for by in differences) / delta.sum()
        dual = (delta * (u - before) ** 2).sum() / delta.sum()
        records.append(Round(u, lambdas, rho, primal, dual))
        if primal < threshold and dual < threshold:
            break
        if primal > 10 * dual:
            rho *= 2
        elif dual > 10 * primal:
            rho /= 2
    return records
