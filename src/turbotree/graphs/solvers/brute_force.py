"""All assignments of a small graph, one by one: the oracle of the other solvers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import BoolArray, FloatArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs.factors.blocks import Block
from turbotree.graphs.factors.scores import factor_scores
from turbotree.graphs.solution import Marginals, Solution, Status, Trace
from turbotree.graphs.solvers.options import Limits
from turbotree.quantities import as_count, as_flag

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: BoolArray scored together.
_CHUNK_BITS = 13


def brute_force(
    graph: FactorGraph,
    *,
    time_limit_seconds: float | None = None,
    max_iterations: int | None = None,
    trace: bool = False,
    max_variables: int = 24,
) -> Solution:
    """Find the best assignment by trying all of them: O(2^n) time.

    Parameters
    ----------
    graph : FactorGraph
    time_limit_seconds : float, optional
        Wall-clock time.
    max_iterations : int, optional
        How many chunks of up to 8192 assignments to try.
    trace : bool
        Record the best value after each chunk.
    max_variables : int
        Refuse graphs with more free variables (neither fixed nor forbidden).

    Returns
    -------
    Solution
        The first best assignment; OPTIMAL unless a limit stopped the search, in which case
        nothing is known of the rest and the bound is infinite.

    Raises
    ------
    InfeasibleError
        When no assignment is allowed.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b, c = graph.variables([1.0, 2.0, 3.0])
    >>> graph.at_most([a, b, c], 2)
    >>> graph.not_all([b, c])
    >>> solution = brute_force(graph)
    >>> solution.values.tolist(), solution.value
    ([True, False, True], 4.0)
    """
    limits = Limits(time_limit_seconds, max_iterations)
    best, value = None, -np.inf
    rounds: list[int] = []
    found: list[float] = []
    done = 0
    stopped = False
    for values, scores in _chunks(graph, max_variables):
        if limits.reached(done):
            stopped = True
            break
        done += 1
        if len(scores) and scores.max() > value:
            row = int(scores.argmax())
            best, value = values[row].copy(), float(scores[row])
        rounds.append(done)
        found.append(value)
    if best is None and not stopped:
        raise InfeasibleError("no assignment satisfies all hard factors, evidence and scores")
    bound = np.inf if stopped else value
    return Solution(
        best,
        value,
        bound,
        Status.LIMIT if stopped else Status.OPTIMAL,
        done,
        limits.seconds,
        None if best is None else best.astype(np.float64),
        Trace.of_bounds(rounds, [bound] * len(rounds), found) if trace else None,
    )


def brute_force_marginals(
    graph: FactorGraph, *, max_variables: int = 24, factors: bool = False
) -> Marginals:
    """Compute exact probabilities by summing over all assignments: O(2^n) time.

    Parameters
    ----------
    graph : FactorGraph
    max_variables : int
        Refuse graphs with more free variables.
    factors : bool
        Give ``factor_marginals`` too: the probability that each factor score counts.

    Returns
    -------
    Marginals

    Raises
    ------
    InfeasibleError
        When no assignment is allowed.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([0.0, 0.0, 0.0, 0.0]))
    >>> marginals = brute_force_marginals(graph)
    >>> marginals.probabilities
    array([0.25, 0.25, 0.25, 0.25])
    >>> print(f"{marginals.log_partition:.4f} {marginals.entropy:.4f}")
    1.3863 1.3863
    """
    limits = Limits()
    blocks = graph.blocks if as_flag(factors, "factors") else ()
    # Sums relative to the largest score so far; each chunk may raise it.
    largest, total, weighted = -np.inf, 0.0, 0.0
    ones = np.zeros(len(graph))
    uses = [np.zeros(len(block.scores)) for block in blocks]
    done = 0
    for values, scores in _chunks(graph, max_variables):
        done += 1
        if not len(scores):
            continue
        highest = max(largest, float(scores.max()))
        if highest > largest:
            rescale = np.exp(largest - highest)
            total, weighted, ones = total * rescale, weighted * rescale, ones * rescale
            uses = [counts * rescale for counts in uses]
            largest = highest
        weights = np.exp(scores - largest)
        total += float(weights.sum())
        weighted += float((weights * scores).sum())
        ones += weights @ values
        for counts, block in zip(uses, blocks, strict=True):
            counts += _weighted_uses(block, values, weights)
    if total == 0.0:
        raise InfeasibleError("no assignment satisfies all hard factors, evidence and scores")
    log_partition = largest + float(np.log(total))
    entropy = max(0.0, log_partition - weighted / total)
    probabilities = np.minimum(ones / total, 1.0)  # the sums are rounded
    return Marginals(
        probabilities,
        log_partition,
        entropy,
        True,
        done,
        limits.seconds,
        factor_marginals=tuple(counts / total for counts in uses) if factors else None,
    )


def _weighted_uses(block: Block, values: BoolArray, weights: FloatArray) -> FloatArray:
    """Sum the weights of the allowed assignments in which each factor score counts.

    What a factor adds is linear in its scores: with one of them 1 and the others 0, it tells which
    assignments use that one. This is done for one score of each factor at a time.
    """
    sums = np.zeros(len(block.scores))
    if not len(block.scores):
        return sums
    first, counts = block.score_offsets[:-1], np.diff(block.score_offsets)
    for place in range(int(counts.max())):
        there = np.flatnonzero(counts > place)
        chosen = np.zeros(len(block.scores))
        chosen[first[there] + place] = 1.0
        own = factor_scores(replace(block, scores=chosen), values)
        sums[first[there] + place] = weights @ own[:, there]
    return sums


def _chunks(graph: FactorGraph, max_variables: int) -> Iterator[tuple[BoolArray, FloatArray]]:
    """Yield the allowed assignments of each chunk with their scores."""
    scores = graph.scores
    pinned = graph.evidence.copy()
    clash = np.flatnonzero((pinned == 1) & (scores == -np.inf))
    if clash.size:
        name = graph.name(int(clash[0]))
        raise InfeasibleError(f"{name} is fixed to 1, but its score of -inf forbids that")
    pinned[scores == -np.inf] = 0
    free = np.flatnonzero(pinned < 0)
    if len(free) > as_count(max_variables, "max_variables", 0):
        raise InputError(
            f"brute_force: at most {max_variables} free variables (max_variables), "
            f"this graph has {len(free)}"
        )
    weights = np.where(scores == -np.inf, 0.0, scores)
    bits = min(len(free), _CHUNK_BITS)
    low = np.arange(2**bits)[:, np.newaxis] >> np.arange(bits) & 1
    for high in range(2 ** (len(free) - bits)):
        values = np.tile(pinned == 1, (len(low), 1))
        values[:, free[:bits]] = low
        values[:, free[bits:]] = high >> np.arange(len(free) - bits) & 1
        total = values @ weights
        for block in graph.blocks:
            # Hard kinds come first, so that the costlier ones see few assignments.
            total += factor_scores(block, values).sum(axis=1)
            allowed = total > -np.inf
            if not allowed.all():
                values, total = values[allowed], total[allowed]
        yield values, total
