"""Long sentences with few candidate arcs, whose trees are found without a matrix."""

import numpy as np
import numpy.typing as npt
import pytest

from turbotree.errors import InfeasibleError
from turbotree.features import Parts
from turbotree.graphs import FactorGraph, _core
from turbotree.graphs.solvers.native import core_graph
from turbotree.parsing.arcs import TreeShape, best_trees
from turbotree.trees import maximum_spanning_tree

_WORDS = 260


def _few_arcs(
    seed: int, words: int = _WORDS, *, whole: bool = False
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Draw some heads nearby for each word, and some for the root; equal scores too if whole."""
    rng = np.random.default_rng(seed)
    rows = {(0, int(word)) for word in rng.integers(1, words + 1, size=20)} | {(0, 1)}
    for word in range(1, words + 1):
        heads = word + rng.integers(-8, 9, size=6)
        rows |= {(int(h), word) for h in heads if 1 <= h <= words and h != word}
        if word > 1:
            rows.add((word - 1, word))  # so that there is a tree
    arcs = np.array(sorted(rows), dtype=np.int32)
    scores = rng.normal(size=len(arcs))
    return arcs, np.rint(scores) if whole else scores


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_tree_of_few_arcs_is_that_of_the_matrix(
    seed: int, whole: bool, single_root: bool
) -> None:
    arcs, scores = _few_arcs(seed, whole=whole)
    matrix = np.full((_WORDS + 1, _WORDS + 1), -np.inf)
    matrix[tuple(arcs.T)] = scores
    lengths = np.array([_WORDS], dtype=np.int32)
    shape = TreeShape(single_root=single_root)
    heads = best_trees(lengths, Parts.of_one(arcs), scores, shape)
    words = np.arange(1, _WORDS + 1)
    expected = maximum_spanning_tree(matrix, single_root=single_root)
    assert matrix[heads, words].sum() == pytest.approx(matrix[expected, words].sum(), abs=1e-9)
    assert (heads == 0).sum() == 1 or not single_root
    for word in words.tolist():
        seen = set()
        while word != 0:
            assert word not in seen
            seen.add(word)
            word = int(heads[word - 1])


def test_few_arcs_without_a_tree_are_refused() -> None:
    arcs, scores = _few_arcs(1)
    lengths = np.array([_WORDS], dtype=np.int32)
    # Two words that head each other, and nobody else heads them.
    closed = np.isin(arcs[:, 1], [7, 8]) & ~np.isin(arcs[:, 0], [7, 8])
    with pytest.raises(InfeasibleError, match="has no tree"):
        best_trees(lengths, Parts.of_one(arcs[~closed]), scores[~closed], TreeShape())
    two = (arcs[:, 0] != 0) & (arcs[:, 1] > 2)
    only_root = np.concatenate([arcs[two], [[0, 1], [0, 2]]]).astype(np.int32)
    with pytest.raises(InfeasibleError, match="has no tree"):
        best_trees(lengths, Parts.of_one(only_root), np.zeros(len(only_root)), TreeShape())


@pytest.mark.parametrize("seed", range(3))
def test_bounds_from_projections_of_long_sentences_hold(seed: int) -> None:
    # The nearest point of a polytope maximises what is left of the target: no tree has more. What
    # the projection falls short of that, it says.
    arcs, scores = _few_arcs(seed)
    graph = FactorGraph()
    graph.tree(arcs[:, 0], arcs[:, 1], graph.variables(scores), single_root=True)
    target = np.random.default_rng(seed).normal(size=(1, len(arcs)))
    point, own = _core.project(core_graph(graph), target, 1.0)
    left = target[0] - point
    lengths = np.array([_WORDS], dtype=np.int32)
    heads = best_trees(lengths, Parts.of_one(arcs), left, TreeShape())
    best = float(left[heads[arcs[:, 1] - 1] == arcs[:, 0]].sum())
    assert float(own[0] + left @ point) == pytest.approx(best)
    assert np.bincount(arcs[:, 1], weights=point)[1:] == pytest.approx(1.0)
