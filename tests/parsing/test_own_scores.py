"""``tt.decode`` against enumeration of trees, with every part scored as the page says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_scores import score_of
from oracles.trees import all_trees

import turbotree as tt
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Status


@st.composite
def problems(draw):
    words = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    side = words + 1
    arcs = rng.normal(size=(side, side)) * 2
    siblings = rng.normal(size=(side, side, side)) if draw(st.booleans()) else None
    grandparents = rng.normal(size=(side, side, side)) if draw(st.booleans()) else None
    shape = {"single_root": draw(st.booleans()), "projective": draw(st.booleans())}
    return arcs, siblings, grandparents, shape


@settings(max_examples=60, deadline=None)
@given(problem=problems(), data=st.data())
def test_the_tree_is_the_best_of_all(problem, data):
    arcs, siblings, grandparents, shape = problem
    words = len(arcs) - 1
    every = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    require = data.draw(st.lists(st.sampled_from(every), max_size=1))
    forbid = data.draw(st.lists(st.sampled_from(every), max_size=1))
    trees = [
        tree
        for tree in all_trees(words, **shape)
        if all(tree[m - 1] == h for h, m in require)
        and not any(tree[m - 1] == h for h, m in forbid)
    ]
    options = {"sibling_scores": siblings, "grandparent_scores": grandparents, **shape}
    if not trees:
        with pytest.raises(InfeasibleError):
            tt.decode(arcs, require=require, forbid=forbid, **options)
        return
    found = tt.decode(arcs, require=require, forbid=forbid, decoder="exact", **options)
    best = max(score_of(tree, arcs, siblings, grandparents) for tree in trees)
    assert found.score == pytest.approx(best, abs=1e-5)
    assert score_of(found.heads.tolist(), arcs, siblings, grandparents) == pytest.approx(best)
    assert found.certificate.status is Status.OPTIMAL
    assert found.labels is None


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), second_order=st.booleans())
def test_labels_are_chosen_together_with_the_tree(seed, second_order):
    rng = np.random.default_rng(seed)
    arcs, labels = rng.normal(size=(4, 4)), rng.normal(size=(4, 4, 3))
    siblings = rng.normal(size=(4, 4, 4)) if second_order else None
    options = {"sibling_scores": siblings, "label_scores": labels, "single_root": False}
    found = tt.decode(arcs, **options)
    best = max(score_of(t, arcs + labels.max(-1), siblings, None) for t in all_trees(3))
    assert found.score == pytest.approx(best, abs=1e-5)
    chosen = labels[found.heads, [1, 2, 3]]
    assert found.labels.tolist() == chosen.argmax(-1).tolist()
    head, label = int(found.heads[0]), int(found.labels[0])
    other = tt.decode(arcs, forbid=[(head, 1, label)], **options)
    assert (other.heads[0], other.labels[0]) != (head, label)
    asked = tt.decode(arcs, require=[(0, 1, 2)], **options)
    assert (asked.heads[0], asked.labels[0]) == (0, 2)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("second_order", [False, True])
def test_a_padded_batch_gives_what_its_sentences_give_alone(threads, second_order):
    rng = np.random.default_rng(4)
    lengths = np.array([3, 1, 5, 4])
    arcs, labels = rng.normal(size=(4, 6, 6)), rng.normal(size=(4, 6, 6, 2))
    cube = rng.normal(size=(4, 6, 6, 6)) if second_order else None
    batch = tt.decode(
        arcs, grandparent_scores=cube, label_scores=labels, lengths=lengths, threads=threads
    )
    assert batch.heads.shape == batch.labels.shape == (4, 5)
    for i, length in enumerate(lengths):
        inside = slice(0, length + 1)
        alone = tt.decode(
            arcs[i, inside, inside],
            grandparent_scores=None if cube is None else cube[i, inside, inside, inside],
            label_scores=labels[i, inside, inside],
        )
        assert batch.heads[i, :length].tolist() == alone.heads.tolist()
        assert batch.labels[i, :length].tolist() == alone.labels.tolist()
        assert batch.score[i] == pytest.approx(alone.score)
        assert batch.certificate[i].status is alone.certificate.status
        assert (batch.heads[i, length:] == -1).all()
        assert (batch.labels[i, length:] == -1).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"arc_scores": np.zeros(3)}, "arc_scores: expected shape"),
        ({"arc_scores": np.full((3, 3), np.nan)}, "got NaN"),
        ({"arc_scores": [["a"]]}, "expected real numbers"),
        ({"sibling_scores": np.zeros((3, 3))}, "sibling_scores: expected shape"),
        ({"grandparent_scores": np.full((3, 3, 3), np.inf)}, "grandparent_scores: expected finite"),
        ({"label_scores": np.zeros((3, 3))}, "label_scores: expected shape"),
        ({"label_scores": np.zeros((3, 3, 2)), "require": [(0, 1, 5)]}, "label 5 of arc (0, 1)"),
        ({"decoder": "magic"}, "unknown decoder"),
        ({"require": [(0, 9)]}, "arc (0, 9) does not exist"),
    ],
)
def test_what_is_no_score_is_refused(options, said):
    with pytest.raises(InputError) as caught:
        tt.decode(**{"arc_scores": np.zeros((3, 3)), **options})
    assert said in str(caught.value)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("name", ["require", "forbid"])
@pytest.mark.parametrize(
    ("arcs", "said"),
    [
        ([(99, 1, 0)], "arc (99, 1) does not exist: the head is one of 0 to 2"),
        ([(0, 99, 0)], "arc (0, 99) does not exist"),
        ([(-1, 1, 0)], "arc (-1, 1) does not exist"),
        ([(1, 0, 0)], "arc (1, 0) does not exist"),
        ([(2, 2, 0)], "arc (2, 2) does not exist"),
        ([(0, 1, -1)], "label -1 of arc (0, 1) does not exist: expected 0 to 1"),
        ([(0, 1, "x")], "expected whole numbers (head, modifier, label), got (0, 1, 'x')"),
        ([(0, 1.5, 0)], "expected whole numbers (head, modifier, label), got (0, 1.5, 0)"),
        ([(0, 1, 0, 0)], "expected (head, modifier) pairs"),
        ([7], "expected (head, modifier) or (head, modifier, label), got [7]"),
        (7, "expected"),
    ],
)
def test_constraints_on_labels_that_make_no_sense_are_refused_in_one_line(batch, name, arcs, said):
    # The second sentence of the batch has a row and a column more than it has words.
    side = 4 if batch else 3
    shape = (2, side, side) if batch else (side, side)
    options = {name: [None, arcs] if batch else arcs}
    if batch:
        options["lengths"] = np.array([3, 2])
    with pytest.raises(InputError) as caught:
        tt.decode(np.zeros(shape), label_scores=np.zeros((*shape, 2)), **options)
    assert said in str(caught.value)
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lists", [[[]], [[], [], [(0, 1, 0)]], 7])
def test_a_batch_has_one_list_of_labelled_constraints_for_each_sentence(lists):
    with pytest.raises(InputError, match="require: expected a list of arcs for each"):
        tt.decode(np.zeros((2, 3, 3)), label_scores=np.zeros((2, 3, 3, 2)), require=lists)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"require": [(0, 1, 0), (0, 1, 1)]}, "arc (0, 1) is to have label 0 and label 1"),
        ({"require": [(0, 1, 0)], "forbid": [(0, 1, 0)]}, "label 0 of arc (0, 1) is forbidden"),
        ({"require": [(2, 1, 1)]}, "label 1 of arc (2, 1) is forbidden or has score -inf"),
    ],
)
def test_constraints_on_labels_that_clash_are_named(options, said):
    labels = np.zeros((3, 3, 2))
    labels[2, 1, 1] = -np.inf
    with pytest.raises(InfeasibleError) as caught:
        tt.decode(np.zeros((3, 3)), label_scores=labels, **options)
    assert said in str(caught.value)


def test_rows_of_an_array_are_constraints_on_labels_too():
    found = tt.decode(
        np.zeros((3, 3)), label_scores=np.zeros((3, 3, 2)), require=np.array([[0, 2, 1], [2, 1, 1]])
    )
    assert (found.heads.tolist(), found.labels.tolist()) == ([2, 0], [1, 1])


ROOT_IN_FRONT = "forall m: arc(root, m) -> m < 3"


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.booleans(), st.integers(0, 2**32))
def test_trees_obey_rules(words, higher, seed):
    rng = np.random.default_rng(seed)
    arcs = rng.normal(size=(words + 1, words + 1))
    cubes = rng.normal(size=(2, words + 1, words + 1, words + 1)) if higher else (None, None)
    options = {"sibling_scores": cubes[0], "grandparent_scores": cubes[1], "decoder": "exact"}
    found = tt.decode(arcs, rules=ROOT_IN_FRONT, **options)
    assert found.heads.tolist().index(0) < 2
    # The same as forbidding what the rule forbids.
    forbidden = [(0, m) for m in range(3, words + 1)]
    other = tt.decode(arcs, forbid=forbidden, **options)
    assert found.score == pytest.approx(other.score, abs=1e-6)


def test_rules_see_the_words_of_each_sentence():
    rng = np.random.default_rng(1)
    sentences = [
        tt.Sentence.from_words(["a", "b", "c"], upos=tags)
        for tags in (["VERB", "X", "X"], ["X", "VERB", "X"], ["X", "X", "VERB"])
    ]
    rules = "forall m: arc(root, m) -> upos(m) = 'VERB'"
    found = tt.decode(rng.normal(size=(3, 4, 4)), rules=rules, sentences=sentences)
    assert [heads.index(0) for heads in found.heads.tolist()] == [0, 1, 2]
    assert [c.status for c in found.certificate] == [Status.OPTIMAL] * 3


@pytest.mark.parametrize(
    ("rules", "sentences", "reason"),
    [
        ("forall h, m: label(h, m, 'x') -> h < m", None, "speaks of labels"),
        (ROOT_IN_FRONT, tt.Sentence.from_words(["a"]), "has 1 words, but scores of 2"),
        (ROOT_IN_FRONT, [], "0 sentences for the scores of 1"),
        ("forall m: not arc(root, m)", None, "no tree"),
    ],
)
def test_rules_that_cannot_be_obeyed_are_refused(rules, sentences, reason):
    with pytest.raises((InputError, InfeasibleError), match=reason):
        tt.decode(np.zeros((3, 3)), rules=rules, sentences=sentences)


@pytest.mark.parametrize(
    "parts", [(), ("sibling_scores",), ("sibling_scores", "grandparent_scores")]
)
def test_what_pads_a_batch_may_be_anything(parts):
    chance = np.random.default_rng(3)
    lengths = np.array([5, 2, 0, 4])
    given = {"label_scores": chance.normal(size=(4, 6, 6, 3))}
    given |= {name: chance.normal(size=(4, 6, 6, 6)) for name in parts}
    arcs = chance.normal(size=(4, 6, 6))
    expected = tt.decode(arcs, lengths=lengths, **given)

    def padded(array, with_what):
        array = array.copy()
        axes = array.ndim - 1 - (array.shape[-1] == 3)
        for item, length in enumerate(lengths):
            for axis in range(axes):
                np.moveaxis(array[item], axis, 0)[length + 1 :] = with_what
        return array

    for odd in (np.nan, np.inf, -np.inf):
        batch = {name: padded(array, odd) for name, array in given.items()}
        found = tt.decode(padded(arcs, odd), lengths=lengths, **batch)
        np.testing.assert_array_equal(found.heads, expected.heads)
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_array_equal(found.score, expected.score)
    for name in ("arc_scores", *given):
        inside = {"arc_scores": arcs.copy(), **given}
        inside[name] = inside[name].copy()
        inside[name][1, 1, 2] = np.nan  # the last word of a sentence of two
        with pytest.raises(InputError, match=f"^{name}: .*got NaN"):
            tt.decode(lengths=lengths, **inside)
