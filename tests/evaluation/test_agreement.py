"""Agreement of two annotators against the textbook formulas."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import Agreement, agreement
from turbotree.text import Sentence

RELATIONS = ("nsubj", "obj", "obl")


def sentence(heads: list[int], labels: list[str]) -> Sentence:
    return Sentence.from_words(["w"] * len(heads), heads=heads, labels=labels)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Sentence], list[Sentence]]:
    sides: tuple[list[Sentence], list[Sentence]] = ([], [])
    for length in draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)):
        for side in sides:
            heads = draw(st.lists(st.integers(0, length), min_size=length, max_size=length))
            labels = draw(st.lists(st.sampled_from(RELATIONS), min_size=length, max_size=length))
            side.append(sentence(heads, labels))
    return sides


def textbook_kappa(table: list[tuple[str, str]]) -> float:
    """Cohen (1960), from proportions."""
    n = len(table)
    observed = sum(one == other for one, other in table) / n
    rows, columns = Counter(one for one, _ in table), Counter(other for _, other in table)
    expected = sum(rows[name] / n * columns[name] / n for name in RELATIONS)
    return 1.0 if expected == 1.0 else (observed - expected) / (1 - expected)


@given(pairs())
def test_figures_are_those_of_the_formulas(both: tuple[list[Sentence], list[Sentence]]) -> None:
    one, other = both
    words = [
        pair
        for a, b in zip(one, other, strict=True)
        for pair in zip(a.heads, a.labels, b.heads, b.labels, strict=True)
    ]
    found = agreement(one, other)
    assert found.sentences == len(one)
    assert found.words == len(words)
    assert found.uas == pytest.approx(100 * sum(h == g for h, _, g, _ in words) / len(words))
    same = sum((h, r) == (g, s) for h, r, g, s in words)
    assert found.las == pytest.approx(100 * same / len(words))
    assert found.kappa == pytest.approx(textbook_kappa([(r, s) for _, r, _, s in words]))


@given(pairs())
def test_kappa_does_not_depend_on_who_is_first(
    both: tuple[list[Sentence], list[Sentence]],
) -> None:
    one, other = both
    assert agreement(one, other).kappa == pytest.approx(agreement(other, one).kappa)
    assert agreement(one, one).kappa == 1.0


@given(pairs(), pairs())
def test_pooled_counts_are_those_of_all_sentences(
    first: tuple[list[Sentence], list[Sentence]], second: tuple[list[Sentence], list[Sentence]]
) -> None:
    together = agreement(first[0] + second[0], first[1] + second[1])
    assert Agreement.pooled([agreement(*first), agreement(*second)]) == together


def test_the_example_of_a_textbook_has_its_kappa() -> None:
    # Twenty times both say obj, fifteen times both say obl, five and ten times they differ:
    # observed 0.7, expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa 0.4.
    one = ["obj"] * 25 + ["obl"] * 25
    other = ["obj"] * 20 + ["obl"] * 5 + ["obj"] * 10 + ["obl"] * 15
    heads = [0] * 50
    found = agreement([sentence(heads, one)], [sentence(heads, other)])
    assert found.kappa == pytest.approx(0.4)
    assert found.to_dict()["kappa"] == 0.4
    assert "kappa of relations 0.400" in str(found)


def test_nothing_in_common_is_no_agreement() -> None:
    found = agreement([], [])
    assert (found.uas, found.las, found.kappa) == (0.0, 0.0, 0.0)


def test_other_words_are_refused() -> None:
    with pytest.raises(InputError, match="word 1 is 'b'"):
        agreement(
            [Sentence.from_words(["a"], heads=[0], labels=["root"])],
            [Sentence.from_words(["b"], heads=[0], labels=["root"])],
        )
