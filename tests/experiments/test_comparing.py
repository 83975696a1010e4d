"""Claims and tables of several treebanks."""

from __future__ import annotations

import pytest

from turbotree.experiments.comparing import claim_shares, claim_uas, proofs, side_by_side, uas
from turbotree.experiments.records import Measured


def measured(a: list[int], b: list[int], words: list[int]) -> Measured:
    return {
        "words": words,
        "systems": {
            "a": {"right": a, "proven": [1] * len(a)},
            "b": {"right": b, "proven": [0] * len(b)},
        },
    }


BOTH = {
    "nl_some": measured([1, 1], [2, 2], [2, 2]),  # 50 % and 100 %
    "xx_other": measured([3], [3], [4]),  # 75 % both
}


def test_shares_are_those_of_all_words_and_sentences() -> None:
    assert uas(measured([1, 3], [0, 0], [1, 7]), "a") == 50.0
    assert proofs(BOTH["nl_some"], "b") == 0.0


def test_a_claim_is_about_the_mean_of_treebanks_and_about_each() -> None:
    claim = claim_uas("b above a", BOTH, "a", "b")
    assert (claim.difference.a, claim.difference.b) == (62.5, 87.5)
    assert claim.difference.difference == 25.0
    assert [(name, found.difference) for name, found in claim.each] == [
        ("nl_some", 50.0),
        ("xx_other", 0.0),
    ]
    assert claim.verdict == "holds"  # no draw can turn out otherwise


def test_a_claim_on_one_treebank_does_not_repeat_itself() -> None:
    claim = claim_shares("b above a", "proven best, %", {"nl_some": ([1, 1], [0, 0])})
    assert claim.each == ()
    assert claim.difference.difference == -100.0
    assert claim.verdict == "DOES NOT HOLD"


def test_a_table_has_the_papers_value_of_the_same_language_and_means() -> None:
    paper = {"nl": [80.0, 90.0], "tr": [70.0, None]}
    table = side_by_side("UAS", BOTH, uas, ["a", "b"], paper)
    assert table.columns == ("treebank", "a", "paper", "b", "paper")
    assert table.rows == (
        ("nl_some", "50.00", "80.00", "100.00", "90.00"),
        ("xx_other", "75.00", "–", "75.00", "–"),
        ("mean", "62.50", "75.00", "87.50", "90.00"),
    )


@pytest.mark.parametrize("system", ["a", "b"])
def test_a_treebank_of_punctuation_alone_has_no_right_heads(system: str) -> None:
    assert uas(measured([0], [0], [0]), system) == 0.0
