"""The score of a tree, part by part, as the documentation defines it."""

from __future__ import annotations

import itertools


def score_of(heads, arcs, siblings, grandparents):
    """Score a tree by the definition."""
    words = range(1, len(heads) + 1)
    head = dict(zip(words, heads, strict=True))
    total = sum(arcs[head[m], m] for m in words)
    if siblings is not None:
        for h in range(len(heads) + 1):
            for side in (-1, 1):
                there = [m for m in words if head[m] == h and (m - h) * side > 0]
                row = sorted(there, key=lambda m: abs(m - h))
                if row:
                    steps = [h, *row, h]
                    total += sum(siblings[h, a, b] for a, b in itertools.pairwise(steps))
    if grandparents is not None:
        total += sum(grandparents[head[head[m]], head[m], m] for m in words if head[m])
    return total
