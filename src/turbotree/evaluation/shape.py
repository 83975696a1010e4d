"""What a list of heads looks like: a tree or not, how many roots, which arcs are crossed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Shape", "shape"]


@dataclass(frozen=True)
class Shape:
    """The shape of one sentence's heads."""

    is_tree: bool
    roots: int
    nonprojective: frozenset[int]
    """Words whose arc is non-projective."""


def shape(heads: Sequence[int | None]) -> Shape:
    """Examine the heads of words 1..n.

    The arc from h to m is non-projective if a word between them does not descend from h. Words
    that the root does not reach, because they lie on or below a cycle or a missing head, make
    the sentence no tree; their own arcs are not judged.

    >>> shape([2, 0, 1])
    Shape(is_tree=True, roots=1, nonprojective=frozenset({3}))
    >>> shape([2, 1, 0]).is_tree
    False
    """
    n = len(heads)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for word, head in enumerate(heads, start=1):
        if head is not None and 0 <= head <= n:
            children[head].append(word)
    reached = [0]
    for node in reached:  # grows while it is walked through
        reached.extend(children[node])
    # Sets of words as the bits of integers: long sentences stay cheap.
    below = [0] * (n + 1)
    nonprojective: set[int] = set()
    for node in reversed(reached):
        for child in children[node]:
            below[node] |= below[child] | 1 << child
        if node:
            nonprojective.update(
                child for child in children[node] if _between(node, child) & ~below[node]
            )
    return Shape(len(reached) == n + 1, len(children[0]), frozenset(nonprojective))


def _between(one: int, other: int) -> int:
    low, high = min(one, other), max(one, other)
    return (1 << high) - (1 << low + 1)
