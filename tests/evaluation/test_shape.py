"""The shape of a sentence's heads against definitions taken literally."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turbotree.evaluation.shape import shape


@st.composite
def any_heads(draw: st.DrawFn) -> list[int | None]:
    n = draw(st.integers(0, 8))
    return draw(st.lists(st.none() | st.integers(-1, n + 1), min_size=n, max_size=n))


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """Attach words in a random order to one that already hangs in the tree."""
    order = draw(st.permutations(range(1, draw(st.integers(0, 9)) + 1)))
    heads = [0] * len(order)
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads


def ancestors(heads: list[int], word: int) -> set[int]:
    above = set()
    while word:
        word = heads[word - 1]
        above.add(word)
    return above


@given(trees())
def test_an_arc_is_non_projective_if_a_word_under_it_escapes_its_head(heads: list[int]) -> None:
    expected = {
        word
        for word, head in enumerate(heads, start=1)
        if any(head not in ancestors(heads, k) for k in range(min(head, word) + 1, max(head, word)))
    }
    found = shape(heads)
    assert found.nonprojective == expected
    assert found.is_tree
    assert found.roots == heads.count(0)


@given(any_heads())
def test_a_tree_is_what_climbs_to_the_root_from_every_word(heads: list[int | None]) -> None:
    def climbs(word: int) -> bool:
        at: int | None = word
        for _ in heads:
            if at is None or not 0 < at <= len(heads):
                break
            at = heads[at - 1]
        return at == 0

    assert shape(heads).is_tree == all(climbs(word) for word in range(1, len(heads) + 1))


def test_no_words_are_a_tree_without_roots() -> None:
    assert shape([]).is_tree
    assert shape([]).roots == 0


def test_a_chain_of_thousands_of_words_is_no_obstacle() -> None:
    assert shape(range(5000)).is_tree
    assert shape(range(5000)).nonprojective == frozenset()
