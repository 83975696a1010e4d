"""The Bethe entropy at any probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs import _core
from turbotree.graphs.belief_propagation import sum_product
from turbotree.graphs.literals import as_count, as_fraction
from turbotree.graphs.native import core_graph, name_factor

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

#: Given probabilities this close to 0 or 1 are meant to be 0 or 1.
_ROUNDING = 1e-12


def bethe_entropy(
    graph: FactorGraph,
    probabilities: Any = None,
    *,
    tolerance: float = 1e-9,
    max_iterations: int = 100,
) -> float:
    """Compute the Bethe entropy at given probabilities, or at those of :func:`sum_product`.

    That is the sum over variables of (1 - number of factors) H(p) and over factors of the entropy
    of their beliefs. A factor's belief is the distribution with these probabilities that messages
    can give it: of all that have them, the one with the largest sum of entropy and expected own
    score.

    Parameters
    ----------
    graph : FactorGraph
        Without custom factors.
    probabilities : array of shape (N,), optional
        Of each variable to be 1.
    tolerance : float
        How far the beliefs' probabilities may be off.
    max_iterations : int
        Steps of Newton's method to fit the belief of a factor; one takes as many messages as the
        factor has links.

    Raises
    ------
    InputError
        When a factor has no belief with these probabilities.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([0.0, 0.0, 0.0]))
    >>> print(f"{bethe_entropy(graph, [0.5, 0.25, 0.25]):.4f}")  # 1.5 log 2
    1.0397
    """
    if graph.asks_python:
        raise InputError("bethe_entropy: custom factors have no entropy")
    if probabilities is None:
        return sum_product(graph).entropy
    given = np.asarray(probabilities, dtype=np.float64)
    if given.shape != (len(graph),):
        raise InputError(f"probabilities: expected shape ({len(graph)},), got {given.shape}")
    if not ((given >= -_ROUNDING) & (given <= 1 + _ROUNDING)).all():
        raise InputError("probabilities: expected numbers between 0 and 1")
    # What sums and differences leave beside 0 and 1 would need scores beyond all measure.
    given = np.where(given < _ROUNDING, 0.0, np.where(given > 1 - _ROUNDING, 1.0, given))
    entropy, misfit = _core.bethe_entropy(
        core_graph(graph),
        given,
        as_fraction(tolerance, "tolerance"),
        as_count(max_iterations, "max_iterations", 1),
    )
    if misfit >= 0:
        raise InputError(
            f"probabilities: {name_factor(graph, misfit)} has no belief with "
            f"these probabilities (to {tolerance:g} after {max_iterations} steps)"
        )
    return entropy
