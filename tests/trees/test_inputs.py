from __future__ import annotations

import threading

import numpy as np
import pytest
from tree_oracles import KINDS

from turbotree import trees
from turbotree.errors import InputError
from turbotree.trees import (
    k_best,
    log_partition,
    marginals,
    maximum_spanning_tree,
    sample,
    tree_marginals,
    tree_score,
)

ALL = [
    maximum_spanning_tree,
    log_partition,
    marginals,
    sample,
    lambda scores, **options: k_best(scores, 2, **options),
]


class OnlyArray:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.array


class OnlyDLPack:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> object:
        return self.array.__dlpack_device__()


class Broken:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise RuntimeError("tensor lives on another device")


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinite_scores_are_refused_and_located(function, bad):
    scores = np.zeros((4, 4))
    scores[2, 3] = bad
    with pytest.raises(InputError, match=r"score of arc \(2, 3\) is"):
        function(scores)
    with pytest.raises(InputError, match=r"matrix 1: score of arc \(2, 3\) is"):
        function(np.stack([np.zeros((4, 4)), scores]))


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("shape", [(), (3,), (3, 4), (2, 3, 4), (2, 2, 3, 3), (0, 0)])
def test_wrong_shapes_are_refused_with_the_expected_and_the_given(function, shape):
    with pytest.raises(InputError, match=r"expected shape \(n \+ 1, n \+ 1\).*got \("):
        function(np.zeros(shape))


@pytest.mark.parametrize(
    "wrong", ["scores", None, [[1, 2], [3]], [["a", "b"], ["c", "d"]], np.eye(2) * 1j, Broken()]
)
def test_what_is_no_array_of_numbers_is_refused(wrong):
    with pytest.raises(InputError, match="scores"):
        maximum_spanning_tree(wrong, single_root=False)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint16, np.int64, ">f8"])
def test_other_kinds_of_numbers_give_the_same_tree(dtype):
    scores = np.random.default_rng(0).integers(0, 50, size=(7, 7))
    expected = maximum_spanning_tree(scores.astype(np.float64), single_root=False)
    np.testing.assert_array_equal(
        maximum_spanning_tree(scores.astype(dtype), single_root=False), expected
    )


def test_any_source_of_arrays_and_any_layout_gives_the_same_marginals():
    scores = np.random.default_rng(0).normal(size=(7, 7))
    expected = marginals(scores, single_root=False)
    read_only = scores.copy()
    read_only.flags.writeable = False
    padded = np.zeros((14, 14))
    padded[::2, ::2] = scores
    sources = [
        scores.tolist(),
        OnlyArray(scores),
        OnlyDLPack(scores),
        np.asfortranarray(scores),
        read_only,
        padded[::2, ::2],
    ]
    for source in sources:
        np.testing.assert_array_equal(marginals(source, single_root=False), expected)


@pytest.mark.parametrize(("single_root", "projective"), KINDS)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_padded_batch_gives_what_its_matrices_give_alone(single_root, projective, threads):
    options = {"single_root": single_root, "projective": projective}
    random = np.random.default_rng(9)
    lengths = np.array([3, 0, 7, 1, 7, 5, 2])
    batch = np.full((7, 8, 8), np.nan)  # the padding is never looked at
    for item, length in enumerate(lengths):
        side = length + 1
        batch[item, :side, :side] = random.normal(size=(side, side)) * 10.0 ** (item % 4)
    together = {"lengths": lengths, "threads": threads, **options}
    heads = maximum_spanning_tree(batch, **together)
    sums = tree_marginals(batch, **together)
    logs = log_partition(batch, **together)
    best = k_best(batch, 4, **together)
    drawn = sample(batch, 6, seed=3, **together)
    values = tree_score(batch, heads, lengths=lengths)
    np.testing.assert_array_equal(drawn, sample(batch, 6, seed=3, lengths=lengths, **options))
    for item, length in enumerate(lengths):
        alone = np.ascontiguousarray(batch[item, : length + 1, : length + 1])
        expected_heads = maximum_spanning_tree(alone, **options)
        assert heads[item].tolist() == expected_heads.tolist() + [-1] * (7 - length)
        assert (drawn[item][:, length:] == -1).all()
        assert (drawn[item][:, :length] >= 0).all()
        expected = tree_marginals(alone, **options)
        padded = np.zeros((8, 8))
        padded[: length + 1, : length + 1] = expected.probabilities
        np.testing.assert_array_equal(sums.probabilities[item], padded)
        assert sums.log_partition[item] == expected.log_partition
        assert sums.entropy[item] == expected.entropy
        assert logs[item] == log_partition(alone, **options)
        assert values[item] == pytest.approx(tree_score(alone, expected_heads))
        for tree, other in zip(best[item], k_best(alone, 4, **options), strict=True):
            assert tree.heads.tolist() == other.heads.tolist()
            assert tree.score == other.score


def test_an_empty_batch_gives_empty_arrays():
    empty = np.zeros((0, 5, 5))
    assert maximum_spanning_tree(empty, single_root=False).shape == (0, 4)
    assert marginals(empty, single_root=False).shape == (0, 5, 5)
    assert log_partition(empty, threads=2, single_root=False).shape == (0,)
    assert sample(empty, 3, single_root=False).shape == (0, 3, 4)
    assert k_best(empty, 3, single_root=False) == []


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([1, 2, 3], r"expected shape \(2,\), got \(3,\)"),
        ([1, 5], r"lengths\[1\]: expected 0 to 4 words, got 5"),
        ([-1, 2], r"lengths\[0\]: expected 0 to 4 words, got -1"),
        ([1.0, 2.0], "expected whole numbers"),
    ],
)
def test_wrong_lengths_are_refused(lengths, message):
    with pytest.raises(InputError, match=message):
        maximum_spanning_tree(np.zeros((2, 5, 5)), lengths=lengths, single_root=False)


def test_lengths_belong_to_batches_and_threads_are_counted_from_one():
    with pytest.raises(InputError, match="only a batch"):
        maximum_spanning_tree(np.zeros((5, 5)), lengths=[4], single_root=False)
    with pytest.raises(InputError, match="threads: expected at least 1, got 0"):
        maximum_spanning_tree(np.zeros((5, 5)), threads=0, single_root=False)


def test_tree_score_refuses_heads_that_do_not_fit():
    scores = np.zeros((4, 4))
    with pytest.raises(InputError, match=r"heads: expected shape \(3,\), got \(2,\)"):
        tree_score(scores, [0, 1])
    with pytest.raises(InputError, match=r"heads\[1\]: expected 0 to 3, got 4"):
        tree_score(scores, [0, 4, 1])
    with pytest.raises(InputError, match="whole numbers"):
        tree_score(scores, [0.0, 1.0, 1.0])


def test_calls_from_several_python_threads_do_not_disturb_each_other():
    scores = np.random.default_rng(0).normal(size=(8, 25, 25))
    expected = marginals(scores, single_root=False)
    results: list[np.ndarray] = [np.empty(0)] * 8

    def work(item: int) -> None:
        for _ in range(20):
            results[item] = marginals(scores[item], single_root=False)

    workers = [threading.Thread(target=work, args=(item,)) for item in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    np.testing.assert_array_equal(np.stack(results), expected)


def test_what_pads_a_batch_may_be_nan_and_what_does_not_may_not():
    chance = np.random.default_rng(5)
    scores, direction = chance.normal(size=(2, 3, 6, 6))
    lengths = np.array([5, 2, 0])
    outside = np.zeros(scores.shape, dtype=bool)
    for item, length in enumerate(lengths):
        outside[item, length + 1 :] = outside[item, :, length + 1 :] = True
    heads = maximum_spanning_tree(scores, lengths=lengths, single_root=False)
    calls = {
        "tree": lambda s: maximum_spanning_tree(s, lengths=lengths, single_root=False),
        "log partition": lambda s: trees.log_partition(s, lengths=lengths, single_root=False),
        "marginals": lambda s: marginals(s, lengths=lengths, single_root=False),
        "entropy": lambda s: trees.entropy(s, lengths=lengths, single_root=False),
        "sample": lambda s: trees.sample(s, 3, lengths=lengths, seed=1, single_root=False),
        "score": lambda s: tree_score(s, heads, lengths=lengths),
        "derivative": lambda s: trees.marginal_derivative(
            s,
            np.where(np.isnan(s), s, direction),
            lengths=lengths,
            single_root=False,
        ),
    }
    padded = np.where(outside, np.nan, scores)
    wrong = scores.copy()
    wrong[1, 1, 2] = np.nan
    for name, call in calls.items():
        np.testing.assert_array_equal(call(padded), call(scores), err_msg=name)
        if name == "score":
            continue  # it only adds up
        with pytest.raises(InputError, match=r"(?i)nan"):
            call(wrong)
    best = [
        [tree.heads.tolist() for tree in own]
        for own in trees.k_best(scores, 2, lengths=lengths, single_root=False)
    ]
    found = trees.k_best(padded, 2, lengths=lengths, single_root=False)
    assert [[tree.heads.tolist() for tree in own] for own in found] == best
