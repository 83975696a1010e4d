"""Slow and plain ways to the same answers, and the matrices to try them on."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

KINDS = [(single, projective) for single in (False, True) for projective in (False, True)]


def is_tree(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        seen = set()
        while word and word not in seen:
            seen.add(word)
            word = heads[word - 1]
        if word:
            return False
    return True


def is_projective(heads: tuple[int, ...]) -> bool:
    spans = [(min(h, m), max(h, m)) for m, h in enumerate(heads, start=1)]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(spans, 2))


@cache
def all_trees(words: int, single_root: bool, projective: bool) -> NDArray[np.int64]:
    rows = [
        heads
        for heads in itertools.product(range(words + 1), repeat=words)
        if is_tree(heads)
        and (not single_root or heads.count(0) == 1)
        and (not projective or is_projective(heads))
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), words)


class Enumeration:
    """Everything this package computes, by looking at every tree."""

    def __init__(self, scores: NDArray[np.float64], single_root: bool, projective: bool) -> None:
        words = len(scores) - 1
        trees = all_trees(words, single_root, projective)
        values = scores[trees, np.arange(1, words + 1)].sum(axis=1)
        self.trees = trees[values > -np.inf]
        self.scores = values[values > -np.inf]
        self.feasible = len(self.trees) > 0
        if not self.feasible:
            return
        self.best = self.scores.max()
        weights = np.exp(self.scores - self.best)
        self.log_partition = self.best + np.log(weights.sum())
        self.probabilities = weights / weights.sum()
        positive = self.probabilities[self.probabilities > 0]
        self.entropy = -(positive * np.log(positive)).sum()
        self.marginals = np.zeros_like(scores)
        for heads, probability in zip(self.trees, self.probabilities, strict=True):
            self.marginals[heads, np.arange(1, words + 1)] += probability


def precise_matrix_tree(
    digits: NDArray[np.int64], powers: NDArray[np.int64], single_root: bool, precision: int
) -> tuple[float, NDArray[np.float64]]:
    """Log partition and marginals from the textbook's determinant and inverse, in long decimals.

    Arc (h, m) weighs ``digits[h, m] * 10**powers[h, m]``, which a decimal holds exactly. The
    Laplacian is that of Koo et al. (2007), whose first row is replaced by the root weights when
    there is to be a single root.
    """
    n = len(digits) - 1
    with localcontext() as context:
        context.prec = precision
        context.Emin, context.Emax = -(10**9), 10**9
        weights = [
            [
                Decimal(int(digits[h, m])).scaleb(int(powers[h, m]))
                if h != m and m > 0
                else Decimal(0)
                for m in range(n + 1)
            ]
            for h in range(n + 1)
        ]
        first_head = 1 if single_root else 0
        laplacian = [[-weights[h][m] for m in range(1, n + 1)] for h in range(1, n + 1)]
        for m in range(1, n + 1):
            laplacian[m - 1][m - 1] = sum(
                (weights[h][m] for h in range(first_head, n + 1)), Decimal(0)
            )
        if single_root:
            laplacian[0] = weights[0][1:]
        determinant, inverse = _determinant_and_inverse(laplacian)
        marginals = np.zeros((n + 1, n + 1))
        for m in range(1, n + 1):
            on_diagonal = inverse[m - 1][m - 1] if not (single_root and m == 1) else Decimal(0)
            from_root = inverse[m - 1][0] if single_root else on_diagonal
            marginals[0, m] = float(weights[0][m] * from_root)
            for h in range(1, n + 1):
                off_diagonal = inverse[m - 1][h - 1] if not (single_root and h == 1) else Decimal(0)
                marginals[h, m] = float(weights[h][m] * (on_diagonal - off_diagonal))
        # Too short a precision would show here.
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, atol=1e-12)
        mantissa, exponent = determinant.scaleb(-determinant.adjusted()), determinant.adjusted()
        return math.log(mantissa) + exponent * math.log(10), marginals


def _determinant_and_inverse(
    matrix: list[list[Decimal]],
) -> tuple[Decimal, list[list[Decimal]]]:
    n = len(matrix)
    rows = [row + [Decimal(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    determinant = Decimal(1)
    for k in range(n):
        pivot_row = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if pivot_row != k:
            rows[k], rows[pivot_row] = rows[pivot_row], rows[k]
            determinant = -determinant
        pivot = rows[k][k]
        determinant *= pivot
        rows[k] = [value / pivot for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return determinant, [row[n:] for row in rows]


def projective_log_partition(scores: NDArray[np.float64], single_root: bool) -> float:
    """Sum over projective trees by the interval recurrence over subtrees' yields, in log space.

    subtree[h][i][j] sums the trees over words i..j headed by h; forest[h][i][j] the ways to hang
    words i..j, none of them h, below h.
    """
    n = len(scores) - 1

    @cache
    def subtree(h: int, i: int, j: int) -> float:
        return float(forest(h, i, h - 1) + forest(h, h + 1, j))

    @cache
    def forest(h: int, i: int, j: int) -> float:
        if i > j:
            return 0.0
        terms = [
            scores[h, child] + subtree(child, i, end) + forest(h, end + 1, j)
            for end in range(i, j + 1)
            for child in range(i, end + 1)
        ]
        return float(np.logaddexp.reduce(terms))

    if single_root:
        return float(
            np.logaddexp.reduce([scores[0, r] + subtree(r, 1, n) for r in range(1, n + 1)])
        )
    return forest(0, 1, n)


@st.composite
def score_matrices(draw: st.DrawFn, max_words: int = 4) -> NDArray[np.float64]:
    """Small matrices with ties, forbidden arcs, near-closed cycles and all magnitudes."""
    words = draw(st.integers(1, max_words))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    side = words + 1
    if draw(st.booleans()):
        scores = random.integers(-2, 3, size=(side, side)).astype(np.float64)
    else:
        scores = random.normal(size=(side, side))
    scores *= 10.0 ** draw(st.integers(-1, 4))
    if draw(st.booleans()):
        scores[random.random((side, side)) < draw(st.sampled_from([0.1, 0.3, 0.6]))] = -np.inf
    shape = draw(st.sampled_from(["plain", "plain", "far root", "cycle"]))
    if shape == "far root":
        scores[0] -= draw(st.sampled_from([30.0, 300.0, 3000.0]))
    elif shape == "cycle":
        for word in range(1, side):
            scores[word, word % words + 1] += draw(st.sampled_from([30.0, 300.0, 3000.0]))
    # What lies there must not matter.
    scores[:, 0] = np.nan
    np.fill_diagonal(scores, random.choice([np.nan, np.inf, 1e9]))
    return scores
