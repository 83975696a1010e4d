from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.trees import TreeDistribution, all_trees, arcs_of, is_projective, is_tree, tree_score

from turbotree.errors import InfeasibleError, InputError
from turbotree.features import Encoder, Parts, Weights
from turbotree.learning import LearnerOptions, Loss, learn
from turbotree.parsing import PruningOptions, TreeShape, _core
from turbotree.parsing.arcs import (
    Pruner,
    all_arcs,
    arc_marginals,
    best_trees,
)
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.training.part_task import PartTask
from turbotree.scoring import Batch, SparseScorer
from turbotree.text import Sentence

REAL = st.floats(-8, 8)
shapes = st.builds(TreeShape, st.booleans(), st.booleans())


def ints(values):
    return np.array(values, dtype=np.int32)


class ArcCase:
    """Sentences as dictionaries from candidate arcs to scores, and as arrays."""

    def __init__(self, lengths, tables):
        self.lengths = ints(lengths)
        self.tables = tables
        rows = [arc for table in tables for arc in table]
        offsets = np.cumsum([0, *map(len, tables)]).astype(np.int32)
        self.arcs = Parts(ints(rows).reshape(-1, 2), offsets)
        self.scores = np.array([score for table in tables for score in table.values()])

    def distributions(self, shape):
        return [
            TreeDistribution(
                all_trees(words, single_root=shape.single_root, projective=shape.projective), table
            )
            for words, table in zip(self.lengths.tolist(), self.tables, strict=True)
        ]


@st.composite
def arc_cases(draw, *, longest=4, most=3, scores=REAL, complete=False):
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=most))
    tables = []
    for words in lengths:
        arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
        if not complete:
            dropped = draw(st.sets(st.sampled_from(arcs), max_size=len(arcs) // 2))
            arcs = [arc for arc in arcs if arc not in dropped]
        numbers = draw(st.lists(scores, min_size=len(arcs), max_size=len(arcs)))
        tables.append(dict(zip(arcs, numbers, strict=True)))
    return ArcCase(lengths, tables)


@given(st.lists(st.integers(0, 6), max_size=5))
def test_all_arcs_are_all_pairs_of_a_head_and_another_word(lengths):
    arcs = all_arcs(ints(lengths))
    assert len(arcs.offsets) == len(lengths) + 1
    for i, words in enumerate(lengths):
        rows = arcs.rows[arcs.offsets[i] : arcs.offsets[i + 1]].tolist()
        expected = [[h, m] for h in range(words + 1) for m in range(1, words + 1) if h != m]
        assert rows == expected


@examples(80)
@given(arc_cases(), shapes)
def test_best_trees_are_the_best_of_all_allowed(case, shape):
    distributions = case.distributions(shape)
    if not all(distribution.scores for distribution in distributions):
        with pytest.raises(InfeasibleError, match="no tree"):
            best_trees(case.lengths, case.arcs, case.scores, shape)
        return
    heads = best_trees(case.lengths, case.arcs, case.scores, shape).tolist()
    for words, table, distribution in zip(
        case.lengths.tolist(), case.tables, distributions, strict=True
    ):
        tree, heads = tuple(heads[:words]), heads[words:]
        assert tree in distribution.scores
        assert tree_score(tree, table) == pytest.approx(distribution.best_score, abs=1e-9)
    assert heads == []


@examples(80)
@given(arc_cases(), shapes)
def test_arc_marginals_are_sums_over_all_trees(case, shape):
    distributions = case.distributions(shape)
    if not all(distribution.scores for distribution in distributions):
        with pytest.raises(InfeasibleError, match="no tree"):
            arc_marginals(case.lengths, case.arcs, case.scores, shape)
        return
    probabilities, logs = arc_marginals(case.lengths, case.arcs, case.scores, shape)
    expected = [
        distribution.marginal(arc)
        for distribution, table in zip(distributions, case.tables, strict=True)
        for arc in table
    ]
    assert probabilities.tolist() == pytest.approx(expected, abs=1e-9)
    expected = [distribution.log_partition for distribution in distributions]
    assert logs.tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
def test_trees_of_five_words_are_right_too(single_root, projective):
    shape = TreeShape(single_root, projective)
    rng = np.random.default_rng(9)
    lengths = ints([5, 1, 5])
    arcs = all_arcs(lengths)
    scores = rng.normal(size=len(arcs.rows)) * 2
    tables = [
        dict(zip(map(tuple, arcs.rows[a:b].tolist()), scores[a:b].tolist(), strict=True))
        for a, b in zip(arcs.offsets, arcs.offsets[1:], strict=False)
    ]
    case = ArcCase(lengths, tables)
    distributions = case.distributions(shape)
    heads = best_trees(lengths, arcs, scores, shape).tolist()
    trees = [tuple(heads[:5]), tuple(heads[5:6]), tuple(heads[6:])]
    probabilities, _ = arc_marginals(lengths, arcs, scores, shape)
    for i, (tree, distribution) in enumerate(zip(trees, distributions, strict=True)):
        assert distribution.scores[tree] == pytest.approx(distribution.best_score)
        at = slice(arcs.offsets[i], arcs.offsets[i + 1])
        expected = [distribution.marginal(arc) for arc in tables[i]]
        assert probabilities[at].tolist() == pytest.approx(expected, abs=1e-9)


class FixedScorer:
    """Stands in for templates: the scores are given."""

    def __init__(self, scores):
        self._scores = scores

    families = ("arc",)

    def score(self, batch, parts):
        return {"arc": self._scores}


class FixedLengths:
    def __init__(self, lengths):
        self.lengths = lengths


def candidates(case, options, single_root, keep=None, shape=None, local=False):
    pruner = Pruner(FixedScorer(case.scores), options, TreeShape(single_root), local)
    arcs = pruner.candidates(FixedLengths(case.lengths), keep, shape)
    return [
        {tuple(arc) for arc in arcs.rows[a:b].tolist()}
        for a, b in zip(arcs.offsets, arcs.offsets[1:], strict=False)
    ]


pruning = st.builds(PruningOptions, st.sampled_from([0.0, 1e-4, 0.2, 0.9]), st.integers(1, 4))
# Whole numbers make heads that are equally likely.
tied = st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(-8, 8))


@pytest.mark.parametrize("local", [False, True])
@examples(80)
@given(arc_cases(scores=tied, complete=True, most=2), pruning, st.booleans())
def test_pruning_keeps_the_likeliest_heads_and_a_best_tree(local, case, options, single_root):
    kept = candidates(case, options, single_root, local=local)
    distributions = case.distributions(TreeShape(single_root))
    for arcs, distribution, table in zip(kept, distributions, case.tables, strict=True):
        words = max(m for _, m in arcs)
        remaining = [tree for tree in distribution.scores if arcs.issuperset(arcs_of(tree))]
        best = max(distribution.scores[tree] for tree in remaining)
        assert best == pytest.approx(distribution.best_score, abs=1e-9)
        beside = 0  # arcs that only the best tree can have kept
        for modifier in range(1, words + 1):
            heads = [h for h in range(words + 1) if h != modifier]
            likely = {h: distribution.marginal((h, modifier)) for h in heads}
            if local:
                likely = {h: math.exp(table[h, modifier]) for h in heads}
                total = sum(likely.values())
                likely = {h: share / total for h, share in likely.items()}
            ranked = sorted(likely.values(), reverse=True)
            least = options.threshold * ranked[0]
            if len(ranked) >= options.max_heads:
                least = max(least, ranked[options.max_heads - 1])
            found = {h for h, m in arcs if m == modifier}
            assert found >= {h for h, p in likely.items() if p > least + 1e-9}
            unlikely = {h for h in found if likely[h] < least - 1e-9}
            assert len(unlikely) <= 1
            assert len(found) <= options.max_heads + 1
            beside += len(unlikely) or len(found) > options.max_heads
        assert beside <= words


@examples(40)
@given(arc_cases(complete=True, most=2), pruning, st.booleans(), st.data())
def test_pruning_keeps_what_it_is_told_to(case, options, single_root, data):
    trees = [data.draw(st.sampled_from(all_trees(n))) for n in case.lengths.tolist()]
    keep = ints([head for tree in trees for head in tree])
    with_keep = candidates(case, options, single_root, keep)
    without = candidates(case, options, single_root)
    for tree, arcs, fewer in zip(trees, with_keep, without, strict=True):
        assert arcs == fewer | set(arcs_of(tree))


@examples(60)
@given(arc_cases(complete=True, most=2), pruning, st.booleans(), shapes)
def test_pruning_leaves_the_best_tree_of_the_kind_that_will_be_asked_for(
    case, options, single_root, shape
):
    kept = candidates(case, options, single_root, shape=shape)
    for arcs, distribution in zip(kept, case.distributions(shape), strict=True):
        remaining = [s for tree, s in distribution.scores.items() if arcs.issuperset(arcs_of(tree))]
        assert max(remaining) == pytest.approx(distribution.best_score, abs=1e-9)


def test_heads_that_tie_do_not_push_out_a_likelier_one():
    # Word 3 of 4: root 0.54, word 4 0.27, words 1 and 2 0.098 each; three heads are to stay.
    numbers = [0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1]
    arcs = [(h, m) for h in range(5) for m in range(1, 5) if h != m]
    case = ArcCase([4], [dict(zip(arcs, map(float, numbers), strict=True))])
    (kept,) = candidates(case, PruningOptions(0.0, 3), single_root=False)
    heads = {h for h, m in kept if m == 3}
    assert {0, 4} <= heads
    assert len(heads) == 3


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"threshold": -0.1}, "threshold"),
        ({"threshold": 1.0}, "threshold"),
        ({"threshold": math.nan}, "threshold"),
        ({"max_heads": 0}, "heads"),
    ],
)
def test_pruning_options_that_make_no_sense_are_refused(options, culprit):
    with pytest.raises(InputError, match=culprit):
        PruningOptions(**options)


def small_task():
    sentences = [
        Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0]),
        Sentence.from_words(list("abc"), upos=["DET", "NOUN", "VERB"], heads=[2, 3, 0]),
    ]
    encoder = Encoder.fit(sentences, ["upos"], [])
    model = SparseScorer({"arc": ["h.upos m.upos dir", "h.upos", "dist"]}, FAMILIES, encoder)
    encoded = [encoder.encode([sentence]) for sentence in sentences]
    heads = [ints(sentence.heads) for sentence in sentences]
    task = PartTask(model, encoded, heads, TreeShape(projective=True))
    return sentences, task, model, encoded


def test_a_problem_of_the_task_marks_the_gold_arcs_and_costs_the_others():
    sentences, task, _, encoded = small_task()
    assert len(task) == 2
    for i, sentence in enumerate(sentences):
        problem = task.problem(i)
        rows = all_arcs(encoded[i].lengths).rows.tolist()
        gold = [float(sentence.heads[m - 1] == h) for h, m in rows]
        assert problem.gold.tolist() == gold
        assert problem.cost.tolist() == [1.0 - on for on in gold]
        assert problem.scores(Weights()).tolist() == [0.0] * len(rows)


@pytest.mark.parametrize("loss", ["crf", "softmax-margin", "svm", "perceptron"])
def test_an_arc_model_learns_its_training_trees(loss):
    sentences, task, scorer, _ = small_task()
    weights, _ = learn(task, LearnerOptions(Loss.named(loss), epochs=30, largest_step=0.5))
    model = scorer.with_weights(weights.freeze())
    for sentence in sentences:
        batch = Batch([sentence])
        arcs = all_arcs(batch.lengths)
        scores = model.score(batch, {"arc": arcs})["arc"]
        heads = best_trees(batch.lengths, arcs, scores, TreeShape())
        assert tuple(heads.tolist()) == sentence.heads


ARCS = [[0, 1], [0, 2], [1, 2], [2, 1]]


@pytest.mark.parametrize(
    "changes",
    [
        {"lengths": [1]},
        {"lengths": [-1]},
        {"lengths": [2, 2]},
        {"lengths": []},
        {"arcs": [[0, 1], [0, 2], [1, 2], [3, 1]]},
        {"arcs": [[0, 1], [0, 2], [1, 2], [-1, 1]]},
        {"arcs": [[0, 1], [0, 2], [1, 2], [1, 0]]},
        {"arcs": [[0, 1], [0, 2], [1, 2], [1, 1]]},
        {"arcs": [[0, 1, 0]] * 4},
        {"offsets": []},
        {"offsets": [0]},
        {"offsets": [0, 3]},
        {"offsets": [1, 4]},
        {"scores": [0.0] * 3},
        {"scores": [0.0, math.nan, 0.0, 0.0]},
        {"scores": [0.0, math.inf, 0.0, 0.0]},
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(changes):
    given = {"lengths": [2], "arcs": ARCS, "offsets": [0, 4], "scores": [0.0] * 4, **changes}
    lengths, arcs, offsets = (ints(given[name]) for name in ("lengths", "arcs", "offsets"))
    scores = np.array(given["scores"])
    for function in (_core.best_trees, _core.arc_marginals):
        with pytest.raises(ValueError, match=r".+"):
            function(lengths, arcs, offsets, scores, True, False)
    with pytest.raises(ValueError, match=r".+"):
        _core.prune(lengths, arcs, offsets, scores, True, False, 0.1, 2, None)


@pytest.mark.parametrize("function", ["best_trees", "arc_marginals", "prune"])
def test_a_sentence_without_a_tree_is_infeasible_and_nothing_else(function):
    # Word 2 of the second sentence has no head.
    arguments = ints([1, 2]), ints([[0, 1], [0, 1], [2, 1]]), ints([0, 1, 3]), np.zeros(3)
    more = (0.1, 2, None) if function == "prune" else ()
    with pytest.raises(InfeasibleError, match="sentence 1 has no tree") as caught:
        getattr(_core, function)(*arguments, True, False, *more)
    assert not isinstance(caught.value, LookupError | ValueError)


def test_lengths_and_heads_to_keep_are_checked():
    with pytest.raises(ValueError, match="lengths"):
        all_arcs(ints([3, -1]))
    arguments = (ints([2]), ints(ARCS), ints([0, 4]), np.zeros(4), True, False, 0.1)
    with pytest.raises(ValueError, match="keep"):
        _core.prune(*arguments, 2, ints([0]))
    with pytest.raises(ValueError, match="max_heads"):
        _core.prune(*arguments, 0, None)


@given(st.integers(1, 4).flatmap(lambda n: st.sampled_from(all_trees(n))))
def test_the_oracle_lists_trees_only(heads):
    assert is_tree(heads)
    # The number of trees over n words and a root, by Cayley's formula.
    assert len(all_trees(len(heads))) == (len(heads) + 1) ** (len(heads) - 1)
    projective = all_trees(len(heads), projective=True)
    assert all(map(is_projective, projective))
