"""Where the words and arcs of an arc diagram stand."""

from __future__ import annotations

from typing import NamedTuple

from turbotree.text.drawing.common import Drawing

GAP = 14.0  # between two words
FOOT = 7.0  # between two arcs that end at one word


class Arc(NamedTuple):
    """One arc: its words (1..n), where its feet stand, and its level above the words."""

    head: int
    word: int
    head_x: float
    word_x: float
    level: int


def levels(tree: Drawing) -> dict[int, int]:
    """Return the level of each word's arc, 1 the lowest, so that no two overlap on one level.

    Short arcs go first: nested arcs never cross, and only arcs that cannot be drawn otherwise do.
    """
    spans = {
        word: (min(word, head), max(word, head)) for word, head in enumerate(tree.heads, 1) if head
    }
    result: dict[int, int] = {}
    for word in sorted(spans, key=lambda w: (spans[w][1] - spans[w][0], w)):
        first, last = spans[word]
        below = [
            level
            for other, level in result.items()
            if spans[other][0] < last and first < spans[other][1]
        ]
        result[word] = 1 + max(below, default=0)
    return result


def feet(tree: Drawing, level: dict[int, int]) -> dict[tuple[int, int], float]:
    """Return the place, from a word's middle, of each arc end: keys are (at word, arc of word).

    From left to right: arcs that go left, low ones first; a root's arrow; arcs that go right,
    high ones first. So the arcs of one word do not cross.
    """
    ends: dict[int, list[tuple[int, int, int]]] = {}
    for word, head in enumerate(tree.heads, 1):
        if head == 0:
            ends.setdefault(word, []).append((1, 0, word))
        elif head is not None:
            left, right = min(word, head), max(word, head)
            ends.setdefault(right, []).append((0, level[word], word))
            ends.setdefault(left, []).append((2, -level[word], word))
    places: dict[tuple[int, int], float] = {}
    for at, arcs in ends.items():
        middle = (len(arcs) - 1) / 2
        for order, (_, _, word) in enumerate(sorted(arcs)):
            places[at, word] = (order - middle) * FOOT
    return places


def positions(
    widths: list[float], needs: dict[int, float], tree: Drawing, foot: dict[tuple[int, int], float]
) -> list[float]:
    """Return the middle of each word, so far apart that words and arc labels have room."""
    middles: list[float] = []
    demands: dict[int, list[tuple[int, float]]] = {}  # right word: left word, distance
    for word, head in enumerate(tree.heads, 1):
        if head:
            left, right = min(word, head), max(word, head)
            distance = needs[word] + foot[left, word] - foot[right, word]
            demands.setdefault(right, []).append((left, distance))
    for word, size in enumerate(widths, 1):
        place = size / 2
        if word > 1:
            place = middles[-1] + widths[word - 2] / 2 + GAP + size / 2
        for left, distance in demands.get(word, []):
            place = max(place, middles[left - 1] + distance)
        middles.append(place)
    return middles
