"""Variation nuclei against a search that compares every two places of a treebank."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from turbotree.checking.variation import LONGEST, Nuclei
from turbotree.text import Sentence


@st.composite
def trees(draw: st.DrawFn) -> Sentence:
    """Draw a short tree over few words, so that stretches recur."""
    size = draw(st.integers(1, 6))
    forms = draw(st.lists(st.sampled_from("abAB"), min_size=size, max_size=size))
    # A word's head is to its left, or the root, in a random order of words.
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = draw(st.sampled_from(order[:place]))
    labels = draw(st.lists(st.sampled_from(["x", "y"]), min_size=size, max_size=size))
    tags = draw(st.lists(st.sampled_from(["N", "V"]), min_size=size, max_size=size))
    return Sentence.from_words(forms, upos=tags, heads=heads, labels=labels)


def relation(sentence: Sentence, left: int, right: int) -> str:
    """Return how two words are related, written down apart from the code."""
    if sentence.heads[right - 1] == left:
        return f"{sentence.labels[right - 1]} of the left"
    if sentence.heads[left - 1] == right:
        return f"{sentence.labels[left - 1]} of the right"
    return "none"


def odds(own: str, others: list[str]) -> float:
    """Return the evidence of the annotations elsewhere against one."""
    different = [other for other in others if other != own]
    most = max((different.count(name) for name in set(different)), default=0)
    return math.log((most + 0.5) / (others.count(own) + 0.5))


@given(st.lists(trees(), min_size=1, max_size=4))
def test_arcs_are_compared_with_all_equal_stretches(treebank: list[Sentence]) -> None:
    spans = [
        (place, left, right)
        for place, sentence in enumerate(treebank)
        for left in range(1, len(sentence))
        for right in range(left + 1, min(left + LONGEST, len(sentence)) + 1)
    ]
    text = {
        (place, left, right): tuple(treebank[place].forms[left - 1 : right])
        for place, left, right in spans
    }
    found = Nuclei.of(treebank).evidence["stretch"]
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in treebank])])
    for place, sentence in enumerate(treebank):
        for word, head in enumerate(sentence.heads, 1):
            value = found[starts[place] + word - 1]
            if not head or abs(head - word) > LONGEST:
                assert value == 0
                continue
            own = (place, min(head, word), max(head, word))
            others = [
                relation(treebank[other[0]], *other[1:])
                for other in spans
                if other != own
                and [form.lower() for form in text[other]] == [form.lower() for form in text[own]]
            ]
            assert math.isclose(value, odds(relation(sentence, *own[1:]), others), abs_tol=1e-12)


@given(st.lists(trees(), min_size=1, max_size=4))
def test_tags_are_compared_with_equal_words_in_equal_context(treebank: list[Sentence]) -> None:
    def around(sentence: Sentence, word: int) -> list[str]:
        forms = ["", *(form.lower() for form in sentence.forms), ""]
        return forms[word - 1 : word + 2]

    places = [(p, w) for p, one in enumerate(treebank) for w in range(1, len(one) + 1)]
    nuclei = Nuclei.of(treebank)
    for number, (place, word) in enumerate(places):
        context = around(treebank[place], word)
        same = [
            treebank[p].upos[w - 1]
            for p, w in places
            if (p, w) != (place, word) and around(treebank[p], w) == context
        ]
        own = treebank[place].upos[word - 1]
        value = nuclei.evidence["upos in context"][number]
        assert math.isclose(value, odds(own, same), abs_tol=1e-12)
        shown = [one for one in nuclei.variations(place, word) if one.what == "upos"]
        different = [tag for tag in same if tag != own]
        assert bool(shown) == (len(different) > same.count(own))
