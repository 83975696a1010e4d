"""Chance: all random choices of the grammar, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_ONSETS = ("b", "br", "d", "dr", "f", "g", "k", "kr", "l", "m", "n", "p", "r", "st", "t", "v", "z")
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("", "l", "n", "r", "s", "rn", "lt", "m")


class Chance:
    """A seeded source of choices.

    Only `random.Random.random` is used: Python promises that its sequence never changes.

    >>> Chance(1).pick("abc") == Chance(1).pick("abc")
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"turbotree {seed}").random

    def happens(self, probability: float) -> bool:
        """Say yes with this probability."""
        return self._random() < probability

    def pick(self, items: Sequence[T]) -> T:
        """Pick one, each alike."""
        return items[int(self._random() * len(items))]

    def word(self, words: str) -> str:
        """Pick a word of a list by Zipf's law: the k-th is chosen with weight 1 / (k + 1)."""
        items = words.split()
        return self.weighted([(item, 1.0 / (rank + 2)) for rank, item in enumerate(items)])

    def weighted(self, choices: Sequence[tuple[T, float]]) -> T:
        """Pick one by weight."""
        left = self._random() * sum(weight for _, weight in choices)
        for item, weight in choices:
            left -= weight
            if left < 0:
                return item
        return choices[-1][0]

    def made_up(self, suffix: str = "") -> str:
        """Make up a word that no lexicon holds, with an ending that tells its kind."""
        syllables = 1 if suffix else 2
        stem = "".join(self.pick(_ONSETS) + self.pick(_VOWELS) for _ in range(syllables))
        return stem + self.pick(_ONSETS) + (suffix or self.pick(_VOWELS) + self.pick(_CODAS))
