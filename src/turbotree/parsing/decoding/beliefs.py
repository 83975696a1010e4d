"""Probabilities of a sentence's parts by belief propagation (Turbo Parser #1).

The graph is not that of the decoders. Their automata of grandparents say again that a word has one
head, and so does a chain of heads. Repeating a constraint does no harm to the best tree and helps
relaxations, but each time it is counted again in the Bethe entropy: with all scores 0 the log
partition of nine words comes out as 2.5 instead of 17.6, and beliefs drift to 0 and 1. Here only
the tree constrains anything, and what the other factors say vanishes with their scores: with all
scores 0, beliefs and log partition are exact. Grandparents and bigrams of heads are pairs of arcs.
Automata of siblings, two or three in a row, allow anything and are taken as they are. Paths and
non-projective arcs are functions of the arcs, which say nothing unless they score something.
Grand-siblings are no pairs: models that have them pay the price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.features import Parts
from turbotree.parsing.arcs import arc_marginals, is_long, is_very_long
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.family import Told

#: Options of belief propagation that suit parsing. On English sentences, damped messages
#: converge wherever others do and in the few per cent where those do not, about as fast.
#: Probabilities are then within 2e-4 of the fixed point's.
OPTIONS: dict[str, Any] = {"tolerance": 1e-4, "damping": 0.2}

#: The rounds times the words cubed, in sentences that are not searched.
_CUBES = 4_000_000_000


@dataclass(frozen=True, slots=True)
class PartMarginals:
    """Probabilities of a sentence's candidate arcs, and of its other parts.

    Attributes
    ----------
    arcs
        One per candidate arc.
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
    scored: ScoredSentence, *, every_part: bool = False, **options: Any
) -> PartMarginals:
    """Return the probabilities of a sentence's arcs, or of every part.

    They are exact for arc-factored models, and otherwise those of loopy belief propagation with
    the tree as a factor (Turbo Parser #1); the options are those of the solver. Spans make them
    approximate too. In very long sentences each word chooses among its candidate heads by the
    arcs' scores alone.
    """
    words, families = scored.words, scored.parts.families
    if is_very_long(words):
        return _heads_by_themselves(scored, every_part)
    if is_long(words) and families:
        options = {"max_iterations": rounds_of_beliefs(words), **options}
    if not families and not scored.has_spans:
        lengths = scored.parts.lengths[scored.sentence : scored.sentence + 1]
        alone = Parts.of_one(scored.arcs)
        probabilities, logs = arc_marginals(lengths, alone, scored.scores["arc"], scored.shape)
        of_parts = {"arc": probabilities} if every_part else None
        return PartMarginals(probabilities, float(logs[0]), True, of_parts)
    graph = scored.graph(beliefs=True)
    found = graph.marginals("belief_propagation", factors=every_part, **{**OPTIONS, **options})
    arcs = found.probabilities[: len(scored.arcs)]
    parts: dict[str, FloatArray] | None = None
    if every_part:
        told = Told(graph, found.probabilities, found.factor_marginals)
        read = {name: family.read_beliefs(scored, told) for name, family in families.items()}
        parts = {"arc": arcs} | read
    return PartMarginals(arcs, found.log_partition, found.converged, parts)


def rounds_of_beliefs(words: int) -> int:
    """Return how many rounds belief propagation gets, each of which eliminates a matrix.

    >>> rounds_of_beliefs(300), rounds_of_beliefs(1000)
    (148, 4)
    """
    return max(1, _CUBES // words**3)


def _heads_by_themselves(scored: ScoredSentence, every_part: bool) -> PartMarginals:
    modifiers, scores = scored.arcs[:, 1], scored.scores["arc"]
    highest = np.full(scored.words + 1, -np.inf)
    np.maximum.at(highest, modifiers, scores)
    weights = np.exp(scores - highest[modifiers])
    sums = np.bincount(modifiers, weights=weights)
    probabilities = weights / sums[modifiers]
    log_partition = float(highest[1:].sum() + np.log(sums[1:]).sum())
    found = None
    if every_part:
        zeros = {name: np.zeros(len(own)) for name, own in scored.scores.items()}
        found = zeros | {"arc": probabilities}
    return PartMarginals(probabilities, log_partition, False, found)
