"""Calibration against a loop over the predictions."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.evaluation import calibration

PREDICTIONS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40)


@given(PREDICTIONS, st.integers(1, 12))
def test_the_error_is_the_weighted_mean_of_the_bins_gaps(
    predictions: list[tuple[float, bool]], bins: int
) -> None:
    result = calibration([p for p, _ in predictions], [right for _, right in predictions], bins)
    assert result.count == len(predictions) == sum(row.size for row in result.bins)
    expected, largest = 0.0, 0.0
    for number, row in enumerate(result.bins):
        members = [(p, right) for p, right in predictions if min(int(p * bins), bins - 1) == number]
        assert row.size == len(members)
        if members:
            confidence = math.fsum(p for p, _ in members) / len(members)
            accuracy = sum(right for _, right in members) / len(members)
            assert row.confidence == pytest.approx(confidence)
            assert row.accuracy == pytest.approx(accuracy)
            expected += len(members) / len(predictions) * abs(accuracy - confidence)
            largest = max(largest, abs(accuracy - confidence))
    assert result.expected_error == pytest.approx(expected, abs=1e-12)
    assert result.maximum_error == pytest.approx(largest, abs=1e-12)
    if predictions:
        brier = math.fsum((p - right) ** 2 for p, right in predictions) / len(predictions)
        assert result.brier_score == pytest.approx(brier, abs=1e-12)


def test_certain_and_right_is_perfectly_calibrated() -> None:
    result = calibration([1.0, 1.0, 0.0], [True, True, False])
    assert (result.expected_error, result.maximum_error, result.brier_score) == (0, 0, 0)


def test_probabilities_that_keep_their_word_have_a_small_error() -> None:
    random = np.random.default_rng(0)
    given_ = random.random(100_000)
    right = random.random(100_000) < given_
    # Each bin's accuracy has a standard error of at most 0.5 / sqrt(10,000) = 0.005.
    assert calibration(given_.astype(np.float32), right).expected_error < 0.005
    assert calibration(given_, ~right).expected_error > 0.4


def test_no_predictions_have_no_error() -> None:
    assert calibration([], []).expected_error == 0


def test_the_dictionary_is_json_and_the_table_has_a_line_for_each_bin() -> None:
    result = calibration([0.5, 0.7], [1, 0], bins=4)
    assert len(json.loads(json.dumps(result.to_dict()))["bins"]) == 4
    assert len(str(result).splitlines()) == 3 + 4


@pytest.mark.parametrize(
    ("probabilities", "correct", "bins", "message"),
    [
        ([0.5], [True, False], 10, "expected two lists of one length"),
        ([[0.5]], [[True]], 10, "expected two lists of one length"),
        ([0.5, 1.5], [True, True], 10, r"probability 1 is 1\.5, expected 0 to 1"),
        ([float("nan")], [True], 10, "probability 0 is nan"),
        ([0.5], [0.3], 10, "neither right"),
        ([0.5], [True], 0, "0 bins, expected at least 1"),
        (["a"], [True], 10, "lists of numbers"),
    ],
)
def test_bad_input_is_refused(probabilities: list, correct: list, bins: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        calibration(probabilities, correct, bins)
