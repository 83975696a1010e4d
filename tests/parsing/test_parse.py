from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.trees import TreeDistribution, all_trees

from turbotree.parsing import DECODERS, TreeShape
from turbotree.scoring import Batch

SHAPES = [
    TreeShape(single_root, projective)
    for single_root in (False, True)
    for projective in (False, True)
]
# The relaxation with a single commodity is for trees whose arcs may cross.
DECODERS_AND_SHAPES = [
    (decoder, shape)
    for decoder in DECODERS
    for shape in SHAPES
    if not (decoder.startswith(("lp-", "lp2009")) and shape.projective)
]


def distribution_of(parser, sentence, shape):
    """List the trees over the candidate arcs, scored by what the features of each arc add up to."""
    arcs = parser.pruner.candidates(Batch([sentence]), shape=shape)
    scores = {
        (head, modifier): math.fsum(f.weight for f in parser.explain(sentence, head, modifier))
        / parser.arc_temperature
        for head, modifier in arcs.rows.tolist()
    }
    trees = all_trees(len(sentence), single_root=shape.single_root, projective=shape.projective)
    return TreeDistribution(trees, scores)


@pytest.mark.parametrize(("decoder", "shape"), DECODERS_AND_SHAPES)
def test_probabilities_of_arcs_and_trees_are_sums_over_all_trees(parser, short, decoder, shape):
    options = {"single_root": shape.single_root, "projective": shape.projective}
    if decoder == "eisner":
        shape = TreeShape(shape.single_root, True)
    for sentence in short:
        parse = parser.parse(sentence, decoder=decoder, **options)
        distribution = distribution_of(parser, sentence, shape)
        assert parse.probability == pytest.approx(distribution.probability(parse.heads), rel=1e-4)
        words = len(sentence)
        expected = [
            [distribution.marginal((h, m)) if m and h != m else 0.0 for m in range(words + 1)]
            for h in range(words + 1)
        ]
        assert parse.arc_probabilities == pytest.approx(np.array(expected), abs=1e-5)


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_word_has_one_head_with_certainty(parser, held_out, decoder):
    for parse in parser.pipe(held_out, decoder=decoder):
        columns = parse.arc_probabilities.sum(axis=0)
        assert columns[0] == 0.0
        assert columns[1:] == pytest.approx(np.ones(len(parse.heads)))
        assert 0.0 < parse.probability <= 1.0
        assert parse.arc_probabilities[0].sum() == pytest.approx(1.0)  # one root


def test_head_probabilities_are_those_of_the_chosen_heads(parser, held_out):
    for parse in parser.pipe(held_out):
        expected = [parse.arc_probabilities[h, m] for m, h in enumerate(parse.heads, 1)]
        assert list(parse.head_probabilities) == expected
        # A tree is never likelier than any of its arcs.
        assert parse.probability <= min(expected) + 1e-9


def test_label_distributions_add_up_to_one_and_hold_the_chosen_labels(parser, held_out):
    for parse in parser.pipe(held_out, batch_size=6):
        assert len(parse.label_distributions) == len(parse.labels)
        for label, distribution, probability in zip(
            parse.labels, parse.label_distributions, parse.label_probabilities, strict=True
        ):
            assert sum(distribution.values()) == pytest.approx(1.0)
            assert probability == distribution[label]


def test_labels_that_seem_alone_are_the_likeliest(parser, held_out):
    # Where a head has one modifier only, there is nothing else that the label depends on.
    checked = 0
    for parse in parser.pipe(held_out):
        for word, head in enumerate(parse.heads, 1):
            if parse.heads.count(head) == 1:
                distribution = parse.label_distributions[word - 1]
                assert distribution[parse.labels[word - 1]] == max(distribution.values())
                checked += 1
    assert checked


def test_the_best_tree_is_at_least_as_likely_as_that_of_any_decoder(parser, held_out):
    best = list(parser.pipe(held_out))
    for decoder in DECODERS:
        for parse, other in zip(best, parser.pipe(held_out, decoder=decoder), strict=True):
            assert other.score <= parse.score + 1e-9


def test_a_parse_becomes_a_sentence_with_all_else_untouched(parser, held_out):
    for parse in parser.pipe(held_out[:5]):
        sentence = parse.to_sentence()
        assert sentence.heads == parse.heads
        assert sentence.labels == parse.labels
        for name in ("form", "lemma", "upos", "xpos", "feats", "deps", "misc"):
            assert sentence.column(name) == parse.sentence.column(name)
        assert sentence.comments == parse.sentence.comments
