"""Rules about trees of four words or fewer, each with a plain function of the heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oracles.parts import ancestors, parts_of

#: Forms and tags of the words that the rules speak of.
FORMS = ("The", "New", "York", "sings")
TAGS = ("DET", "NOUN", "NOUN", "VERB")

Instances = Callable[[Sequence[int]], int]


def _arcs(heads: Sequence[int]) -> list[tuple[int, int]]:
    return [(head, word) for word, head in enumerate(heads, 1)]


def _parts(heads: Sequence[int], family: str) -> set[tuple[int, ...]]:
    both = {(h, side) for h in range(len(heads) + 1) for side in (0, 1)}
    return parts_of(heads, both)[family]


def _above(heads: Sequence[int], word: int) -> list[int]:
    return [0, *ancestors(dict(enumerate(heads, 1)), word)]


def _modifiers(heads: Sequence[int], head: int) -> int:
    return list(heads).count(head)


def _split_name(heads: Sequence[int]) -> int:
    if len(heads) < 3:
        return 0
    return int(sum(heads[m - 1] not in (2, 3) for m in (2, 3)) != 1)


#: The text of a rule, and how many of its instances a tree breaks.
TREE_RULES: list[tuple[str, Instances]] = [
    ("forall h, m: arc(h, m) -> h < m", lambda t: sum(h > m for h, m in _arcs(t))),
    (
        "forall h, m: arc(h, m) and upos(m) = 'DET' and h != root -> m < h",
        lambda t: sum(m == 1 and h != 0 and h < m for h, m in _arcs(t)),
    ),
    (
        "forall h: at most 1 m: arc(h, m)",
        lambda t: sum(_modifiers(t, h) > 1 for h in range(len(t) + 1)),
    ),
    ("exists unique m: arc(root, m)", lambda t: int(_modifiers(t, 0) != 1)),
    ("exactly 2 m: arc(root, m)", lambda t: int(_modifiers(t, 0) != 2)),
    (
        "forall h, m: arc(h, m) and h != root -> exists g: arc(g, h) and g < m",
        lambda t: sum(h != 0 and t[h - 1] >= m for h, m in _arcs(t)),
    ),
    (
        "forall a, d: path(a, d) and a != root -> a - d < 2 and d - a < 2",
        lambda t: sum(
            a != 0 and abs(a - d) > 1 for d in range(1, len(t) + 1) for a in _above(t, d)
        ),
    ),
    (
        "forall x, y: x < y -> (path(x, y) or path(y, x))",
        lambda t: sum(
            x not in _above(t, y) and y not in _above(t, x)
            for y in range(1, len(t) + 1)
            for x in range(1, y)
        ),
    ),
    ("at most 0 h, m: nonprojective(h, m)", lambda t: int(len(_parts(t, "nonprojective")) > 0)),
    (
        "forall h, m, s: sibling(h, m, s) -> m < s",
        lambda t: sum(m != -1 and s != -1 and m > s for _, m, s, _ in _parts(t, "sibling")),
    ),
    (
        "forall a, b: text(a, b) in {'New York'} -> exists unique m: a <= m and m <= b"
        " and not exists h: a <= h and h <= b and arc(h, m)",
        _split_name,
    ),
    (
        "forall x in word: upos(x) = 'NOUN' <-> exists m: arc(x, m)",
        lambda t: sum(
            (TAGS[x - 1] == "NOUN") != (_modifiers(t, x) > 0) for x in range(1, len(t) + 1)
        ),
    ),
]
