"""What a parser suggests to annotate."""

from __future__ import annotations

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.parsing import train_parser
from turbotree.parsing.suggesting import suggest_sentences, suggest_words
from turbotree.text import treebank
from turbotree.trees import tree_marginals


def score_matrix(parse):
    """The scores of all arcs in units of the temperature, -inf for those that were pruned."""
    batch, words = parse._batch, len(parse.heads)
    matrix = np.full((words + 1, words + 1), -np.inf)
    rows = batch.scored.sentence(parse._index).arcs
    matrix[rows[:, 0], rows[:, 1]] = batch.scaled(parse._index).scores["arc"]
    return matrix


def test_the_entropy_of_arc_factored_trees_is_exact(parser, held_out):
    for parse in parser.parse_batch(held_out):
        exact = tree_marginals(
            score_matrix(parse), single_root=parse._batch.scored.shape.single_root
        )
        assert parse.entropy == pytest.approx(exact.entropy, abs=1e-7)
        chances = exact.probabilities[:, 1:]
        logs = np.where(chances > 0, np.log(np.maximum(chances, 1e-300)), 0.0)
        assert parse.head_entropies == pytest.approx(-(chances * logs).sum(axis=0), abs=1e-7)


def test_a_tree_is_at_most_as_open_as_its_heads_by_themselves(parser, held_out):
    for parse in parser.parse_batch(held_out):
        assert parse.entropy <= sum(parse.head_entropies) + 1e-9


def test_higher_orders_have_entropies_too(held_out):
    second = train_parser(treebank(40, seed=1), model="standard", epochs=1, pruner_epochs=1)
    found = suggest_sentences(second, held_out[:8])
    assert len(found) == 8
    assert np.isfinite([one.entropy for one in found]).all()


@pytest.mark.parametrize("measure", ["mean", "total"])
def test_sentences_come_by_entropy_and_keep_their_place(parser, held_out, measure):
    parses = parser.parse_batch(held_out)
    worth = [p.entropy / (len(p.heads) if measure == "mean" else 1) for p in parses]
    order = sorted(range(len(parses)), key=lambda i: -worth[i])
    found = suggest_sentences(parser, held_out, 7, measure=measure, threads=2)
    assert [one.place for one in found] == order[:7]
    assert [one.entropy for one in found] == pytest.approx([worth[i] for i in order[:7]])
    assert [one.sentence for one in found] == [parses[i].to_sentence() for i in order[:7]]


def test_words_come_by_the_entropy_of_their_heads(parser, held_out):
    entropies = sorted(
        (e for p in parser.parse_batch(held_out) for e in p.head_entropies), reverse=True
    )
    found = suggest_words(parser, held_out)
    assert [one.entropy for one in found] == pytest.approx(entropies)
    assert suggest_words(parser, held_out, 4) == found[:4]
    chances = list(found[0].heads.values())
    assert chances == sorted(chances, reverse=True)
    assert 0.8 < sum(chances) < 1 + 1e-9


def test_nothing_to_choose_from_is_no_error(parser):
    assert suggest_sentences(parser, []) == []
    assert suggest_words(parser, [], 3) == []


def test_unknown_measures_are_refused(parser):
    with pytest.raises(InputError, match="'median'"):
        suggest_sentences(parser, [], measure="median")
