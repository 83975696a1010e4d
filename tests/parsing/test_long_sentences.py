"""Very long sentences, and time limits: a valid tree with a bound that holds, and a note."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.interrupts import OutOfTimeError
from turbotree.parsing import Parse, Parser
from turbotree.parsing import arcs as pruning
from turbotree.text import Sentence, check_tree, treebank

_WORDS = 150


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Call sentences very long that are not, so that tests are quick."""
    limits = {"SEARCHED": 60, "WHOLE": 100, "_STRETCH": 32, "_MARGIN": 16, "_MOST_MODIFIERS": 10}
    for name, limit in limits.items():
        monkeypatch.setattr(pruning, name, limit)


@cache
def _parser(model: str = "standard") -> Parser:
    return Parser.train(treebank(80, seed=1), model=model, epochs=2, pruner_epochs=1)


@cache
def _long() -> Sentence:
    """Join sentences to one without an end."""
    words = [
        (form, upos)
        for sentence in treebank(300, seed=2)
        for form, upos in zip(sentence.forms, sentence.upos, strict=True)
        if upos != "PUNCT"
    ][:_WORDS]
    return Sentence.from_words([form for form, _ in words], upos=[upos for _, upos in words])


@cache
def _parsed(model: str = "standard") -> Parse:
    return _parser(model).parse(_long())


@pytest.mark.parametrize("model", ["standard", "arc"])
def test_a_very_long_sentence_gets_a_tree_and_a_note(model: str) -> None:
    parse = _parsed(model)
    assert check_tree(parse.to_sentence()) == parse.heads
    assert parse.heads.count(0) == 1
    assert f"{_WORDS} words: heads were looked for in stretches" in parse.certificate.note
    assert parse.to_sentence().metadata["note"] == parse.certificate.note
    assert parse.certificate.to_dict()["note"] == parse.certificate.note


def test_its_score_and_bound_are_those_of_its_parts() -> None:
    parse = _parsed()
    batch = parse._batch
    found = batch.scored.sentence(0).score(np.array(parse.heads, dtype=np.int32))
    assert parse.score == pytest.approx(found)
    assert parse.certificate.bound >= parse.score
    # The gap of the relaxation is small: no other tree is much better.
    assert parse.certificate.gap <= 0.05 * abs(parse.score)


def test_heads_have_few_candidate_modifiers() -> None:
    arcs = _parsed()._batch.scored.parts.arcs.rows
    most = np.bincount(arcs[:, 0]).max()
    in_tree = np.bincount(_parsed().heads).max()
    assert most <= pruning._MOST_MODIFIERS + in_tree
    assert len(arcs) <= 12 * _WORDS


def test_in_a_batch_it_is_what_it_is_alone() -> None:
    short = list(treebank(2, seed=5))
    batch = _parser().parse_batch([short[0], _long(), short[1]])
    assert batch[1].heads == _parsed().heads
    assert [batch[0].heads, batch[2].heads] == [_parser().parse(s).heads for s in short]


def test_pieces_of_a_batch_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = list(treebank(12, seed=6))
    whole = _parser().parse_batch(sentences)
    several = _parser().k_best_batch(sentences, 2)
    monkeypatch.setattr(pruning, "_PAIRS_AT_ONCE", 500)
    assert len(pruning.groups(sentences)) > 1
    again = _parser().parse_batch(sentences)
    assert [parse.heads for parse in again] == [parse.heads for parse in whole]
    assert [[parse.heads for parse in found] for found in _parser().k_best_batch(sentences, 2)] == [
        [parse.heads for parse in found] for found in several
    ]


@pytest.mark.parametrize("model", ["standard", "arc"])
def test_a_projective_tree_of_a_very_long_sentence_is_projective(model: str) -> None:
    parse = _parser(model).parse(_long(), projective=True)
    check_tree(parse.to_sentence())
    assert parse.heads.count(0) == 1
    assert parse.certificate.status is Status.LIMIT
    assert "projective trees of 32 words" in parse.certificate.note
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(parse.heads, 1)]
    ends = np.array(arcs)
    for low, high in arcs:
        inside = (ends[:, 0] > low) & (ends[:, 0] < high)
        assert not (inside & (ends[:, 1] > high)).any()


def test_constraints_hold_in_very_long_sentences() -> None:
    required = [(140, 3), (0, 70)]
    parse = _parser().parse(_long(), require=required, forbid=[(1, 2)])
    check_tree(parse.to_sentence())
    assert parse.heads[2] == 140
    assert parse.heads[69] == 0
    assert parse.heads[1] != 1


def test_other_decoders_are_replaced_and_exact_is_not() -> None:
    parse = _parser().parse(_long(), decoder="lp")
    assert parse.heads == _parsed().heads
    assert "without a search" in parse.certificate.note


def test_probabilities_of_very_long_sentences_are_those_of_heads() -> None:
    parse = _parsed()
    assert not parse.marginals.converged
    assert parse.arc_probabilities.sum(axis=0)[1:] == pytest.approx(1.0)
    assert math.isfinite(parse.entropy)


@pytest.mark.parametrize("decoder", ["auto", "admm", "exact", "subgradient", "lp", "ilp"])
def test_a_time_limit_still_gives_a_tree_and_a_bound(decoder: str) -> None:
    for sentence in treebank(5, seed=4):
        best = _parser().parse(sentence, decoder="exact")
        parse = _parser().parse(sentence, decoder=decoder, time_limit_seconds=0.0)
        check_tree(parse.to_sentence())
        slack = 1e-6 * abs(best.score)
        assert parse.score <= best.score + slack
        assert parse.certificate.bound >= best.score - slack
        if parse.certificate.status is not Status.OPTIMAL:
            assert parse.certificate.status is Status.LIMIT
            assert parse.certificate.note == "stopped by the time limit of 0 seconds"


def test_without_time_there_is_one_tree_instead_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    from turbotree.interrupts import OutOfTimeError
    from turbotree.parsing import parser as parsers

    def slow(*_: object, **__: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr(parsers, "k_best_trees", slow)
    sentence = next(iter(treebank(1, seed=4)))
    (parse,) = _parser().k_best(sentence, 3, time_limit_seconds=5)
    check_tree(parse.to_sentence())
    assert parse.certificate.note == "stopped by the time limit of 5 seconds"


def test_rules_that_take_too_long_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from turbotree.interrupts import OutOfTimeError
    from turbotree.parsing.rules import constrained_decoding

    def slow(*_: object, **__: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr(constrained_decoding, "search_tree", slow)
    sentence = next(iter(treebank(1, seed=4)))
    rule = "rule impossible: forall h, m: arc(h, m) -> h < m"
    with pytest.raises(InputError, match="was found in 5 seconds"):
        _parser().parse(sentence, rules=rule, time_limit_seconds=5)


def test_time_limits_are_checked() -> None:
    with pytest.raises(InputError, match="time_limit_seconds"):
        _parser().parse_batch([], time_limit_seconds=-1)


def test_a_limit_around_a_parse_without_one_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(*_: object, **__: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr("turbotree.parsing.scored.decode_as", out_of_time)
    monkeypatch.setattr("turbotree.parsing.parser.k_best_trees", out_of_time)
    parser, sentence = _parser(), next(treebank(1, seed=2))
    with pytest.raises(OutOfTimeError):
        parser.parse(sentence, decoder="exact", time_limit_seconds=math.inf)
    with pytest.raises(OutOfTimeError):
        parser.k_best(sentence, 2, decoder="exact", time_limit_seconds=math.inf)
