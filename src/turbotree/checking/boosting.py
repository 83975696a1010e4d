"""Gradient boosting (Friedman 2001): a logistic model that is a sum of small decision trees.

Each tree is grown to a fixed depth by Newton steps: a split gains what it lowers the quadratic
approximation of the loss by. Values are cut into bins at quantiles, densely in the upper tail,
since that is where evidence against an annotation is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError

#: Quantiles at which values are cut.
_QUANTILES = np.concatenate([np.linspace(0.1, 0.9, 9), np.linspace(0.91, 0.999, 20)])
_LEAST_CURVATURE = 1e-6


@dataclass(frozen=True)
class Tree:
    """One tree, with the same depth everywhere.

    Attributes
    ----------
    columns, bins
        For each level, the column that each node looks at, and its last bin that goes left.
    values
        What each leaf adds to the score.
    """

    columns: tuple[LongArray, ...]
    bins: tuple[LongArray, ...]
    values: FloatArray

    def leaves(self, binned: LongArray) -> LongArray:
        """Return the leaf of each row."""
        rows = np.arange(len(binned))
        node = np.zeros(len(binned), dtype=np.int64)
        for columns, bins in zip(self.columns, self.bins, strict=True):
            node = 2 * node + (binned[rows, columns[node]] > bins[node])
        return node


@dataclass(frozen=True)
class BoostedTrees:
    """A fitted model.

    Examples
    --------
    Two columns that mean something only together:

    >>> chance = np.random.default_rng(1)
    >>> rows = chance.random((400, 2))
    >>> wrong = (rows[:, 0] > 0.5) & (rows[:, 1] > 0.5)
    >>> model = BoostedTrees.fit(rows, wrong, trees=20)
    >>> probabilities = model.probabilities(np.array([[0.9, 0.9], [0.9, 0.1]]))
    >>> bool(probabilities[0] > 0.9), bool(probabilities[1] < 0.1)
    (True, True)
    """

    start: float
    edges: tuple[FloatArray, ...]
    trees: tuple[Tree, ...]

    @classmethod
    def fit(
        cls,
        rows: FloatArray,
        answers: FloatArray,
        *,
        trees: int = 80,
        depth: int = 3,
        rate: float = 0.2,
        ridge: float = 2.0,
        least_weight: float = 0.5,
    ) -> BoostedTrees:
        """Fit the probability that answers are true.

        Parameters
        ----------
        rows
            One row of numbers for each case.
        answers
            Whether each case is true.
        trees, depth
            How many trees, and how many questions each asks.
        rate
            Of the step that each tree takes.
        ridge
            L2 regularisation of the leaves.
        least_weight
            The least sum of curvatures on either side of a split.
        """
        answers = np.asarray(answers, dtype=float)
        share = float(answers.mean())
        if not 0 < share < 1:
            raise InputError("expected cases that are true, and cases that are not")
        edges = tuple(np.unique(np.quantile(column, _QUANTILES)) for column in rows.T)
        start = float(np.log(share / (1 - share)))
        binned, scores = _binned(rows, edges), np.full(len(rows), start)
        grown = []
        for _ in range(trees):
            chances = 1 / (1 + np.exp(-scores))
            slopes = chances - answers
            curvatures = np.maximum(chances * (1 - chances), _LEAST_CURVATURE)
            tree = _grow(binned, slopes, curvatures, depth, rate, ridge, least_weight)
            scores += tree.values[tree.leaves(binned)]
            grown.append(tree)
        return cls(start, edges, tuple(grown))

    def probabilities(self, rows: FloatArray) -> FloatArray:
        """Return the probability of each case."""
        binned = _binned(rows, self.edges)
        scores = np.full(len(rows), self.start)
        for tree in self.trees:
            scores += tree.values[tree.leaves(binned)]
        chances: FloatArray = 1 / (1 + np.exp(-scores))
        return chances


def _binned(rows: FloatArray, edges: tuple[FloatArray, ...]) -> LongArray:
    columns = [
        np.searchsorted(own, column, side="left") for own, column in zip(edges, rows.T, strict=True)
    ]
    return np.column_stack(columns)


def _grow(
    binned: LongArray,
    slopes: FloatArray,
    curvatures: FloatArray,
    depth: int,
    rate: float,
    ridge: float,
    least_weight: float,
) -> Tree:
    node = np.zeros(len(binned), dtype=np.int64)
    rows = np.arange(len(binned))
    size = int(binned.max()) + 1
    columns, bins = [], []
    for level in range(depth):
        column, last = best_splits(
            binned, node, 2**level, size, slopes, curvatures, ridge, least_weight
        )
        columns.append(column)
        bins.append(last)
        node = 2 * node + (binned[rows, column[node]] > last[node])
    leaves = 2**depth
    sums = np.bincount(node, slopes, leaves)
    values = -rate * sums / (np.bincount(node, curvatures, leaves) + ridge)
    return Tree(tuple(columns), tuple(bins), values)


def best_splits(
    binned: LongArray,
    node: LongArray,
    nodes: int,
    size: int,
    slopes: FloatArray,
    curvatures: FloatArray,
    ridge: float,
    least_weight: float,
) -> tuple[LongArray, LongArray]:
    """Return for each node the column, and the last bin that goes left, of the best split.

    A node that no split improves sends everything left.
    """
    width = binned.shape[1]
    slope = np.empty((nodes, width, size))
    weight = np.empty((nodes, width, size))
    for column in range(width):
        place = node * size + binned[:, column]
        slope[:, column] = np.bincount(place, slopes, nodes * size).reshape(nodes, size)
        weight[:, column] = np.bincount(place, curvatures, nodes * size).reshape(nodes, size)
    slope, weight = slope.cumsum(axis=2), weight.cumsum(axis=2)
    all_slope, all_weight = slope[:, :, -1:], weight[:, :, -1:]
    right_slope, right_weight = all_slope - slope, all_weight - weight
    gain = slope**2 / (weight + ridge) + right_slope**2 / (right_weight + ridge)
    gain -= all_slope**2 / (all_weight + ridge)
    gain[(weight < least_weight) | (right_weight < least_weight)] = 0.0
    flat = gain.reshape(nodes, -1)
    best = flat.argmax(axis=1)
    column, last = best // size, best % size
    useless = flat[np.arange(nodes), best] <= 0
    return np.where(useless, 0, column), np.where(useless, size, last)
