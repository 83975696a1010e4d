"""Parts of higher order, read off a tree as a textbook would."""

from __future__ import annotations

from collections.abc import Sequence

Row = tuple[int, ...]
NONE = -1


def parts_of(heads: Sequence[int], has_candidates: set[tuple[int, int]]) -> dict[str, set[Row]]:
    """Give the parts of a tree by family.

    A head has a row of modifiers on a side only if it has candidate arcs there
    (`has_candidates`: head and side, 0 left); the row may be empty.
    """
    words = range(1, len(heads) + 1)
    head = dict(zip(words, heads, strict=True))
    siblings: set[Row] = set()
    triples: set[Row] = set()
    for h, side in has_candidates:
        there = [m for m in words if head[m] == h and (m > h) == bool(side)]
        outward = sorted(there, key=lambda m: abs(m - h))
        row = [NONE, *outward, NONE]
        siblings |= {(h, row[i], row[i + 1], side) for i in range(len(row) - 1)}
        triples |= {(h, *row[i : i + 3], side) for i in range(len(row) - 2)}
    above = {m: ancestors(head, m) for m in words}
    return {
        "sibling": siblings,
        "grandparent": {(head[head[m]], head[m], m) for m in words if head[m] != 0},
        "all_siblings": {
            (head[m], m, s) for m in words for s in words if m < s and head[m] == head[s]
        },
        "grand_sibling": {
            (head[h], h, m, s, side)
            for h, m, s, side in siblings
            if h != 0 and (m, s) != (NONE, NONE)
        },
        "tri_sibling": {
            (h, m, s, t, side) for h, m, s, t, side in triples if (m, t) != (NONE, NONE)
        },
        "head_bigram": {(head[m - 1], head[m], m) for m in words if m > 1},
        "path": {(a, d) for d in words for a in above[d]},
        "nonprojective": {
            (h, m)
            for m, h in head.items()
            if h != 0 and any(h not in above[k] for k in range(min(h, m) + 1, max(h, m)))
        },
    }


def ancestors(head: dict[int, int], word: int) -> list[int]:
    """Give the words above a word, the root aside."""
    found = []
    while head[word] != 0:
        word = head[word]
        found.append(word)
    return found
