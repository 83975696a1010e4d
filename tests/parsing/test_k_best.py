"""The best trees, diverse trees and samples, against enumeration of all trees."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_cases import candidate_trees, cases, of_sentence, part_set, shapes
from oracles.part_scores import score_of
from oracles.trees import all_trees

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.parsing import Parser, TreeShape
from turbotree.parsing.arrays.parts import dense_parts, part_scores
from turbotree.parsing.decoding.k_best import k_best_by_arcs, k_best_by_graph, k_best_trees
from turbotree.parsing.parts import MODELS, ScoredSentence
from turbotree.text import Sentence, treebank


@st.composite
def problems(draw, longest=5):
    """Random models of every kind, with the trees of one sentence and their scores."""
    families = MODELS[draw(st.sampled_from(sorted(MODELS)))]
    shape = draw(shapes)
    parts, scores = draw(cases(longest=longest, families=families))
    own = of_sentence(parts, scores, 0)
    trees = candidate_trees(parts, 0, shape)
    values = sorted((ScoredSentence(parts, 0, own).score(tree) for tree in trees), reverse=True)
    return parts, own, shape, trees, values


@settings(max_examples=60, deadline=None)
@given(problem=problems(), k=st.integers(1, 12))
def test_the_list_is_that_of_enumeration(problem, k):
    parts, scores, shape, trees, values = problem
    found = k_best_by_graph(ScoredSentence(parts, 0, scores, shape), k, exact=True)
    assert [tree.score for tree in found] == pytest.approx(values[:k], abs=1e-5)
    assert len({tuple(tree.heads.tolist()) for tree in found}) == min(k, len(trees))
    for tree in found:
        assert tree.certificate.status is Status.OPTIMAL
        assert ScoredSentence(parts, 0, scores).score(tree.heads) == pytest.approx(
            tree.score, abs=1e-6
        )
    if not parts.families:
        of_arcs = k_best_by_arcs(ScoredSentence(parts, 0, scores, shape), k)
        assert [tree.score for tree in of_arcs] == pytest.approx(values[:k], abs=1e-6)


@pytest.mark.parametrize("seed", [71, 269])
def test_no_tree_hides_behind_one_that_is_ruled_out(seed):
    """Variables are fixed by the list so far, and the division of what is left has to know it."""
    rng = np.random.default_rng(seed)
    words = int(rng.integers(2, 5))
    shape = TreeShape(bool(rng.integers(2)), bool(rng.integers(3) == 0))
    arrays = {"arc": 2 * rng.normal(size=(words + 1,) * 2)}
    which = rng.integers(3)
    for name, without in (("sibling", 0), ("grandparent", 1)):
        arrays[name] = rng.normal(size=(words + 1,) * 3) if which != without else None
    parts, places = dense_parts(arrays["arc"], words, grandparents=which != 1)
    trees = list(all_trees(words, single_root=shape.single_root, projective=shape.projective))
    values = sorted((score_of(list(tree), *arrays.values()) for tree in trees), reverse=True)
    found = k_best_by_graph(
        ScoredSentence(parts, 0, part_scores(arrays, places), shape), 5, exact=True
    )
    assert [tree.score for tree in found] == pytest.approx(values[:5], abs=1e-5)


@pytest.mark.parametrize("model", sorted(MODELS))
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6])
def test_lists_of_sentences_of_up_to_six_words_are_those_of_enumeration(model, words):
    rng = np.random.default_rng(words)
    arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    left = [arc for arc in arcs if words < 5 or arc[0] == arc[1] - 1 or rng.random() < 0.35]
    parts = part_set([words], [left], MODELS[model])
    scores = {name: rng.normal(size=len(parts[name].rows)) for name in MODELS[model]}
    trees = candidate_trees(parts, 0, TreeShape())
    values = sorted((ScoredSentence(parts, 0, scores).score(tree) for tree in trees), reverse=True)
    found = k_best_by_graph(ScoredSentence(parts, 0, scores, TreeShape()), 10, exact=True)
    assert [tree.score for tree in found] == pytest.approx(values[:10], abs=1e-5)
    assert len({tuple(tree.heads.tolist()) for tree in found}) == len(found)


@settings(max_examples=40, deadline=None)
@given(problem=problems(longest=4), k=st.integers(1, 5), diversity=st.integers(2, 4))
def test_each_diverse_tree_is_the_best_that_differs_enough(problem, k, diversity):
    parts, scores, shape, trees, _ = problem
    chosen = []
    left = [(ScoredSentence(parts, 0, scores).score(tree), tree) for tree in trees]
    found = k_best_trees(
        ScoredSentence(parts, 0, scores, shape), k, diversity=diversity, exact=True
    )
    for tree in found:
        assert tree.score == pytest.approx(max(value for value, _ in left), abs=1e-5)
        chosen.append(tree.heads)
        left = [
            (value, other)
            for value, other in left
            if np.count_nonzero(other != tree.heads) >= diversity
        ]
    assert len(found) == k or not left


@pytest.fixture(scope="module", params=["arc", "standard", "full"])
def some_parser(request):
    return Parser.train(treebank(60, seed=1), epochs=1, pruner_epochs=1, model=request.param)


def test_lists_begin_with_the_best_tree_and_never_rise(some_parser, held_out):
    lists = some_parser.k_best_batch(held_out, 6)
    for best, parses in zip(some_parser.pipe(held_out), lists, strict=True):
        scores = [parse.score for parse in parses]
        assert scores[0] == pytest.approx(best.score, rel=1e-5)
        assert scores == sorted(scores, reverse=True)
        assert len({parse.heads for parse in parses}) == len(parses)
        assert all(len(parse.labels) == len(parse.heads) for parse in parses)
        alone = some_parser.parse(parses[-1].to_sentence(), keep_given=True)
        assert alone.heads == parses[-1].heads
    one = some_parser.k_best(held_out[0], 3)
    assert [parse.heads for parse in one] == [parse.heads for parse in lists[0][:3]]
    assert one[0].labels == some_parser.parse(held_out[0]).labels
    assert one[2].label_probabilities == pytest.approx(lists[0][2].label_probabilities)


def test_lists_obey_constraints(some_parser, held_out):
    for sentence in held_out[:5]:
        for parse in some_parser.k_best(sentence, 4, require=[(0, 1)], spans=[(1, 2)]):
            assert parse.heads[0] == 0
            assert parse.heads[1] == 1
        for parse in some_parser.sample(sentence, 4, require=[(0, 1)], forbid=[(1, 2)]):
            assert parse.heads[0] == 0
            assert parse.heads[1] != 1


def test_a_single_word_has_one_tree(some_parser):
    word = Sentence.from_words(["Go"])
    assert [parse.heads for parse in some_parser.k_best(word, 5)] == [(0,)]
    assert [parse.heads for parse in some_parser.k_best(word, 5, diversity=3)] == [(0,)]
    assert [parse.heads for parse in some_parser.sample(word, 2)] == [(0,), (0,)]


def test_diverse_lists_differ_in_so_many_arcs(some_parser, held_out):
    parses = some_parser.k_best(held_out[0], 4, diversity=3)
    assert len(parses) > 1
    for i, one in enumerate(parses):
        for other in parses[:i]:
            assert sum(a != b for a, b in zip(one.heads, other.heads, strict=True)) >= 3
    assert [p.score for p in parses] == sorted((p.score for p in parses), reverse=True)


@pytest.mark.parametrize("length", [2, 4])
def test_samples_have_the_probabilities_of_the_model(some_parser, held_out, length):
    whole = held_out[1]
    columns = (whole.forms, whole.lemmas, whole.upos, whole.xpos, whole.feats)
    sentence = Sentence.from_words(*(column[:length] for column in columns))
    count = 2000
    drawn = some_parser.sample(sentence, count, seed=5)
    assert drawn[0].certificate.status is Status.LIMIT
    parts, scores = drawn[0]._batch.scored.parts, drawn[0]._batch.scored.scores
    temperature = some_parser.arc_temperature
    trees = candidate_trees(parts, 0, some_parser.shape)
    masses = {
        tuple(tree.tolist()): math.exp(ScoredSentence(parts, 0, scores).score(tree) / temperature)
        for tree in trees
    }
    total = sum(masses.values())
    seen = Counter(parse.heads for parse in drawn)
    assert set(seen) <= set(masses)
    for heads, mass in masses.items():
        chance = mass / total
        # Five standard deviations; resampling from ten times as many adds a tenth.
        slack = 5.5 * math.sqrt(max(chance * (1 - chance), 1e-3) / count)
        assert seen[heads] / count == pytest.approx(chance, abs=slack)


def test_seeds_decide_and_batches_do_not(some_parser, held_out):
    some = held_out[:4]
    together = some_parser.sample_batch(some, 3, seed=1)
    alone = [some_parser.sample(sentence, 3, seed=1) for sentence in some]
    other = some_parser.sample_batch(some, 3, seed=2)
    heads = [[[parse.heads for parse in own] for own in found] for found in (together, alone)]
    assert heads[0] == heads[1]
    assert heads[0] != [[parse.heads for parse in own] for own in other]
    assert some_parser.sample_batch(some[:1], 0) == [[]]


def test_wrong_numbers_and_decoders_of_one_tree_are_refused(some_parser, held_out):
    for options, said in (
        ({"k": 0}, "k is 0"),
        ({"k": 2, "diversity": 0}, "diversity is 0"),
        ({"k": 2, "decoder": "bp"}, "'bp' finds one tree only"),
    ):
        with pytest.raises(InputError, match=said):
            some_parser.k_best(held_out[0], **options)
    with pytest.raises(InputError, match="n is -1"):
        some_parser.sample(held_out[0], -1)
    assert some_parser.k_best_batch([], 3) == []
