from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.factors import OneFactor, check_functions, check_projection

from .strategies import scales, scores, targets

XOR = 0


def own(assignment: tuple[int, ...]) -> float:
    return 0.0 if sum(assignment) == 1 else -np.inf


@given(links=st.integers(1, 6), data=st.data())
def test_functions_equal_enumeration(links: int, data: st.DataObject) -> None:
    check_functions(OneFactor(XOR, links), own, data.draw(scores(links)))


@given(links=st.integers(1, 6), scale=scales, data=st.data())
def test_projection_equals_a_general_solver(links: int, scale: float, data: st.DataObject) -> None:
    check_projection(OneFactor(XOR, links), own, data.draw(targets(links)), scale)
