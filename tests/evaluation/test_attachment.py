"""Attachment scores against the formulas written out a second time."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores


class Tree(NamedTuple):
    forms: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int | None, ...]
    labels: tuple[str, ...]


LABELS = st.sampled_from(["nsubj", "nsubj:pass", "obl", "obl:tmod", "punct", "root"])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    n = draw(st.integers(1, 6))

    def column(values: st.SearchStrategy) -> tuple:
        return tuple(draw(st.lists(values, min_size=n, max_size=n)))

    forms, upos = column(st.sampled_from("abc")), column(st.sampled_from(["NOUN", "PUNCT"]))
    gold = Tree(forms, upos, column(st.integers(0, n)), column(LABELS))
    # Predicted tags differ on purpose: only the gold ones say what punctuation is.
    heads = column(st.none() | st.integers(0, n))
    return gold, Tree(forms, column(st.just("PUNCT")), heads, column(LABELS))


def is_tree(heads: tuple[int | None, ...]) -> bool:
    """Every word reaches the root by climbing n steps."""
    for word in range(1, len(heads) + 1):
        at: int | None = word
        for _ in heads:
            at = heads[at - 1] if at else at
        if at != 0:
            return False
    return True


@given(st.lists(pairs(), max_size=5))
def test_scores_are_shares_of_right_words(sentences: list[tuple[Tree, Tree]]) -> None:
    scores = attachment_scores([gold for gold, _ in sentences], [found for _, found in sentences])
    rows = [
        row
        for gold, found in sentences
        for row in zip(gold.heads, gold.labels, found.heads, found.labels, gold.upos, strict=True)
    ]

    def share(rows: list, right: list[bool]) -> float:
        return pytest.approx(100 * sum(right) / len(rows) if rows else 0.0)

    for part, kept in [
        (scores.all_words, rows),
        (scores.without_punctuation, [row for row in rows if row[4] != "PUNCT"]),
    ]:
        assert part.words == len(kept)
        assert part.uas == share(kept, [h == fh for h, _, fh, _, _ in kept])
        assert part.las == share(kept, [(h, r) == (fh, fl) for h, r, fh, fl, _ in kept])
        assert part.las_universal == share(
            kept, [h == fh and r.split(":")[0] == fl.split(":")[0] for h, r, fh, fl, _ in kept]
        )
        assert part.label_accuracy == share(kept, [r == fl for _, r, _, fl, _ in kept])
    assert scores.sentences == len(sentences)
    assert scores.exact == sum(g.heads == f.heads and g.labels == f.labels for g, f in sentences)
    assert scores.exact_unlabelled == sum(g.heads == f.heads for g, f in sentences)
    assert scores.trees == sum(is_tree(f.heads) for _, f in sentences)
    assert scores.one_root == sum(f.heads.count(0) == 1 for _, f in sentences)
    for label, counts in scores.relations.items():
        assert counts.gold == sum(row[1] == label for row in rows)
        assert counts.predicted == sum(row[3] == label for row in rows)
        assert counts.right == sum(row[1] == label and row[:2] == row[2:4] for row in rows)
    assert set(scores.relations) == {row[1] for row in rows} | {row[3] for row in rows}


GOLD = Tree(
    ("Birds", "sing", "."), ("NOUN", "VERB", "PUNCT"), (2, 0, 2), ("nsubj", "root", "punct")
)


def test_the_gold_trees_score_100() -> None:
    figures = attachment_scores([GOLD] * 3, iter([GOLD] * 3)).to_dict()
    assert figures["sentences"] == 3
    assert figures["words"] == 9
    percentages = {name: value for name, value in figures.items() if isinstance(value, float)}
    assert set(percentages.values()) == {100.0}
    assert len(percentages) == 11


def test_nothing_scores_0() -> None:
    scores = attachment_scores([], [])
    assert (scores.words, scores.uas, scores.las, scores.relations) == (0, 0.0, 0.0, {})
    assert "0 sentences" in str(scores)


def test_non_projective_arcs_are_counted_on_both_sides() -> None:
    crossed = GOLD._replace(heads=(2, 0, 1))  # 1 -> 3 spans 2, which does not descend from 1
    scores = attachment_scores([GOLD, crossed], [crossed, crossed])
    assert (scores.nonprojective.gold, scores.nonprojective.predicted) == (1, 2)
    assert scores.nonprojective.right == 1


def test_the_dictionary_is_json_and_the_table_shows_each_relation() -> None:
    scores = attachment_scores([GOLD], [GOLD._replace(heads=(2, 0, 1))])
    figures = json.loads(json.dumps(scores.to_dict()))
    assert figures["UAS"] == 66.67
    assert figures["UAS_nopunct"] == 100.0
    assert figures["relations"]["punct"]["F1"] == 0.0
    for text in ("66.67", "nsubj", "root", "punct", "1 sentences"):
        assert text in str(scores)


def test_input_that_does_not_align_names_the_sentence_and_the_words() -> None:
    for predicted, message in [
        ([GOLD], "1 sentences were predicted, the gold file has 2"),
        ([GOLD] * 5, "5 sentences were predicted, the gold file has 2"),
        (
            [GOLD, GOLD._replace(forms=("Birds", "sang", "."))],
            "sentence 2: word 2 is 'sang', .*'sing'",
        ),
        ([GOLD, GOLD._replace(forms=("Birds", "sing"))], "sentence 2: 2 words, .* has 3"),
    ]:
        with pytest.raises(InputError, match=message):
            attachment_scores([GOLD, GOLD], predicted)


def test_a_gold_sentence_without_heads_is_refused() -> None:
    with pytest.raises(InputError, match="sentence 1: word 3 has no gold head"):
        attachment_scores([GOLD._replace(heads=(2, 0, None))], [GOLD])


def test_sentences_that_know_their_place_are_named_by_it() -> None:
    class Placed:
        forms, upos, heads, labels = ("Bird",), ("NOUN",), (0,), ("root",)
        path, line = "out.conllu", 17

    with pytest.raises(InputError, match=r"^out\.conllu:17: sentence 1: "):
        attachment_scores([GOLD], [Placed()])
