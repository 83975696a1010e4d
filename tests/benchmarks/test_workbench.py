"""Recall in a ranking, by its definition."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from workbench import recall


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=20).filter(
        lambda words: any(wrong for _, wrong in words)
    ),
    st.sampled_from([0.01, 0.05, 0.1, 0.5, 1.0]),
)
def test_recall_counts_wrong_words_among_the_first(
    words: list[tuple[int, bool]], share: float
) -> None:
    scores = np.array([float(score) for score, _ in words])
    wrong = np.array([float(one) for _, one in words])
    first = sorted(words, key=lambda word: -word[0])[: math.ceil(share * len(words))]
    expected = 100 * sum(one for _, one in first) / sum(one for _, one in words)
    assert recall(scores, wrong, share) == pytest.approx(expected)
