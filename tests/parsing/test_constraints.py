"""Required and forbidden arcs and labels, and spans, against enumeration of all trees."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.trees import all_trees, arcs_of, is_projective, is_tree

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Status
from turbotree.parsing import Parser, TreeShape
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.parts import ScoredSentence
from turbotree.text import Sentence, treebank

BIRDS = Sentence.from_words(["All", "small", "birds", "sing"], comments=["sent_id = b1"])
SHAPES = [TreeShape(single, projective) for single in (True, False) for projective in (True, False)]


@pytest.fixture(scope="module", params=["arc", "standard"])
def some_parser(request):
    return Parser.train(
        treebank(60, seed=1),
        epochs=1,
        pruner_epochs=1,
        model=request.param,
        pruning_threshold=0.3,  # so that constraints meet pruned arcs
        max_heads=2,
    )


def trees_that_obey(words, shape, require, forbid, spans=()):
    """List the trees that obey constraints, by their definition."""
    return [
        heads
        for heads in all_trees(words, single_root=shape.single_root, projective=shape.projective)
        if all(heads[m - 1] == h for h, m in require)
        and not any(heads[m - 1] == h for h, m in forbid)
        and all(
            sum(not first <= heads[m - 1] <= last for m in range(first, last + 1)) == 1
            for first, last in spans
        )
    ]


def arcs_of_words(words):
    return [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_answer_obeys_or_there_is_none(some_parser, short, data):
    sentence = data.draw(st.sampled_from(short))
    arcs = st.lists(st.sampled_from(arcs_of_words(len(sentence))), max_size=3, unique=True)
    require, forbid = data.draw(arcs), data.draw(arcs)
    shape = data.draw(st.sampled_from(SHAPES))
    pairs = [(a, b) for a in range(1, len(sentence) + 1) for b in range(a, len(sentence) + 1)]
    spans = data.draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True))
    options = {"single_root": shape.single_root, "projective": shape.projective}
    trees = trees_that_obey(len(sentence), shape, require, forbid, spans)
    constraints = {"require": require, "forbid": forbid, "spans": spans}
    if not trees:
        with pytest.raises(InfeasibleError):
            some_parser.parse(sentence, **constraints, **options)
        return
    parse = some_parser.parse(sentence, **constraints, **options)
    assert parse.heads in trees


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_without_pruning_the_answer_is_the_best_tree_that_obeys(wide_parser, short, data):
    sentence = data.draw(st.sampled_from(short))
    words = len(sentence)
    arcs = st.lists(st.sampled_from(arcs_of_words(words)), max_size=2, unique=True)
    require, forbid = data.draw(arcs), data.draw(arcs)
    spans = [(1, (words + 1) // 2)] if data.draw(st.booleans()) else []
    trees = trees_that_obey(words, TreeShape(), require, forbid, spans)
    if not trees:
        return
    parse = wide_parser.parse(
        sentence, require=require, forbid=forbid, spans=spans, single_root=True, decoder="exact"
    )
    assert parse.certificate.status is Status.OPTIMAL
    parts, scores = parse._batch.scored.parts, parse._batch.scored.scores
    rows = set(map(tuple, parts.arcs.rows.tolist()))
    assert all(set(arcs_of(tree)) <= rows for tree in trees)
    best = max(
        ScoredSentence(parts, 0, scores).score(np.array(tree, dtype=np.int32)) for tree in trees
    )
    assert parse.score == pytest.approx(best)


@pytest.fixture(scope="module")
def wide_parser():
    return Parser.train(
        treebank(60, seed=1),
        epochs=1,
        pruner_epochs=1,
        model="standard",
        pruning_threshold=0.0,
        max_heads=1000,
    )


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        ({"require": [(4, 3), (2, 3)]}, "3 'birds' is required to have two heads: 4 'sing'"),
        ({"require": [(0, 3), (0, 4)]}, "3 'birds' and 4 'sing' are both required to be the root"),
        ({"require": [(2, 3), (3, 2)]}, "form a cycle"),
        ({"require": [(2, 1)], "forbid": [(2, 1)]}, "1 'All' under 2 'small' is both required and"),
        ({"require": [(3, 1), (4, 2)], "projective": True}, "required arcs cross"),
        ({"forbid": [(h, 3) for h in (0, 1, 2, 4)]}, "word 3 has no possible head"),
        ({"require": [(4, 1), (4, 2)], "spans": [(1, 2)]}, "words 1 to 2 are required to be one"),
        ({"spans": [(1, 2)], "forbid": [(1, 2), (2, 1)]}, "words 1 to 2 as subtrees"),
        ({"require": [(3, 1, "det"), (3, 1, "amod")]}, "two labels: det and amod"),
        ({"require": [(3, 1, "det")], "forbid": [(3, 1, "det")]}, "label det of 1 'All'"),
    ],
)
def test_clashes_name_themselves(parser, constraints, said):
    with pytest.raises(InfeasibleError) as caught:
        parser.parse(BIRDS, single_root=True, **constraints)
    message = str(caught.value)
    assert said in message
    assert message.startswith("<text>:1 (b1): ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        ({"require": [(5, 1)]}, "arc (5, 1) does not exist"),
        ({"forbid": [(1, 1)]}, "arc (1, 1) does not exist"),
        ({"require": [(1,)]}, "expected (head, modifier)"),
        ({"require": [(None, 1)]}, "expected (head, modifier)"),
        ({"require": [3]}, "expected (head, modifier)"),
        ({"require": [(0, 1, 7)]}, "expected a label that is a string"),
        ({"require": [(0, 1, "nonsense")]}, "the model has no label 'nonsense'"),
        ({"spans": [(2, 1)]}, "(2, 1) is no span"),
        ({"spans": [(2, 9)]}, "(2, 9) is no span"),
        ({"spans": [(1, 2)], "decoder": "mbr"}, "'mbr' cannot keep spans together"),
    ],
)
def test_what_is_no_constraint_is_refused(parser, constraints, said):
    with pytest.raises(InputError) as caught:
        parser.parse(BIRDS, **constraints)
    assert said in str(caught.value)


def test_constraints_are_as_many_as_sentences(parser):
    sentences = list(treebank(2, seed=2))
    none = [Constraints.of(sentence, (), (), ()) for sentence in sentences]
    with pytest.raises(InputError, match="2 constraints for 1 sentences"):
        parser.parse_batch(sentences[:1], constraints=none)
    with pytest.raises(InputError, match="2 constraints for 1 sentences"):
        parser.k_best_batch(sentences[:1], 2, constraints=none)


def test_required_labels_are_there_and_forbidden_ones_are_not(some_parser, held_out):
    names = some_parser.labels.dictionary.names
    for sentence in held_out[:8]:
        free = some_parser.parse(sentence)
        # The root has a label of its own, see test_root_label.py.
        word = next(m for m in range(len(sentence) // 2 + 1, 0, -1) if free.heads[m - 1])
        head, label = free.heads[word - 1], free.labels[word - 1]
        without = some_parser.parse(sentence, forbid=[(head, word, label)])
        assert without.heads == free.heads
        assert without.labels[word - 1] != label
        elsewhere = some_parser.parse(sentence, forbid=[(head % len(names) + 1, word, label)])
        assert elsewhere.labels == free.labels or head % len(names) + 1 == head
        for other in (name for name in names if name != "root"):
            asked = some_parser.parse(sentence, require=[(head, word, other)])
            assert (asked.heads[word - 1], asked.labels[word - 1]) == (head, other)
            assert asked.label_probabilities[word - 1] == pytest.approx(1.0)
        open_head = some_parser.parse(sentence, require=[(None, word, names[0])])
        assert open_head.labels[word - 1] == names[0] != "root"
        assert open_head.heads[word - 1] > 0
        elsewhere = some_parser.parse(
            sentence, require=[(None, word, names[0])], forbid=[(head, word, names[0])]
        )
        assert elsewhere.heads[word - 1] != head
        assert elsewhere.labels[word - 1] == names[0]


def test_a_word_with_all_labels_forbidden_is_named(parser):
    every = [(None, 2, label) for label in parser.labels.dictionary.names]
    with pytest.raises(InfeasibleError, match="all labels of 2 'small' are forbidden"):
        parser.parse(BIRDS, forbid=every)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_given_heads_and_labels_are_kept(some_parser, held_out, share):
    rng = np.random.default_rng(7)
    partial = []
    for sentence in held_out:
        hidden = rng.random(len(sentence)) >= share
        heads = [None if h else head for h, head in zip(hidden, sentence.heads, strict=True)]
        labels = ["_" if h else label for h, label in zip(hidden, sentence.labels, strict=True)]
        partial.append(sentence.replace(head=heads, deprel=labels))
    for before, parse in zip(partial, some_parser.pipe(partial, keep_given=True), strict=True):
        assert is_tree(parse.heads)
        for word, (head, label) in enumerate(zip(before.heads, before.labels, strict=True)):
            assert head in (None, parse.heads[word])
            assert label in ("_", parse.labels[word])
    if share == 0.0:
        plain = [parse.heads for parse in some_parser.pipe(held_out)]
        assert [p.heads for p in some_parser.pipe(partial, keep_given=True)] == plain


def test_given_labels_that_the_model_does_not_know_are_kept(parser):
    sentence = BIRDS.replace(head=[None, None, 4, 0], deprel=["_", "odd", "nsubj", "root"])
    parse = parser.parse(sentence, keep_given=True)
    assert parse.labels[1] == "odd"
    assert parse.label_probabilities[1] == 1.0


@pytest.mark.parametrize("head", [9, 2])
def test_given_heads_that_are_no_heads_are_refused(parser, head):
    sentence = BIRDS.replace(head=[None, head, None, None])
    with pytest.raises(InputError, match="<text>:3: word 2 is"):
        parser.parse(sentence, keep_given=True)


def test_sentences_without_a_tree_are_skipped_in_a_stream_if_somebody_is_told(parser):
    cycle = BIRDS.replace(head=[2, 1, None, None])
    outside = BIRDS.replace(head=[None, 9, None, None])
    free = BIRDS.replace(head=[None] * 4)
    stream = [free, cycle, free, outside, free]
    told = []
    found = list(parser.pipe(stream, keep_given=True, on_failure=told.append))
    assert [p.heads for p in found] == [parser.parse(BIRDS).heads] * 3
    assert ["cycle" in str(error) for error in told] == [True, False]
    best = list(parser.k_best_pipe(stream, 2, keep_given=True, on_failure=told.append))
    assert [p.rank for p in best] == [1, 2] * 3
    with pytest.raises(InfeasibleError, match="cycle"):
        list(parser.pipe(stream[:3], keep_given=True))
    with pytest.raises(InputError, match="unknown decoder"):
        parser.pipe(stream, decoder="none", on_failure=told.append)
    assert len(told) == 4


def test_constraints_shape_the_probabilities(parser):
    parse = parser.parse(BIRDS, require=[(3, 1)], forbid=[(0, 4)])
    assert parse.arc_probabilities[3, 1] == pytest.approx(1.0)
    assert parse.arc_probabilities[0, 4] == 0.0
    apart = parser.parse(BIRDS, spans=[(1, 3)]).arc_probabilities
    assert apart[[0, 4], 1:4].sum() == pytest.approx(1.0, abs=0.02)


def test_projective_trees_obey_too(parser, held_out):
    for sentence in held_out[:5]:
        parse = parser.parse(sentence, require=[(0, 1)], projective=True, single_root=True)
        assert is_projective(parse.heads)
        assert parse.heads[0] == 0


def test_every_pair_of_given_heads_that_makes_a_tree_is_feasible(parser):
    words = len(BIRDS)
    for pair in combinations(arcs_of_words(words), 2):
        trees = trees_that_obey(words, TreeShape(), pair, ())
        constraints = Constraints.of(BIRDS, pair) if pair[0][1] != pair[1][1] else None
        if constraints is None:
            continue
        try:
            constraints.check(BIRDS, TreeShape())
            assert trees
        except InfeasibleError:
            assert not trees
