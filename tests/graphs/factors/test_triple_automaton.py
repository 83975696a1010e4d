from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.factor_strategies import factor_scores
from oracles.factor_suites import ScoredFactorSuite
from oracles.factors import (
    OneFactor,
    Own,
    Used,
    check_expectations,
    check_functions,
)

from turbotree.graphs import FactorGraph

TRIPLE_AUTOMATON = 17


def used_scores(modifiers: int) -> Used:
    """The cells of all three in a row among start, chosen modifiers and stop."""

    def used(assignment: tuple[int, ...]) -> list[int]:
        row = [0, *(k + 1 for k, bit in enumerate(assignment) if bit), modifiers + 1]
        triples = zip(row, row[1:], row[2:], strict=False)
        return [((i * modifiers) + j - 1) * modifiers + k - 2 for i, j, k in triples]

    return used


def own_score(cube: list[float], modifiers: int) -> Own:
    """Sum the scores of these cells."""
    used = used_scores(modifiers)

    def own(assignment: tuple[int, ...]) -> float:
        return float(sum(cube[place] for place in used(assignment)))

    return own


@st.composite
def automata(draw: st.DrawFn) -> tuple[OneFactor, Own]:
    modifiers = draw(st.integers(1, 6))
    cube = draw(factor_scores(modifiers**3))
    return OneFactor(TRIPLE_AUTOMATON, modifiers, scores=cube), own_score(cube, modifiers)


class TestTripleAutomaton(ScoredFactorSuite):
    cases = automata()

    def used(self, factor: OneFactor) -> Used:
        return used_scores(factor.links)


@given(seed=st.integers(0, 2**32), modifiers=st.integers(1, 8))
@settings(max_examples=20)
def test_functions_equal_enumeration_where_nothing_is_forbidden(seed: int, modifiers: int) -> None:
    """Messages come from probabilities then."""
    rng = np.random.default_rng(seed)
    cube = rng.normal(size=modifiers**3).tolist()
    factor = OneFactor(TRIPLE_AUTOMATON, modifiers, scores=cube)
    values = rng.normal(size=modifiers).tolist()
    check_functions(factor, own_score(cube, modifiers), values)
    check_expectations(factor, own_score(cube, modifiers), used_scores(modifiers), values)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_scores_of_no_three_in_a_row_are_never_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, size=3)
    cubes = [np.where(_in_order(size), rng.normal(size=(size,) * 3), np.nan) for size in sizes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    graphs = [FactorGraph(), FactorGraph()]
    for graph in graphs:
        graph.variables(np.zeros(offsets[-1]))
    graphs[0].tri_siblings(
        np.arange(offsets[-1]), np.concatenate([cube.ravel() for cube in cubes]), offsets=offsets
    )
    for first, cube in zip(offsets, cubes, strict=False):
        graphs[1].tri_siblings(np.arange(first, first + len(cube)), cube)
    flat, alone = (graph.blocks[0].scores for graph in graphs)
    expected = np.concatenate([np.nan_to_num(cube).ravel() for cube in cubes])
    np.testing.assert_array_equal(flat, expected)
    np.testing.assert_array_equal(alone, expected)


def _in_order(size: int) -> np.ndarray:
    i, j, k = np.indices((size, size, size))
    return (i <= j) & (j <= k)


@pytest.mark.parametrize("scores", [7, 9, 27])
def test_scores_that_are_no_cube_are_refused(scores: int) -> None:
    with pytest.raises(ValueError, match="three consecutive siblings"):
        OneFactor(TRIPLE_AUTOMATON, 2, scores=[0.0] * scores).graph()
