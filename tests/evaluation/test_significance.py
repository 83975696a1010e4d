"""The paired bootstrap against all possible test sets, one by one."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import (
    attachment_scores,
    paired_bootstrap,
    paired_difference,
    significance,
)


class Tree(NamedTuple):
    forms: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]


def star(n: int, wrong: int = 0, wrong_labels: int = 0) -> Tree:
    """Words under the root, the first ones with a wrong head or relation."""
    heads = (n,) * wrong + (0,) * (n - wrong)
    labels = ("x",) * wrong_labels + ("root",) * (n - wrong_labels)
    return Tree(("w",) * n, ("X",) * n, heads, labels)


@given(
    st.lists(
        st.integers(1, 4).flatmap(
            lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n))
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(0, 100),
)
@settings(max_examples=25)
def test_p_values_and_intervals_are_those_of_all_test_sets(
    sizes: list[tuple[int, int, int]], seed: int
) -> None:
    gold = [star(n) for n, _, _ in sizes]
    a, b = [star(n, wrong) for n, wrong, _ in sizes], [star(n, wrong) for n, _, wrong in sizes]
    samples = 4000
    result = paired_bootstrap(gold, a, b, samples, seed=seed).uas
    observed = 100 * sum(one - two for _, one, two in sizes) / sum(n for n, _, _ in sizes)
    every = [
        100 * sum(one - two for _, one, two in drawn) / sum(n for n, _, _ in drawn)
        for drawn in itertools.product(sizes, repeat=len(sizes))
    ]
    p = sum(abs(each - observed) >= abs(observed) - 1e-9 for each in every) / len(every)
    assert result.difference == pytest.approx(observed)
    # Six standard errors of a share of 4,000 samples.
    allowed = 6 * math.sqrt(p * (1 - p) / samples) + 1 / samples
    assert abs(result.p_value - p) <= allowed
    assert min(every) - 1e-9 <= result.low <= result.high <= max(every) + 1e-9
    below = sum(each < result.low - 1e-9 for each in every) / len(every)
    above = sum(each > result.high + 1e-9 for each in every) / len(every)
    assert max(below, above) <= 0.025 + 6 * math.sqrt(0.025 * 0.975 / samples)


def test_figures_agree_with_attachment_scores() -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(1, 9, 30).tolist()
    gold = [star(n) for n in sizes]
    a, b = (
        [star(n, int(random.integers(n + 1)), int(random.integers(n + 1))) for n in sizes]
        for _ in range(2)
    )
    result = paired_bootstrap(gold, a, b, seed=0)
    for predicted, name in ((a, "a"), (b, "b")):
        scores = attachment_scores(gold, predicted)
        assert getattr(result.uas, name) == pytest.approx(scores.uas)
        assert getattr(result.las, name) == pytest.approx(scores.las)
    assert result.las.difference == pytest.approx(result.las.b - result.las.a)


def test_a_parser_does_not_differ_from_itself() -> None:
    gold, a = [star(4), star(5)], [star(4, 1), star(5, 2)]
    result = paired_bootstrap(gold, a, a, seed=0)
    for row in (result.uas, result.las):
        assert (row.difference, row.low, row.high, row.p_value) == (0, 0, 0, 1)


def test_better_on_every_sentence_is_significant_and_swapping_changes_the_sign() -> None:
    gold, a, b = [star(4)] * 50, [star(4, 2)] * 50, [star(4, 1)] * 50
    forward, back = paired_bootstrap(gold, a, b, seed=1), paired_bootstrap(gold, b, a, seed=1)
    assert forward.uas.difference == -back.uas.difference == 25
    assert forward.uas.p_value == back.uas.p_value == 1 / 1001


def test_the_seed_alone_decides_whatever_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = [star(n) for n in range(1, 9)]
    a, b = [star(n, n // 2) for n in range(1, 9)], [star(n, n // 3) for n in range(1, 9)]
    first = paired_bootstrap(gold, a, b, seed=5)
    monkeypatch.setattr(significance, "_CHUNK", 40)
    assert paired_bootstrap(gold, a, b, seed=5) == first
    assert paired_bootstrap(gold, a, b, seed=6) != first


def test_the_dictionary_is_json_and_the_table_shows_both_figures() -> None:
    result = paired_bootstrap([star(2)], [star(2, 1)], [star(2)], samples=10, seed=0)
    assert json.loads(json.dumps(result.to_dict()))["uas"]["difference"] == 50
    assert "UAS" in str(result)
    assert "+50.00" in str(result)


def test_bad_input_is_refused() -> None:
    for arguments, options, message in [
        (([], [], []), {}, "no sentences"),
        (([star(2)], [star(3)], [star(2)]), {}, "sentence 1: 3 words"),
        (([star(2)], [star(2)], []), {}, "0 sentences were predicted"),
        (([star(2)],) * 3, {"samples": 0}, "samples=0"),
        (([star(2)],) * 3, {"confidence": 1.0}, r"confidence=1\.0"),
    ]:
        with pytest.raises(InputError, match=message):
            paired_bootstrap(*arguments, seed=0, **options)


def test_counts_of_one_test_set_give_what_its_sentences_give() -> None:
    sizes = [(4, 1, 0), (3, 3, 1), (2, 0, 1), (5, 2, 0)]
    gold = [star(n) for n, _, _ in sizes]
    a, b = [star(n, wrong) for n, wrong, _ in sizes], [star(n, wrong) for n, _, wrong in sizes]
    counts = tuple(zip(*((n - x, n - y, n) for n, x, y in sizes), strict=True))
    found = paired_difference([counts], 500, seed=7)
    expected = paired_bootstrap(gold, a, b, 500, seed=7).uas
    assert vars(found) == pytest.approx(vars(expected))


def test_several_test_sets_count_alike_whatever_their_size() -> None:
    small = ([0], [1], [1])  # one sentence: every draw is the same
    large = ([1] * 50, [1] * 50, [1] * 50)
    found = paired_difference([small, large], 100, seed=1)
    assert (found.a, found.b, found.difference) == (50.0, 100.0, 50.0)
    assert (found.low, found.high) == (50.0, 50.0)


def test_systems_with_units_of_their_own_are_compared_by_their_shares() -> None:
    """F1: twice the right spans out of those there are and those found, written out for draws."""
    gold, found_a, right_a = [2, 1, 3], [1, 1, 4], [1, 0, 2]
    found_b, right_b = [2, 2, 3], [2, 1, 2]
    doubled = [[2 * x for x in right] for right in (right_a, right_b)]
    units = [[g + f for g, f in zip(gold, found, strict=True)] for found in (found_a, found_b)]
    found = paired_difference([(*doubled, *units)], 400, seed=3)
    assert found.a == pytest.approx(100 * 6 / 12)
    assert found.b == pytest.approx(100 * 10 / 13)
    chosen = np.random.default_rng(3).integers(0, 3, (400, 3))
    each = []
    for rows in chosen:
        shares = [
            100 * sum(got[i] for i in rows) / sum(of[i] for i in rows)
            for got, of in zip(doubled, units, strict=True)
        ]
        each.append(shares[1] - shares[0])
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(each, [2.5, 97.5])))


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ([], "no test sets"),
        ([([1], [1, 2], [1])], "expected as many of each"),
        ([([], [], [])], "at least one"),
        ([([0], [0], [0])], "nothing to get"),
    ],
)
def test_counts_that_make_no_test_are_refused(tests: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        paired_difference(tests, seed=1)
