"""Boosted trees: splits against all splits, and a loss that falls."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.checking.boosting import BoostedTrees, best_splits
from turbotree.errors import InputError


@given(st.integers(0, 10_000))
def test_no_split_gains_more_than_the_best(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows, width, size = 12, 3, 4
    binned = chance.integers(0, size, (rows, width))
    slopes, curvatures = chance.normal(size=rows), chance.random(rows) + 0.1
    node = chance.integers(0, 2, rows)
    columns, bins = best_splits(binned, node, 2, size, slopes, curvatures, 1.0, 0.0)

    def gain(here: np.ndarray, column: int, last: int) -> float:
        left = here & (binned[:, column] <= last)
        value = 0.0
        for side, sign in ((left, 1), (here & ~left, 1), (here, -1)):
            value += sign * slopes[side].sum() ** 2 / (curvatures[side].sum() + 1.0)
        return value

    for number in range(2):
        here = node == number
        gains = [gain(here, c, b) for c in range(width) for b in range(size)]
        found = gain(here, int(columns[number]), int(bins[number]))
        assert found == pytest.approx(max(0.0, *gains), abs=1e-9)


@given(st.integers(0, 10_000))
def test_every_tree_lowers_the_loss(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(60, 3))
    answers = (rows[:, 0] + chance.normal(size=60) > 0).astype(float)
    answers[:2] = 0.0, 1.0
    losses = []
    for trees in (0, 1, 5, 20):
        found = BoostedTrees.fit(rows, answers, trees=trees).probabilities(rows)
        losses.append(-np.log(np.where(answers == 1, found, 1 - found)).mean())
    assert losses == sorted(losses, reverse=True)


def test_answers_that_are_all_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="expected cases that are true, and cases that are not"):
        BoostedTrees.fit(np.zeros((3, 1)), np.zeros(3))
