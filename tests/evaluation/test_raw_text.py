"""Scores from raw text against counts written out by hand and a second way to align."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores, raw_scores
from turbotree.evaluation.raw_text import common_row
from turbotree.text import Sentence, treebank


def lines(*rows: str) -> Sentence:
    """Make a sentence of rows ``id form [upos head deprel]``."""
    text = ""
    for row in rows:
        number, form, *rest = row.split()
        upos, head, deprel = rest or ("_", "_", "_")
        text += f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n"
    return Sentence(text + "\n")


def counts(gold: list[Sentence], found: list[Sentence]) -> dict[str, tuple[int, int, int]]:
    figures = raw_scores(gold, found).figures
    return {name: (row.gold, row.predicted, row.right) for name, row in figures.items()}


def test_a_prediction_like_the_gold_standard_is_all_right() -> None:
    gold = list(treebank(20, seed=3))
    assert {row.f1 for row in raw_scores(gold, gold).figures.values()} == {100.0}


def test_with_the_same_tokens_the_scores_are_those_of_trees() -> None:
    gold = list(treebank(20, seed=3))
    found = [s.with_tree([0, *range(1, len(s))], s.labels) for s in gold]
    trees, raw = attachment_scores(gold, found), raw_scores(gold, found)
    assert raw.f1("UAS") == pytest.approx(trees.uas)
    assert raw.f1("LAS") == pytest.approx(trees.las)


def test_a_split_too_many_costs_its_tokens_and_their_arcs() -> None:
    gold = [lines("1 a DET 2 det", "2 dogs NOUN 3 nsubj", "3 bark VERB 0 root")]
    found = [
        lines("1 a DET 2 det", "2 do NOUN 0 root"),
        lines("1 gs NOUN 2 nsubj", "2 bark VERB 0 root"),
    ]
    got = counts(gold, found)
    assert got["tokens"] == (3, 4, 2)
    assert got["sentences"] == (1, 2, 0)
    assert got["UPOS"] == (3, 4, 2)
    # "a" hangs on a word that is no gold word, "bark" is a root on both sides.
    assert got["UAS"] == (3, 4, 1)


def test_words_of_multiword_tokens_align_by_their_forms() -> None:
    gold = [lines("1-2 dont", "1 do AUX 3 aux", "2 nt PART 3 advmod", "3 go VERB 0 root")]
    found = [lines("1-3 dont", "1 Do AUX 4 aux", "2 n X 4 dep", "3 t X 4 dep", "4 go VERB 0 root")]
    got = counts(gold, found)
    assert got["tokens"] == (2, 2, 2)
    assert got["words"] == (3, 4, 2)
    assert got["LAS"] == (3, 4, 2)


def test_multiword_tokens_align_with_the_tokens_they_stand_for() -> None:
    gold = [lines("1-2 cannot", "1 can AUX 3 aux", "2 not PART 3 advmod", "3 go VERB 0 root")]
    found = [lines("1 can AUX 3 aux", "2 not PART 3 advmod", "3 go VERB 0 root")]
    got = counts(gold, found)
    assert got["tokens"] == (2, 3, 1)
    assert got["words"] == got["LAS"] == (3, 3, 3)


def test_subtypes_count_in_one_figure_only() -> None:
    gold = [lines("1 a X 2 obl:tmod", "2 b X 0 root")]
    found = [lines("1 a X 2 obl", "2 b X 0 root")]
    got = counts(gold, found)
    assert (got["LAS"], got["LAS universal"]) == ((2, 2, 1), (2, 2, 2))


def test_only_universal_features_count() -> None:
    gold = [Sentence.from_words(["a", "b"], feats=["Case=Nom|Odd=Yes", "Case=Nom"], heads=[0, 1])]
    found = [Sentence.from_words(["a", "b"], feats=["Case=Nom", "Case=Acc"], heads=[0, 1])]
    assert counts(gold, found)["UFeats"] == (2, 2, 1)


def test_words_without_heads_are_wrong() -> None:
    gold = [Sentence.from_words(["a", "b"], heads=[0, 1])]
    assert counts(gold, [Sentence.from_words(["a", "b"])])["UAS"] == (2, 2, 0)


def test_other_texts_are_refused() -> None:
    with pytest.raises(InputError, match=r"differ at character 3 .*: 'x', in the gold file 'c'"):
        raw_scores([Sentence.from_words(["ab", "c"])], [Sentence.from_words(["a", "bx"])])


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_common_rows_are_common_and_longest(one: list[str], other: list[str]) -> None:
    @lru_cache
    def longest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return 0
        best = max(longest(i + 1, j), longest(i, j + 1))
        return max(best, 1 + longest(i + 1, j + 1)) if one[i] == other[j] else best

    pairs = common_row(one, other)
    assert len(pairs) == longest(0, 0)
    assert all(one[i] == other[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


@given(st.data())
def test_spans_are_right_if_both_sides_have_them(data: st.DataObject) -> None:
    text = "abcdefgh"

    def cut() -> list[list[str]]:
        bounds = [i for i in range(1, len(text)) if data.draw(st.booleans())]
        tokens = [text[a:b] for a, b in zip([0, *bounds], [*bounds, len(text)], strict=True)]
        sentences: list[list[str]] = [[]]
        for token in tokens:
            if sentences[-1] and data.draw(st.booleans()):
                sentences.append([])
            sentences[-1].append(token)
        return sentences

    def spans(pieces: list[str]) -> set[tuple[int, int]]:
        return {(text.index(piece), text.index(piece) + len(piece)) for piece in pieces}

    one, other = cut(), cut()
    got = counts(*([Sentence.from_words(row) for row in side] for side in (one, other)))
    for name, pieces in (
        ("tokens", lambda side: [token for row in side for token in row]),
        ("sentences", lambda side: ["".join(row) for row in side]),
    ):
        a, b = spans(pieces(one)), spans(pieces(other))
        assert got[name] == (len(a), len(b), len(a & b))
