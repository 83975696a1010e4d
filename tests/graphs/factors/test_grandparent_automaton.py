from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from oracles.factor_strategies import factor_scores
from oracles.factor_suites import ScoredFactorSuite
from oracles.factors import (
    OneFactor,
    Own,
    Used,
)

GRANDPARENT_AUTOMATON = 14


def own_score(scores: list[float], arcs: int, modifiers: int) -> Own:
    """Add up siblings, grandparents and grandsiblings as their definitions say."""
    width = modifiers + 1
    numbers = iter(scores)

    def take(*shape: int) -> np.ndarray:
        return np.array([next(numbers) for _ in range(int(np.prod(shape)))]).reshape(shape)

    siblings, grand = take(width, width), take(arcs, modifiers)
    more = take(arcs, width, width) if len(scores) > siblings.size + grand.size else None

    def own(assignment: tuple[int, ...]) -> float:
        heads, chosen = assignment[:arcs], assignment[arcs:]
        if sum(heads) != 1:
            return -np.inf
        g = heads.index(1)
        stops = [k for k, bit in enumerate(chosen) if bit] + [modifiers]
        rows = [0] + [k + 1 for k in stops[:-1]]
        total = siblings[rows, stops].sum() + grand[g, stops[:-1]].sum()
        return float(total if more is None else total + more[g, rows, stops].sum())

    return own


def used_scores(factor: OneFactor) -> Used:
    """The cells on the walk, in the square of all arcs and perhaps in the arc's own, and grands."""
    assert factor.shape is not None
    assert factor.scores is not None
    arcs = factor.shape[0]
    modifiers = factor.links - arcs
    width = modifiers + 1
    boxes_end = width * width + arcs * modifiers

    def used(assignment: tuple[int, ...]) -> list[int]:
        g, chosen = assignment[:arcs].index(1), assignment[arcs:]
        stops = [k for k, bit in enumerate(chosen) if bit] + [modifiers]
        rows = [0] + [k + 1 for k in stops[:-1]]
        steps = [row * width + stop for row, stop in zip(rows, stops, strict=True)]
        places = steps + [width * width + g * modifiers + k for k in stops[:-1]]
        if len(factor.scores) > boxes_end:
            places += [boxes_end + g * width * width + step for step in steps]
        return places

    return used


@st.composite
def automata(draw: st.DrawFn) -> tuple[OneFactor, Own]:
    arcs = draw(st.integers(1, 5))
    modifiers = draw(st.integers(0, min(4, 8 - arcs)))
    square = (modifiers + 1) ** 2
    count = square + arcs * modifiers + draw(st.booleans()) * arcs * square
    scores = draw(factor_scores(count))
    # The first arc without any modifier is always allowed.
    for at in (modifiers, square + arcs * modifiers + modifiers):
        if at < count:
            scores[at] = max(scores[at], -3.0)
    factor = OneFactor(GRANDPARENT_AUTOMATON, arcs + modifiers, scores=scores, shape=[arcs])
    return factor, own_score(scores, arcs, modifiers)


class TestGrandparentAutomaton(ScoredFactorSuite):
    cases = automata()

    def used(self, factor: OneFactor) -> Used:
        return used_scores(factor)


@pytest.mark.parametrize(
    ("links", "scores", "shape"),
    [(3, 8, []), (3, 8, [0]), (3, 8, [4]), (3, 7, [2]), (3, 15, [2]), (3, 17, [2])],
)
def test_arrays_that_do_not_fit_are_refused(links: int, scores: int, shape: list[int]) -> None:
    with pytest.raises(ValueError, match="grandparent automaton"):
        OneFactor(GRANDPARENT_AUTOMATON, links, [0.0] * scores, shape).graph()
