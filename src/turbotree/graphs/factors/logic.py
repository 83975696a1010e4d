"""Checks of the factors of logic: pairs, budgets and knapsacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs.factors.literals import (
    Factors,
    Links,
    read_links,
    read_literals,
    read_per_factor,
    read_scores,
    read_whole,
    side_by_side,
)


def read_two(a: Any, b: Any, where: str) -> Links:
    """Read factors of two literals each."""
    first = read_literals(a, where)
    second = read_literals(b, where)
    if first.shape != second.shape and first.ndim and second.ndim:
        raise InputError(
            f"{where}: expected two literals or two arrays of one shape, "
            f"got shapes {first.shape} and {second.shape}"
        )
    count = max(first.size, second.size) if first.size and second.size else 0
    literals = np.empty((count, 2), dtype=np.int64)
    if count:
        literals[:, 0] = first.reshape(-1)
        literals[:, 1] = second.reshape(-1)
    return Links(count, 2, literals.reshape(-1))


def read_pairs(a: Any, b: Any, score: Any) -> Factors:
    """Read factors of two literals and a score each."""
    links = read_two(a, b, "pair")
    scores = read_scores(score, "pair")
    if scores.ndim == 0:
        scores = np.full(links.factors, scores)
    elif scores.size != links.factors or scores.shape not in {np.shape(a), np.shape(b)}:
        expected = np.shape(a) or np.shape(b)
        raise InputError(
            f"pair: score: expected one number, or shape {expected}, got {scores.shape}"
        )
    return Factors(links, 1, scores.reshape(-1))


def read_budgets(xs: Any, k: Any, offsets: Any) -> Factors:
    """Read factors that bound how many of their literals are true."""
    links = read_links(xs, offsets, "at_most")
    budgets = read_per_factor(read_whole(k, "at_most: k"), links.factors, "at_most: k")
    return Factors(links, shape_lengths=1, shapes=np.array(budgets))


def read_knapsack(xs: Any, costs: Any, limit: Any, offsets: Any) -> Factors:
    """Read factors that bound the cost of their true literals."""
    links = read_links(xs, offsets, "knapsack")
    prices = read_whole(costs, "knapsack: costs")
    if isinstance(links.lengths, int) and prices.shape == (links.lengths,):
        prices = np.tile(prices, links.factors)
    elif prices.shape != np.shape(xs):
        raise InputError(
            f"knapsack: costs: expected shape {np.shape(xs)} like xs, got {prices.shape}"
        )
    limits = read_per_factor(read_whole(limit, "knapsack: limit"), links.factors, "knapsack: limit")
    shapes = side_by_side([(limits, 1), (prices.reshape(-1), links.lengths)], links.factors)
    return Factors(links, shape_lengths=links.lengths + 1, shapes=shapes)
