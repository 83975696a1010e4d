"""How much a network counts beside sparse features: chosen by what is right most often."""

from __future__ import annotations

from collections.abc import Callable

#: What the network's log-probabilities may be multiplied by. Little depends on it, so few will do.
WEIGHTS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
#: Where there is nothing to fit it on.
USUAL_WEIGHT = 0.7


def best_weight(right: Callable[[float], float]) -> float:
    """Return the weight that is right most often; of several, that nearest to the usual one.

    >>> best_weight(lambda weight: -abs(weight - 1.4)), best_weight(lambda weight: 0.0)
    (1.5, 0.7)
    """
    return max(WEIGHTS, key=lambda weight: (right(weight), -abs(weight - USUAL_WEIGHT)))
