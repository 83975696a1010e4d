"""From the scores of parts to probabilities: exact for arcs alone, by belief propagation beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.graphs import FactorGraph
from turbotree.parsing.arcs import TreeShape, arc_marginals
from turbotree.parsing.beliefs import belief_graph, find_beliefs, part_probabilities
from turbotree.parsing.long_sentences import is_long, is_very_long, rounds_of_beliefs
from turbotree.parsing.parts import PartSet

#: Adds factors to a sentence's graph; its first variables are the candidate arcs.
Amend: TypeAlias = Callable[[FactorGraph], None]


@dataclass(frozen=True, slots=True)
class PartMarginals:
    """Probabilities of a sentence's candidate arcs, and of its other parts.

    Attributes
    ----------
    arcs
        One a candidate arc.
    log_partition
        Of the distribution over trees; the Bethe approximation if there are parts of higher order.
    converged
        Whether belief propagation converged; always true for arc-factored models.
    parts
        The probability of each part by family, if asked for.
    """

    arcs: FloatArray
    log_partition: float
    converged: bool
    parts: Mapping[str, FloatArray] | None = None


def part_marginals(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    *,
    every_part: bool = False,
    amend: Amend | None = None,
    **options: Any,
) -> PartMarginals:
    """Return the probabilities of a sentence's arcs, or of every part.

    They are exact for arc-factored models, and otherwise those of loopy belief propagation with
    the tree as a factor (Turbo Parser #1); the options are those of the solver. Factors that
    amend the graph make them approximate too. In very long sentences each word chooses among its
    candidate heads by the arcs' scores alone.
    """
    words = int(parts.lengths[sentence])
    if is_very_long(words):
        return _heads_by_themselves(parts, sentence, scores, every_part)
    if is_long(words) and parts.families:
        options = {"max_iterations": rounds_of_beliefs(words), **options}
    if not parts.families and amend is None:
        alone, lengths = parts.arcs_alone(sentence)
        probabilities, logs = arc_marginals(lengths, alone, scores["arc"], shape)
        of_parts = {"arc": probabilities} if every_part else None
        return PartMarginals(probabilities, float(logs[0]), True, of_parts)
    graph = belief_graph(parts, sentence, scores, shape)
    if amend is not None:
        amend(graph)
    found = find_beliefs(graph, every_part=every_part, **options)
    of_parts = part_probabilities(parts, sentence, scores, graph, found) if every_part else None
    arcs = found.probabilities[: len(scores["arc"])]
    return PartMarginals(arcs, found.log_partition, found.converged, of_parts)


def _heads_by_themselves(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], every_part: bool
) -> PartMarginals:
    modifiers = parts.arcs.rows[parts.arcs.places(sentence)][:, 1]
    highest = np.full(int(parts.lengths[sentence]) + 1, -np.inf)
    np.maximum.at(highest, modifiers, scores["arc"])
    weights = np.exp(scores["arc"] - highest[modifiers])
    sums = np.bincount(modifiers, weights=weights)
    probabilities = weights / sums[modifiers]
    log_partition = float(highest[1:].sum() + np.log(sums[1:]).sum())
    found = None
    if every_part:
        found = {name: np.zeros(len(own)) for name, own in scores.items()} | {"arc": probabilities}
    return PartMarginals(probabilities, log_partition, False, found)
