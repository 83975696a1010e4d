"""displaCy's data, and sentences of the conllu library."""

from __future__ import annotations

import pytest

from turbotree.errors import InputError
from turbotree.integrations.conllu import to_token_list
from turbotree.integrations.displacy import to_displacy
from turbotree.parsing import Parser
from turbotree.text import Sentence, as_sentence, treebank

conllu = pytest.importorskip("conllu")


def test_token_lists_come_and_go():
    for sentence in treebank(20, seed=1):
        tokens = to_token_list(sentence)
        assert [token["form"] for token in tokens] == list(sentence.forms)
        back = as_sentence(tokens)
        assert (back.forms, back.heads, back.labels) == (
            sentence.forms,
            sentence.heads,
            sentence.labels,
        )


def test_parsers_take_token_lists():
    sentences = list(treebank(30, seed=1))
    parser = Parser.train(sentences, model="arc", epochs=1, pruner_epochs=1)
    parse = parser.parse(to_token_list(sentences[0]))
    assert parse.heads == parser.parse(sentences[0]).heads


def test_what_is_no_sentence_is_refused():
    with pytest.raises(InputError, match="expected a Sentence, got list"):
        as_sentence([])


def test_displacy_gets_every_arc_but_the_root():
    for sentence in treebank(20, seed=1):
        data = to_displacy(sentence)
        arcs = {
            (a["end"] + 1, a["start"] + 1) if a["dir"] == "left" else (a["start"] + 1, a["end"] + 1)
            for a in data["arcs"]
        }
        expected = {(h, m) for m, h in enumerate(sentence.heads, 1) if h}
        assert arcs == expected


def test_there_is_nothing_to_draw_without_heads():
    with pytest.raises(InputError, match="head missing"):
        to_displacy(Sentence.from_words(["a"]))
