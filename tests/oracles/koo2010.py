"""The algorithm of Koo et al. (2010), Figures 1 and 2 with appendix A, by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from oracles.trees import all_trees

#: The share of the arc scores on the side of the tree (A.2).
ALPHA = 0.001


@dataclass
class Round:
    """What the algorithm has in round k: the multipliers, what they give, and the dual."""

    u: dict
    v: dict
    agreed: bool
    dual: float
    value: float
    tied: bool  # whether another answer is as good: the paper does not say which one to take


@dataclass
class Koo:
    """A sentence.

    Attributes
    ----------
    words
        Their number.
    arcs
        The score of each candidate (head, modifier).
    f
        Scores a head together with its modifiers and, in grandparent models, its own head, which
        is None for the root and in other models. Scores of arcs are not in it.
    grandparents
        Whether heads know their own heads: Figure 2 instead of Figure 1.
    """

    words: int
    arcs: dict
    f: Callable
    grandparents: bool

    def choices(self, i):
        """List all (modifiers, own head) of word i: the set Z_i."""
        candidates = [j for h, j in self.arcs if h == i]
        subsets = [
            combination
            for size in range(len(candidates) + 1)
            for combination in itertools.combinations(candidates, size)
        ]
        aboves = [h for h, m in self.arcs if m == i] if self.grandparents and i > 0 else [None]
        return list(itertools.product(subsets, aboves))

    def run(self, rounds):
        """Run the algorithm: one record per round, and the multipliers in the end."""
        trees = [
            {(h, m) for m, h in enumerate(tree, 1)}
            for tree in all_trees(self.words, single_root=False, projective=False)
        ]
        trees = [tree for tree in trees if tree <= set(self.arcs)]
        tables = {
            i: [
                (js, above, self.f(i, js, above) + sum((1 - ALPHA) * self.arcs[i, j] for j in js))
                for js, above in self.choices(i)
            ]
            for i in range(self.words + 1)
        }
        u, v = dict.fromkeys(self.arcs, 0.0), dict.fromkeys(self.arcs, 0.0)
        records, delta, rises, last = [], None, 0, float("inf")
        for _ in range(rounds):
            of_tree = {a: ALPHA * self.arcs[a] + u[a] + v[a] for a in self.arcs}
            worths = [sum(of_tree[a] for a in tree) for tree in trees]
            dual, tied = max(worths), is_tied(worths)
            y, z, z_above = trees[worths.index(dual)], set(), set()
            for i, table in tables.items():
                worths = [
                    own - sum(u[i, j] for j in js) - (0.0 if above is None else v[above, i])
                    for js, above, own in table
                ]
                dual, tied = dual + max(worths), tied or is_tied(worths)
                modifiers, above, _ = table[worths.index(max(worths))]
                z |= {(i, j) for j in modifiers}
                if above is not None:
                    z_above.add((above, i))
            agreed = y == z and (not self.grandparents or y == z_above)
            value = self.score(y)
            records.append(Round(dict(u), dict(v), agreed, dual, value, tied))
            if agreed:
                break
            if delta is None:
                delta = dual - value
            rises += dual - last > 1e-12 * abs(dual)  # less is rounding
            last = dual
            step = delta / (1 + rises)
            for a in self.arcs:
                u[a] += step * ((a in z) - (a in y))
                if self.grandparents:
                    v[a] += step * ((a in z_above) - (a in y))
        return records, (u, v)

    def score(self, tree):
        """Score a tree."""
        head = {m: h for h, m in tree}
        total = sum(self.arcs[a] for a in tree)
        for i in range(self.words + 1):
            above = head[i] if self.grandparents and i > 0 else None
            total += self.f(i, [m for m in sorted(head) if head[m] == i], above)
        return total


def is_tied(worths):
    """Tell whether the best two are as good as equal."""
    best = sorted(worths)[-2:]
    return len(best) == 2 and best[1] - best[0] < 1e-9 * max(1.0, abs(best[1]))
