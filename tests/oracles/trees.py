"""Every tree of a short sentence, and what follows from having them all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import combinations, product

Heads = tuple[int, ...]
Arc = tuple[int, int]


@cache
def all_trees(
    words: int, *, single_root: bool = False, projective: bool = False
) -> tuple[Heads, ...]:
    """List all trees of some words, ``heads[m - 1]`` being the head of word m."""
    return tuple(
        heads
        for heads in product(range(words + 1), repeat=words)
        if is_tree(heads)
        and (not single_root or heads.count(0) == 1)
        and (not projective or is_projective(heads))
    )


def is_tree(heads: Sequence[int]) -> bool:
    """Tell whether every word leads up to the root."""
    for word in range(1, len(heads) + 1):
        seen = set()
        while word != 0:
            if word in seen or not 0 <= heads[word - 1] <= len(heads):
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def is_projective(heads: Sequence[int]) -> bool:
    """Tell whether no two arcs cross, those from the root (position 0) included."""
    spans = [sorted((head, word)) for word, head in enumerate(heads, 1)]
    return not any(
        a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1] for a, b in combinations(spans, 2)
    )


def arcs_of(heads: Sequence[int]) -> list[Arc]:
    """List the arcs (head, modifier) of a tree."""
    return [(head, word) for word, head in enumerate(heads, 1)]


def tree_score(heads: Sequence[int], scores: Mapping[Arc, float]) -> float:
    """Add up the scores of a tree's arcs; an arc without one is forbidden."""
    return sum(scores.get(arc, -math.inf) for arc in arcs_of(heads))


def log_sum(values: Iterable[float]) -> float:
    """Compute log(sum(exp(values)))."""
    values = list(values)
    highest = max(values, default=-math.inf)
    if highest == -math.inf:
        return highest
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


class TreeDistribution:
    """The Gibbs distribution over a list of trees with scores on arcs."""

    def __init__(self, trees: Iterable[Heads], scores: Mapping[Arc, float]) -> None:
        scored = [(heads, tree_score(heads, scores)) for heads in trees]
        self.scores = {heads: score for heads, score in scored if score > -math.inf}

    @cached_property
    def log_partition(self) -> float:
        return log_sum(self.scores.values())

    @cached_property
    def best_score(self) -> float:
        return max(self.scores.values())

    def probability(self, heads: Heads) -> float:
        return math.exp(self.scores[heads] - self.log_partition)

    def expectation(self, value: Callable[[Heads], float]) -> float:
        """Give the mean of a function of the tree."""
        return math.fsum(self.probability(heads) * value(heads) for heads in self.scores)

    def marginal(self, arc: Arc) -> float:
        return self.expectation(lambda heads: float(heads[arc[1] - 1] == arc[0]))
