"""Is parser B better than parser A, or were the test sentences kind to it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.evaluation.alignment import TreeLike, aligned
from turbotree.evaluation.counts import percentage

__all__ = ["Difference", "PairedBootstrap", "paired_bootstrap", "paired_difference"]

# Numbers drawn at a time: bounds the memory without changing what is drawn.
_CHUNK = 4_000_000


@dataclass(frozen=True)
class Difference:
    """One figure for both parsers, in per cent, and how sure the difference is."""

    a: float
    b: float
    difference: float
    """b - a."""
    low: float
    high: float
    """Confidence interval of the difference."""
    p_value: float
    """How often chance alone gives a difference at least as large, of either sign."""


@dataclass(frozen=True)
class PairedBootstrap:
    """What :func:`paired_bootstrap` found."""

    sentences: int
    samples: int
    confidence: float
    uas: Difference
    las: Difference

    def to_dict(self) -> dict[str, Any]:
        """Give all figures for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Lay out both figures as a table for people."""
        interval = f"{100 * self.confidence:g} % interval"
        lines = [
            f"{self.sentences} sentences, {self.samples} samples",
            f"          A       B  difference  {interval:>16}        p",
        ]
        for name, row in (("UAS", self.uas), ("LAS", self.las)):
            lines.append(
                f"{name}  {row.a:6.2f}  {row.b:6.2f}  {row.difference:+10.2f}"
                f"  {row.low:+7.2f} {row.high:+8.2f}  {row.p_value:7.4f}"
            )
        return "\n".join(lines)


def paired_bootstrap(
    gold: Iterable[TreeLike],
    a: Iterable[TreeLike],
    b: Iterable[TreeLike],
    samples: int = 1000,
    *,
    seed: int,
    confidence: float = 0.95,
) -> PairedBootstrap:
    """Test whether the attachment scores of two parsers differ by more than chance.

    Test sets are drawn from the sentences with replacement, and both parsers are scored on
    each. The interval is that of the percentiles; the p-value is the share of test sets whose
    difference is at least as far from the observed one as that is from zero (Berg-Kirkpatrick
    et al. 2012, two-sided), where the observed set counts as one more.

    Parameters
    ----------
    gold, a, b : iterable of sentences
        The same sentences in the same order: gold trees, and those of parsers A and B.
    samples : int
        Number of test sets to draw.
    seed : int
        The same seed gives the same result.
    confidence : float
        What share of the differences the interval covers.

    Returns
    -------
    PairedBootstrap
        UAS and LAS of both, differences, intervals and p-values; ``str()`` gives a table.

    Raises
    ------
    InputError
        If sentences or words differ, there are none, or an option is out of range.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> words = {"forms": ["Birds", "sing"], "upos": ["NOUN", "VERB"], "labels": ["nsubj", "root"]}
    >>> right, wrong = Some(heads=[2, 0], **words), Some(heads=[0, 0], **words)
    >>> test = paired_bootstrap([right] * 20, [wrong] * 20, [right] * 20, seed=1)
    >>> test.uas.a, test.uas.b, test.uas.difference, test.uas.p_value < 0.01
    (50.0, 100.0, 50.0, True)
    """
    if samples < 1 or not 0 < confidence < 1:
        raise InputError(
            f"samples={samples}, confidence={confidence}: expected at least 1, and between 0 and 1"
        )
    gold = list(gold)
    if not gold:
        raise InputError("no sentences to compare")
    words = np.array([len(sentence.forms) for sentence in gold], dtype=np.float64)
    right_a, right_b = _right_by_sentence(gold, a), _right_by_sentence(gold, b)
    drawn = _resampled(np.column_stack([right_b - right_a, words]), samples, seed)
    total = float(words.sum())
    differences = []
    for column in range(2):
        sum_a, sum_b = float(right_a[:, column].sum()), float(right_b[:, column].sum())
        observed = percentage(sum_b - sum_a, total)
        each = 100 * drawn[:, column] / drawn[:, 2]
        differences.append(
            _summed_up(
                percentage(sum_a, total), percentage(sum_b, total), observed, each, confidence
            )
        )
    return PairedBootstrap(len(gold), samples, confidence, *differences)


def paired_difference(
    tests: Sequence[Sequence[ArrayLike]],
    samples: int = 1000,
    *,
    seed: int,
    confidence: float = 0.95,
) -> Difference:
    """Test whether two systems differ, given what each got in every sentence.

    What is counted is up to the caller: right words out of all words, or proofs out of 1. Of
    several test sets, each is drawn from by itself, and the mean of their differences is tested.

    Parameters
    ----------
    tests
        For each test set, three arrays with one number per sentence: what A got, what B got, and
        how much there was to get. Or four, if there was more to get for the one than for the
        other; so F1 is twice the right spans, out of those that there are and those found.
    samples, seed, confidence
        As for :func:`paired_bootstrap`.

    Examples
    --------
    >>> found = paired_difference([([1, 2] * 20, [2, 2] * 20, [2, 2] * 20)], seed=1)
    >>> found.a, found.b, found.difference, found.low > 0
    (75.0, 100.0, 25.0, True)
    >>> found = paired_difference([([2, 0] * 20, [2, 2] * 20, [2, 2] * 20, [2, 3] * 20)], seed=1)
    >>> found.a, found.b, found.difference
    (50.0, 80.0, 30.0)
    """
    if samples < 1 or not 0 < confidence < 1:
        raise InputError(
            f"samples={samples}, confidence={confidence}: expected at least 1, and between 0 and 1"
        )
    if not tests:
        raise InputError("no test sets to compare")
    means = np.zeros(3)
    each = np.zeros(samples)
    for number, test in enumerate(tests):
        got_a, got_b, *totals = (np.asarray(given, dtype=np.float64) for given in test)
        of_a, of_b = totals[0], totals[-1]
        if not len(of_a) or not len(got_a) == len(got_b) == len(of_a) == len(of_b):
            raise InputError(
                f"test set {number}: {len(got_a)}, {len(got_b)} and {len(of_a)} numbers; "
                "expected as many of each, and at least one"
            )
        if not (of_a.sum() > 0 and of_b.sum() > 0):
            raise InputError(f"test set {number}: there is nothing to get in it")
        drawn = _resampled(np.column_stack([got_a, got_b, of_a, of_b]), samples, seed + number)
        # A draw may hold nothing to get at all; it says nothing of a difference.
        a, b = (drawn[:, side] / np.maximum(drawn[:, 2 + side], 1e-300) for side in (0, 1))
        each += 100 * (b - a)
        share_a, share_b = (
            100 * float(got.sum()) / float(of.sum()) for got, of in ((got_a, of_a), (got_b, of_b))
        )
        means += [share_a, share_b, share_b - share_a]
    share_a, share_b, observed = (means / len(tests)).tolist()
    return _summed_up(share_a, share_b, observed, each / len(tests), confidence)


def _summed_up(
    a: float, b: float, observed: float, each: FloatArray, confidence: float
) -> Difference:
    """Make interval and p-value of the differences that were drawn."""
    tail = 50 * (1 - confidence)
    low, high = np.percentile(each, [tail, 100 - tail])
    # Rounding must not tell equal differences apart.
    extreme = np.count_nonzero(np.abs(each - observed) >= abs(observed) - 1e-9)
    return Difference(a, b, observed, float(low), float(high), (1 + int(extreme)) / (1 + len(each)))


def _right_by_sentence(gold: Sequence[TreeLike], predicted: Iterable[TreeLike]) -> FloatArray:
    """Count right heads and right labelled arcs, one row for each sentence."""
    rows = []
    for one, other in aligned(gold, predicted):
        heads = [head == found for head, found in zip(one.heads, other.heads, strict=True)]
        labels = [label == found for label, found in zip(one.labels, other.labels, strict=True)]
        rows.append((sum(heads), sum(map(bool.__and__, heads, labels))))
    return np.array(rows, dtype=np.float64)


def _resampled(rows: FloatArray, samples: int, seed: int) -> FloatArray:
    """Draw as many rows as there are, with replacement, and add them up; `samples` times."""
    random = np.random.default_rng(seed)
    count = len(rows)
    at_once = max(1, _CHUNK // count)
    sums = []
    for start in range(0, samples, at_once):
        chosen = random.integers(0, count, (min(at_once, samples - start), count))
        sums.append(np.stack([column[chosen].sum(axis=1) for column in rows.T], axis=1))
    return np.concatenate(sums)
