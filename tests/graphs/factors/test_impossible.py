"""Factors whose own scores forbid every assignment: no numbers that are none."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.factors import OneFactor

from turbotree.graphs import _core

NO = -np.inf
FACTORS = {
    "dense": OneFactor(11, 4, scores=[NO] * 6, shape=[3, 1]),
    "head automaton": OneFactor(13, 2, scores=[NO] * 9),
    "grandparent automaton": OneFactor(14, 4, scores=[NO] * 9 + [0.0] * 4, shape=[2]),
    "grandparent automaton, grandsiblings": OneFactor(
        14, 4, scores=[0.0] * 13 + [NO] * 18, shape=[2]
    ),
    "chain": OneFactor(15, 4, scores=[NO] * 4, shape=[2, 2]),
}


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS.keys())
def test_a_factor_without_assignments_has_no_weight_and_no_opinion(factor: OneFactor) -> None:
    graph, scores = factor.graph(), np.arange(factor.links, dtype=float)
    assert _core.maximise(graph, scores)[0][0] == NO
    best, max_messages = _core.max_messages(graph, scores)
    log_partitions, sum_messages, expected = _core.sum_messages(graph, scores)
    assert best[0] == log_partitions[0] == NO
    assert expected[0] == 0.0
    np.testing.assert_array_equal([max_messages, sum_messages], 0.0)
    np.testing.assert_array_equal(_core.expectations(graph, scores), 0.0)
