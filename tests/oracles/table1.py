"""The linear program of Martins et al. (2011a), Table 1, row by row over all words."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from scipy.optimize import linprog

from oracles.parts import NONE

#: The families that the table has.
FAMILIES = (
    "arc",
    "sibling",
    "grandparent",
    "all_siblings",
    "head_bigram",
    "path",
    "nonprojective",
)


class Table:
    """Rows over predicates that are columns by name."""

    def __init__(self):
        self.columns = {}
        self.gains = defaultdict(float)
        self.equal, self.at_most = [], []

    def column(self, *name):
        return self.columns.setdefault(name, len(self.columns))

    def says(self, rows, terms, bound):
        """The sum of coefficients times predicates is the bound, or at most the bound."""
        rows.append(([(factor, self.column(*name)) for factor, name in terms], bound))

    def solve(self):
        size = len(self.columns)
        gains = np.zeros(size)
        for name, gain in self.gains.items():
            gains[self.columns[name]] += gain

        def matrix(rows):
            if not rows:
                return None, None
            found = np.zeros((len(rows), size))
            for number, (terms, _) in enumerate(rows):
                for factor, column in terms:
                    found[number, column] += factor
            return found, [bound for _, bound in rows]

        equal, at_most = matrix(self.equal), matrix(self.at_most)
        result = linprog(
            -gains, *at_most, *equal, bounds=(0, 1), method="highs", options={"presolve": False}
        )
        assert result.status == 0, result.message
        return -result.fun


def relaxation(words, arcs, scores, single_root=False):
    """Give the value of the relaxation; scores are tables of parts by family."""
    table = Table()
    everyone, below = range(words + 1), range(1, words + 1)
    says, equal = table.says, table.equal
    for name, own in scores.items():
        if name not in ("sibling", "grandparent", "all_siblings", "head_bigram"):
            for part, gain in own.items():
                table.gains[(name, *part)] += gain
    for h in everyone:
        for m in below:
            if h != m and (h, m) not in arcs:
                says(equal, [(1, ("arc", h, m))], 0)
    if single_root:
        says(equal, [(1, ("arc", 0, m)) for m in below], 1)
    add_tree(table, words)
    for h, m in scores.get("nonprojective", {}):
        _nonprojective(table, h, m)
    for (h, m, s), gain in scores.get("all_siblings", {}).items():
        conjunction(table, ("sibl", h, m, s), ("arc", h, m), ("arc", h, s), gain)
    for (g, h, m), gain in scores.get("grandparent", {}).items():
        conjunction(table, ("grand", g, h, m), ("arc", g, h), ("arc", h, m), gain)
    for (b, h, m), gain in scores.get("head_bigram", {}).items():
        conjunction(table, ("bigram", b, h, m), ("arc", b, m - 1), ("arc", h, m), gain)
    for h, side in {(part[0], part[3]) for part in scores.get("sibling", {})}:
        row = list(range(h + 1, words + 1)) if side else list(range(h - 1, 0, -1))
        _consecutive(table, h, side, row, scores["sibling"])
    return table.solve()


def add_tree(table, words):
    says, equal, at_most = table.says, table.equal, table.at_most
    everyone, below = range(words + 1), range(1, words + 1)
    for m in below:
        says(equal, [(1, ("arc", h, m)) for h in everyone if h != m], 1)
        says(equal, [(1, ("path", 0, m))], 1)
        says(equal, [(1, ("path", m, m))], 1)
    for k in below:
        for h in everyone:
            for m in below:
                if h == m:
                    continue
                flow, arc = ("flow", h, m, k), ("arc", h, m)
                says(at_most, [(1, flow), (-1, arc)], 0)
                if k == m:
                    says(equal, [(1, flow), (-1, arc)], 0)
                if k == h:
                    says(equal, [(1, flow)], 0)
        for m in below:
            into = [(-1, ("flow", h, m, k)) for h in everyone if h != m]
            says(equal, [(1, ("path", m, k)), *into], 0)
        for h in everyone:
            if h != k:
                out = [(-1, ("flow", h, m, k)) for m in below if m != h]
                says(equal, [(1, ("path", h, k)), *out], 0)


def conjunction(table, both, one, other, gain):
    table.gains[both] += gain
    table.says(table.at_most, [(1, both), (-1, one)], 0)
    table.says(table.at_most, [(1, both), (-1, other)], 0)
    table.says(table.at_most, [(1, one), (1, other), (-1, both)], 1)


def _nonprojective(table, h, m):
    """nonproj(h,m) := arc(h,m) and some k between such that not path(h,k)."""
    some = ("gap", h, m)
    between = range(min(h, m) + 1, max(h, m))
    for k in between:  # some >= 1 - path
        table.says(table.at_most, [(-1, some), (-1, ("path", h, k))], -1)
    table.says(table.at_most, [(1, some), *((1, ("path", h, k)) for k in between)], len(between))
    conjunction(table, ("nonprojective", h, m), ("arc", h, m), some, 0.0)


def _consecutive(table, h, side, row, gains):
    """lastsibl(a, i): up to position i the last modifier is a; 0 is none yet."""
    says, equal = table.says, table.equal
    word = dict(enumerate(row, 1)) | {0: NONE}

    def last(a, i):
        return ("last", h, side, a, i)

    def following(a, i):
        return ("next", h, side, a, i)

    for i in range(1, len(row) + 1):
        says(equal, [(1, last(i, i)), (-1, ("arc", h, word[i]))], 0)
        says(equal, [(1, last(a, i)) for a in range(i + 1)], 1)
        into = [(-1, following(a, i)) for a in range(i)]
        says(equal, [(1, ("arc", h, word[i])), *into], 0)
        for a in range(i):
            if i > 1:
                says(equal, [(1, last(a, i - 1)), (-1, last(a, i)), (-1, following(a, i))], 0)
            table.gains[following(a, i)] += gains.get((h, word[a], word[i], side), 0.0)
    for a in range(len(row) + 1):
        table.gains[last(a, len(row))] += gains.get((h, word[a], NONE, side), 0.0)
