"""The words for logic: hard constraints on a few variables, and scores of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.blocks import NO_EXTRAS, Kind
from turbotree.graphs.literals import (
    Links,
    read_links,
    read_literals,
    read_per_factor,
    read_scores,
    read_whole,
    resolve,
    side_by_side,
    with_output,
)
from turbotree.graphs.store import Store


class LogicFactors(Store):
    """Each method adds one factor or many.

    ``xs`` of shape ``(K,)`` is one factor, of shape ``(F, K)`` it is F factors; factors of
    different sizes are given flat with ``offsets``: factor ``f`` owns
    ``xs[offsets[f]:offsets[f + 1]]``.
    """

    def exactly_one(self, xs: Any, *, offsets: Any = None) -> None:
        """Exactly one of the literals is true (XOR).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a, b, c = graph.variables([1.0, 2.0, 0.5])
        >>> graph.exactly_one([a, b, c])
        >>> graph.value([0, 1, 0]), graph.value([1, 1, 0])
        (2.0, -inf)
        """
        self._append(Kind.XOR, read_links(xs, offsets, "exactly_one"))

    def define_exactly_one(self, y: Any, xs: Any, *, offsets: Any = None) -> None:
        """At most one of ``xs`` is true, and ``y`` says whether one is (XOR-OUT).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> y, a, b = graph.variables([0.0, 2.0, 1.0])
        >>> graph.define_exactly_one(y, [a, b])
        >>> graph.value([[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1]])
        array([ 0.,  2., -inf, -inf])
        """
        links = read_links(xs, offsets, "define_exactly_one")
        self._append(Kind.XOR_OUT, with_output(links, y, "define_exactly_one"))

    def at_most_one(self, xs: Any, *, offsets: Any = None) -> None:
        """At most one of the literals is true.

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> graph.at_most_one(graph.variables([1.0, 2.0]))
        >>> graph.value([0, 0]), graph.value([1, 1])
        (0.0, -inf)
        """
        self._append(Kind.AT_MOST_ONE, read_links(xs, offsets, "at_most_one"))

    def at_least_one(self, xs: Any, *, offsets: Any = None) -> None:
        """At least one of the literals is true (OR).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> graph.at_least_one(graph.variables([-1.0, -2.0]))
        >>> graph.value([0, 0]), graph.value([1, 0])
        (-inf, -1.0)
        """
        self._append(Kind.OR, read_links(xs, offsets, "at_least_one"))

    def define_or(self, y: Any, xs: Any, *, offsets: Any = None) -> None:
        """``y`` is true exactly when one or more of ``xs`` are (OR-OUT).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> y, a, b = graph.variables([0.0, 2.0, 1.0])
        >>> graph.define_or(y, [a, b])
        >>> graph.value([1, 1, 1]), graph.value([1, 0, 0])
        (3.0, -inf)
        """
        links = read_links(xs, offsets, "define_or")
        self._append(Kind.OR_OUT, with_output(links, y, "define_or"))

    def not_all(self, xs: Any, *, offsets: Any = None) -> None:
        """At least one of the literals is false (NAND).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> graph.value([1, 1]), graph.value([0, 1])
        (-inf, 2.0)
        """
        self._append(Kind.NAND, read_links(xs, offsets, "not_all"))

    def implies(self, a: Any, b: Any) -> None:
        """If ``a`` is true then ``b`` is (IMPLY).

        Parameters
        ----------
        a, b : literals, or arrays of literals of one shape
            Arrays give one factor for each place; a single literal goes with all of the other.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a, b, c = graph.variables([1.0, -2.0, 0.0])
        >>> graph.implies(a, [b, ~c])
        >>> graph.value([1, 1, 0]), graph.value([1, 0, 0])
        (-1.0, -inf)
        """
        self._append(Kind.IMPLY, _read_pairs(a, b, "implies"))

    def define_and(self, y: Any, xs: Any, *, offsets: Any = None) -> None:
        """``y`` is true exactly when all of ``xs`` are (AND-OUT).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> y, a, b = graph.variables([5.0, 2.0, 1.0])
        >>> graph.define_and(y, [a, b])
        >>> graph.value([1, 1, 1]), graph.value([1, 0, 1])
        (8.0, -inf)
        """
        links = read_links(xs, offsets, "define_and")
        self._append(Kind.AND_OUT, with_output(links, y, "define_and"))

    def at_most(self, xs: Any, k: Any, *, offsets: Any = None) -> None:
        """At most ``k`` of the literals are true (BUDGET); one ``k``, or one for each factor.

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> graph.at_most(graph.variables([1.0, 2.0, 3.0]), 2)
        >>> graph.value([0, 1, 1]), graph.value([1, 1, 1])
        (5.0, -inf)
        """
        links = read_links(xs, offsets, "at_most")
        budgets = read_per_factor(read_whole(k, "at_most: k"), links.factors, "at_most: k")
        self._append(Kind.BUDGET, links, shape_lengths=1, shapes=np.array(budgets))

    def knapsack(self, xs: Any, costs: Any, limit: Any, *, offsets: Any = None) -> None:
        """The costs of the true literals sum to at most ``limit`` (KNAPSACK).

        Parameters
        ----------
        xs : array of literals
        costs : array of whole numbers
            One for each literal, in the shape of ``xs``; of shape ``(K,)`` they go with each of
            F factors of K literals.
        limit : whole number, or one for each factor
        offsets : array of shape (F + 1,), optional

        Notes
        -----
        The relaxation is the cube cut by the one inequality, which is looser than the convex
        hull of the allowed points.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> graph.knapsack(graph.variables([3.0, 4.0, 5.0]), costs=[2, 3, 4], limit=6)
        >>> graph.value([1, 0, 1]), graph.value([0, 1, 1])
        (8.0, -inf)
        """
        links = read_links(xs, offsets, "knapsack")
        prices = read_whole(costs, "knapsack: costs")
        if isinstance(links.lengths, int) and prices.shape == (links.lengths,):
            prices = np.tile(prices, links.factors)
        elif prices.shape != np.shape(xs):
            raise InputError(
                f"knapsack: costs: expected shape {np.shape(xs)} like xs, got {prices.shape}"
            )
        limits = read_per_factor(
            read_whole(limit, "knapsack: limit"), links.factors, "knapsack: limit"
        )
        shapes = side_by_side([(limits, 1), (prices.reshape(-1), links.lengths)], links.factors)
        self._append(Kind.KNAPSACK, links, shape_lengths=links.lengths + 1, shapes=shapes)

    def pair(self, a: Any, b: Any, score: Any) -> None:
        """Add ``score`` when both literals are true (PAIR); ``-inf`` forbids both (NAND).

        Parameters
        ----------
        a, b : literals, or arrays of literals of one shape
            Arrays give one factor for each place; a single literal goes with all of the other.
        score : number, or array of that shape

        Examples
        --------
        A grid whose neighbours like to agree:

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> grid = graph.variables([[0.5, -1.0], [-0.1, -0.2]])
        >>> graph.pair(grid[:, :-1], grid[:, 1:], 0.75)
        >>> graph.pair(grid[:-1], grid[1:], 0.75)
        >>> graph.value([1, 1, 1, 1])
        2.2
        """
        links = _read_pairs(a, b, "pair")
        scores = read_scores(score, "pair")
        if scores.ndim == 0:
            scores = np.full(links.factors, scores)
        elif scores.size != links.factors or scores.shape not in {np.shape(a), np.shape(b)}:
            expected = np.shape(a) or np.shape(b)
            raise InputError(
                f"pair: score: expected one number, or shape {expected}, got {scores.shape}"
            )
        scores = scores.reshape(-1)
        if scores.size and scores.min() == -np.inf:
            # Both insertions or none: look at all pairs before the first.
            resolve(links, len(self), "pair")
            pairs = links.literals.reshape(-1, 2)
            forbidden = scores == -np.inf
            for kind, chosen in ((Kind.NAND, forbidden), (Kind.PAIR, ~forbidden)):
                some = Links(int(chosen.sum()), 2, pairs[chosen].reshape(-1))
                own = scores[chosen] if kind is Kind.PAIR else NO_EXTRAS
                self._append(kind, some, int(kind is Kind.PAIR), own)
            return
        self._append(Kind.PAIR, links, 1, scores)


def _read_pairs(a: Any, b: Any, where: str) -> Links:
    first = read_literals(a, where)
    second = read_literals(b, where)
    if first.shape != second.shape and first.ndim and second.ndim:
        raise InputError(
            f"{where}: expected two literals or two arrays of one shape, "
            f"got shapes {first.shape} and {second.shape}"
        )
    count = max(first.size, second.size) if first.size and second.size else 0
    literals: NDArray[np.int64] = np.empty((count, 2), dtype=np.int64)
    if count:
        literals[:, 0] = first.reshape(-1)
        literals[:, 1] = second.reshape(-1)
    return Links(count, 2, literals.reshape(-1))
