"""How many features a template has, without holding them all in memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from turbotree.features._core import MAX_TEMPLATES
from turbotree.learning.problem import Task
from turbotree.learning.regularisers import templates_of_keys

_BITS = 12
_REGISTERS = 1 << _BITS
# Flajolet et al. 2007: makes the harmonic mean of the registers unbiased.
_BIAS = 0.7213 / (1 + 1.079 / _REGISTERS)

_FACTOR = np.uint64(0xD6E8FEB86659FD93)


class DistinctCounter:
    """Counts the distinct keys of each template to about 2 %, in 4 kB per template (HyperLogLog).

    Examples
    --------
    >>> counter = DistinctCounter()
    >>> counter.add(np.array([1 << 12, 1 << 12 | 1, 1 << 12, 3 << 12], dtype=np.uint64))
    >>> counter.counts()[:3].round().tolist()
    [2.0, 0.0, 1.0]
    """

    def __init__(self) -> None:
        self._ranks = np.zeros((MAX_TEMPLATES, _REGISTERS), dtype=np.uint8)

    def add(self, keys: npt.NDArray[np.uint64]) -> None:
        """Count some features, in part for the second time."""
        hashes = _mixed(keys)
        registers = (hashes >> np.uint64(64 - _BITS)).astype(np.int64)
        # Place of the highest one among the other bits, from the left, the first being 1.
        rest = (hashes << np.uint64(_BITS)) >> np.uint64(11)  # fits a float without rounding
        exponents = np.frexp(rest.astype(np.float64))[1]
        ranks = np.minimum(54 - exponents, 53).astype(np.uint8)
        np.maximum.at(self._ranks, (templates_of_keys(keys), registers), ranks)

    def counts(self) -> npt.NDArray[np.float64]:
        """Return the estimate for each template."""
        estimates = _BIAS * _REGISTERS**2 / np.exp2(-self._ranks.astype(np.float64)).sum(axis=1)
        empty = (self._ranks == 0).sum(axis=1)
        # While registers are empty, their number says more.
        few = (empty > 0) & (estimates <= 2.5 * _REGISTERS)
        filled = _REGISTERS * np.log(_REGISTERS / np.maximum(empty, 1))
        counts: npt.NDArray[np.float64] = np.where(few, filled, estimates)
        return counts


def _mixed(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    mixed = keys.astype(np.uint64)
    for _ in range(2):
        mixed ^= mixed >> np.uint64(32)
        mixed *= _FACTOR
    mixed ^= mixed >> np.uint64(32)
    return mixed


def count_features(task: Task) -> npt.NDArray[np.float64]:
    """Estimate how many features of each template occur in the right answers of a task.

    These are the sizes |G_m| that :class:`~turbotree.learning.TemplatePenalty` takes: they are
    known before training, and do not change as features come and go.
    """
    counter = DistinctCounter()
    for index in range(len(task)):
        problem = task.problem(index)
        counter.add(problem.gradient(problem.gold).keys)
    return counter.counts()


def firing_rates(task: Task, instances: int = 200) -> npt.NDArray[np.float64]:
    """Estimate how many features of each template a right part has, beside the usual template.

    Templates with a set of values, such as the tags between two words, have several features at
    once, so their weights grow longer for that alone. The usual template has one feature per part;
    rarer ones count as usual.

    Parameters
    ----------
    task
        The training set.
    instances
        How many of the first ones to look at.
    """
    fired = np.zeros(MAX_TEMPLATES)
    for index in range(min(instances, len(task))):
        problem = task.problem(index)
        gradient = problem.gradient(problem.gold)
        templates = templates_of_keys(gradient.keys)
        fired += np.bincount(templates, gradient.values, minlength=MAX_TEMPLATES)
    usual = np.median(fired[fired > 0]) if fired.any() else 1.0
    rates: npt.NDArray[np.float64] = np.maximum(1.0, fired / usual)
    return rates
