"""Do probabilities keep their word: of arcs given 0.8, are 80 % right?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from turbotree.arrays import FloatArray
from turbotree.errors import InputError

__all__ = ["Calibration", "CalibrationBin", "calibration"]


class CalibrationBin(NamedTuple):
    """The predictions whose probability is at least `low` and below `high`."""

    low: float
    high: float
    size: int
    """Number of predictions."""
    confidence: float
    """Mean probability of the bin's predictions; 0 for an empty bin."""
    accuracy: float
    """Share of them that is right; 0 for an empty bin."""


@dataclass(frozen=True)
class Calibration:
    """What :func:`calibration` found. All figures are fractions of 1."""

    count: int
    expected_error: float
    """Expected calibration error: mean of |accuracy - confidence|, weighted by the bins' counts."""
    maximum_error: float
    """The largest |accuracy - confidence| of a bin."""
    brier_score: float
    """Mean squared difference between the probabilities and what came true."""
    bins: tuple[CalibrationBin, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give all figures for JSON."""
        return {
            "count": self.count,
            "expected_error": self.expected_error,
            "maximum_error": self.maximum_error,
            "brier_score": self.brier_score,
            "bins": [row._asdict() for row in self.bins],
        }

    def __str__(self) -> str:
        """Lay out the bins as a table for people."""
        lines = [
            f"{self.count} predictions, expected calibration error {self.expected_error:.4f},"
            f" maximum {self.maximum_error:.4f}, Brier score {self.brier_score:.4f}",
            "",
            "probability      size  mean probability  right",
        ]
        for row in self.bins:
            lines.append(
                f"{row.low:.3f}-{row.high:.3f}  {row.size:8}  {row.confidence:16.4f}"
                f"  {row.accuracy:.4f}"
            )
        return "\n".join(lines)


def calibration(probabilities: ArrayLike, correct: ArrayLike, bins: int = 10) -> Calibration:
    """Compare predicted probabilities with how often the predictions are right.

    Parameters
    ----------
    probabilities : array-like of float
        The probability that was given to each prediction.
    correct : array-like of bool, of the same length
        Whether the prediction is right.
    bins : int
        Number of equally wide bins; a probability of 1 belongs to the last one.

    Returns
    -------
    Calibration
        The expected calibration error and the table of bins; ``str()`` lays it out.

    Raises
    ------
    InputError
        If lengths differ, a probability is outside 0..1, or there are no bins.

    Examples
    --------
    >>> result = calibration([0.9, 0.9, 0.9, 0.9, 0.3], [True, True, True, False, False])
    >>> round(result.expected_error, 3)  # 4/5 of |0.75 - 0.9| and 1/5 of |0 - 0.3|
    0.18
    """
    given, right = _checked(probabilities, correct, bins)
    number = np.minimum((given * bins).astype(np.int64), bins - 1)
    counts = np.bincount(number, minlength=bins)
    divisors = np.maximum(counts, 1)
    confidence = np.bincount(number, weights=given, minlength=bins) / divisors
    accuracy = np.bincount(number, weights=right, minlength=bins) / divisors
    gaps = np.abs(accuracy - confidence)
    total = max(given.size, 1)
    return Calibration(
        count=given.size,
        expected_error=float(np.sum(gaps * counts)) / total,
        maximum_error=float(gaps.max()),
        brier_score=float(np.sum((given - right) ** 2)) / total,
        bins=tuple(
            CalibrationBin(
                place / bins,
                (place + 1) / bins,
                int(counts[place]),
                float(confidence[place]),
                float(accuracy[place]),
            )
            for place in range(bins)
        ),
    )


def _checked(
    probabilities: ArrayLike, correct: ArrayLike, bins: int
) -> tuple[FloatArray, FloatArray]:
    try:
        given = np.asarray(probabilities, dtype=np.float64)
        right = np.asarray(correct, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("calibration needs two lists of numbers") from None
    if given.ndim != 1 or given.shape != right.shape:
        raise InputError(
            f"probabilities of shape {given.shape} and outcomes of shape {right.shape},"
            " expected two lists of one length"
        )
    if bins < 1:
        raise InputError(f"{bins} bins, expected at least 1")
    outside = np.flatnonzero(~((given >= 0) & (given <= 1)))
    if outside.size:
        raise InputError(f"probability {outside[0]} is {given[outside[0]]}, expected 0 to 1")
    if not np.isin(right, (0, 1)).all():
        raise InputError("an outcome is neither right (1) nor wrong (0)")
    return given, right
