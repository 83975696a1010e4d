"""Scores of parts: the same contract for sparse features, sums and anything dense."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from oracles.trees import all_trees

from turbotree import Parser
from turbotree.errors import InputError
from turbotree.features import Encoder, LabelledParts, PartKind, Parts, Weights
from turbotree.graphs import Status
from turbotree.parsing.arcs import Pruner, PruningOptions, TreeShape, all_arcs
from turbotree.parsing.parts import FAMILIES, PartSet
from turbotree.scoring import Batch, SparseScorer, WeightedSum, score_every, sparse
from turbotree.text import Sentence, treebank

KINDS = {"arc": PartKind(("h", "m")), "sibling": PartKind(("h", "m", "s"), {"side": 2})}
TEMPLATES = {"arc": ["h.upos m.upos", "m.upos"], "sibling": ["m.upos s.upos"]}
DOGS = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
CATS = Sentence.from_words(["all", "cats", "purr"], upos=["DET", "NOUN", "VERB"])


class Dense:
    """Numbers from an array, whatever the sentence: a stand-in for a network."""

    def __init__(self, arrays):
        self._arrays = arrays

    @property
    def families(self):
        return tuple(self._arrays)

    def score(self, batch, parts):
        return {
            name: array[tuple(parts[name].rows.T)]
            for name, array in self._arrays.items()
            if name in parts
        }


def dense(seed, families=("arc",), words=9):
    rng = np.random.default_rng(seed)
    axes = {"arc": 2, "sibling": 4, "grandparent": 3}
    return Dense({name: rng.normal(size=(words + 1,) * axes[name]) for name in families})


def sparse_scorer(weighted=True):
    encoder = Encoder.fit([DOGS, CATS], ["upos"], [])
    scorer = SparseScorer(TEMPLATES, KINDS, encoder)
    if not weighted:
        return scorer
    weights = Weights()
    parts = {
        "arc": Parts.of_one([[0, 3], [3, 2], [2, 1]]),
        "sibling": Parts.of_one([[3, 1, 2, 0]]),
    }
    prepared = scorer.prepare(encoder.encode([CATS]))
    coefficients = {"arc": np.array([1.0, 0.5, 0.25]), "sibling": np.array([4.0])}
    weights.add(scorer.gradient(prepared, parts, coefficients), 1.0)
    return scorer.with_weights(weights.freeze())


def features_by_hand(family, sentence, row):
    tags = ["<root>", *sentence.upos]
    if family == "arc":
        return [("pair", tags[row[0]], tags[row[1]]), ("one", tags[row[1]])]
    return [("siblings", tags[row[1]], tags[row[2]])]


def test_sparse_scores_are_the_sums_of_the_weights_of_features():
    table = Counter()
    for row, coefficient in (((0, 3), 1.0), ((3, 2), 0.5), ((2, 1), 0.25)):
        for feature in features_by_hand("arc", CATS, row):
            table[feature] += coefficient
    for feature in features_by_hand("sibling", CATS, (3, 1, 2)):
        table[feature] += 4.0
    batch = Batch([DOGS, CATS])
    arcs = all_arcs(batch.lengths)
    siblings = Parts(np.array([[3, 1, 2, 0]], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32))
    scores = sparse_scorer().score(batch, {"arc": arcs, "sibling": siblings, "unknown": arcs})
    assert list(scores) == ["arc", "sibling"]
    for i, sentence in enumerate((DOGS, CATS)):
        for family, own in (("arc", arcs), ("sibling", siblings)):
            at = own.places(i)
            expected = [
                sum(table[f] for f in features_by_hand(family, sentence, row))
                for row in own.rows[at].tolist()
            ]
            assert scores[family][at].tolist() == expected


def test_a_scorer_without_weights_says_so():
    with pytest.raises(ValueError, match="without weights"):
        sparse_scorer(weighted=False).score(Batch([DOGS]), {})


def test_a_weighted_sum_adds_by_family():
    first, second = dense(1), dense(2, ("arc", "sibling"))
    both = WeightedSum([(2.0, first), (-0.5, second)])
    assert both.families == ("arc", "sibling")
    batch = Batch([CATS])
    parts = PartSet.build(batch.lengths, all_arcs(batch.lengths), ("arc", "sibling", "grandparent"))
    scores = both.score(batch, parts)
    assert list(scores) == ["arc", "sibling"]
    one, other = first.score(batch, parts), second.score(batch, parts)
    assert scores["arc"].tolist() == (2.0 * one["arc"] - 0.5 * other["arc"]).tolist()
    assert scores["sibling"].tolist() == (-0.5 * other["sibling"]).tolist()
    complete = score_every(both, batch, parts)
    assert list(complete) == ["arc", "sibling", "grandparent"]
    assert not complete["grandparent"].any()


def test_labelled_parts_without_a_scorer_score_0_per_part_and_label():
    labelled = LabelledParts(
        np.array([[1], [2]], dtype=np.int32),
        np.array([0, 2], dtype=np.int32),
        np.array([0, 2, 5], dtype=np.int32),
        np.array([0, 1, 0, 1, 2], dtype=np.int32),
    )
    assert score_every(dense(1), Batch([DOGS]), {"word": labelled})["word"].tolist() == [0.0] * 5


def test_the_sparse_scorer_of_a_sum_is_found():
    own = sparse_scorer()
    assert sparse(own) is own
    assert sparse(WeightedSum([(1.0, dense(1)), (2.0, own)])) is own
    with pytest.raises(InputError, match="no sparse features"):
        sparse(dense(1))
    with pytest.raises(InputError, match="no scorers"):
        WeightedSum([])


def test_a_batch_encodes_once_and_repeats_what_it_knows():
    class Counting:
        def __init__(self):
            self.calls = 0

        def encode(self, sentences):
            self.calls += 1
            return encoder.encode(sentences)

    encoder = Encoder.fit([DOGS, CATS], ["upos"], [])
    counting = Counting()
    batch = Batch([DOGS, CATS])
    assert batch.of(counting) is batch.of(counting)
    again = batch.repeated([1, 0, 1])
    assert again.lengths.tolist() == [3, 2, 3]
    assert again.sentences == [CATS, DOGS, CATS]
    assert again.of(counting).ids.tolist() == encoder.encode([CATS, DOGS, CATS]).ids.tolist()
    assert counting.calls == 1
    bare = Batch.encoded(counting, batch.of(counting))
    assert bare.of(counting) is batch.of(counting)
    with pytest.raises(ValueError, match="another encoder"):
        bare.of(encoder)


@pytest.fixture(scope="module")
def parser():
    return Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)


@pytest.mark.parametrize("families", [("arc",), ("arc", "sibling", "grandparent")])
def test_dense_scores_drive_the_pruner_and_the_decoders(families, parser):
    shape = TreeShape()
    for seed, sentence in enumerate(s for s in treebank(60, seed=3) if 2 <= len(s) <= 6):
        scorer = dense(seed, families)
        pruner = Pruner(dense(seed + 1000), PruningOptions(threshold=0.0, max_heads=20), shape)
        own = replace(parser, pruner=pruner, parts=scorer, shape=shape)
        parse = own.parse(sentence)
        batch = Batch([sentence])
        parts = PartSet.build(batch.lengths, all_arcs(batch.lengths), families)
        scores = scorer.score(batch, parts)

        def value(heads, parts=parts, scores=scores):
            found = parts.indicators(0, np.array(heads, dtype=np.int32))
            return sum(float(scores[name][has].sum()) for name, has in found.items())

        best = max(value(heads) for heads in all_trees(len(sentence), single_root=True))
        assert parse.score == pytest.approx(value(parse.heads), abs=1e-9)
        assert parse.certificate.status is Status.OPTIMAL
        assert parse.score == pytest.approx(best, abs=1e-6)


def test_a_sum_with_a_dense_scorer_parses_as_its_sparse_part_where_the_other_counts_nothing(parser):
    mixed = replace(parser, parts=WeightedSum([(1.0, parser.parts), (0.0, dense(1, words=60))]))
    for sentence in treebank(20, seed=4):
        assert mixed.parse(sentence) == parser.parse(sentence)


def test_families_of_parsers_have_kinds():
    assert set(KINDS) <= set(FAMILIES)
