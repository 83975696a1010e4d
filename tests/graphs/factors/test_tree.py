from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.factor_strategies import scales, scores, targets
from oracles.factors import OneFactor, check_functions, check_projection

TREE = 12
PROJECTIVE, ONE_ROOT = 1, 2
FLAGS = [0, PROJECTIVE, ONE_ROOT, PROJECTIVE | ONE_ROOT]


def is_tree(words: int, flags: int, arcs: list[tuple[int, int]]) -> bool:
    """Check the definition, one clause after the other."""
    head = {m: h for h, m in arcs}
    if len(arcs) != words or len(head) != words:
        return False
    if flags & ONE_ROOT and sum(h == 0 for h, _ in arcs) != 1:
        return False

    def ancestors(m: int) -> set[int]:
        seen: set[int] = set()
        while m != 0 and m not in seen:
            seen.add(m)
            m = head[m]
        return seen | {m}

    if any(0 not in ancestors(m) for m in range(1, words + 1)):
        return False
    between = ((h, k) for h, m in arcs for k in range(min(h, m) + 1, max(h, m)))
    return not flags & PROJECTIVE or all(h in ancestors(k) for h, k in between)


@st.composite
def trees(draw: st.DrawFn, flags: int) -> tuple[OneFactor, object]:
    words = draw(st.integers(1, 3))
    every = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
    omitted = draw(st.sets(st.sampled_from(every), max_size=3))
    arcs = draw(st.permutations([a for a in every if a not in omitted]))

    def own(assignment: tuple[int, ...]) -> float:
        chosen = list(itertools.compress(arcs, assignment))
        return 0.0 if is_tree(words, flags, chosen) else -np.inf

    some = any(
        own(y) == 0.0 for y in itertools.product((0, 1), repeat=len(arcs)) if sum(y) == words
    )
    if not some:
        arcs, omitted = every, set()
    shape = [words, flags, *itertools.chain(*arcs)]
    return OneFactor(TREE, len(arcs), shape=shape), own


@pytest.mark.parametrize("flags", FLAGS)
@given(data=st.data())
def test_functions_equal_enumeration(flags: int, data: st.DataObject) -> None:
    factor, own = data.draw(trees(flags))
    check_functions(factor, own, data.draw(scores(factor.links)))


@pytest.mark.parametrize("flags", FLAGS)
@given(scale=scales, data=st.data())
def test_projection_equals_a_general_solver(flags: int, scale: float, data: st.DataObject) -> None:
    factor, own = data.draw(trees(flags))
    check_projection(factor, own, data.draw(targets(factor.links)), scale)
