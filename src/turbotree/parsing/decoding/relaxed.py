"""Answers that need not be trees: relaxed ones, and those of automata alone. Training uses them."""

from __future__ import annotations

from typing import Any

from turbotree.arrays import FloatArray
from turbotree.graphs import FactorGraph, Solution
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.both_sides import both_sides
from turbotree.parsing.parts.family import Told
from turbotree.parsing.parts.sibling import (
    AUTOMATA,
    IN_AUTOMATA,
    SiblingFamily,
    automata_scores,
)

# Far below this temperature the best answer is the only one; several that are equally good share.
_COLD = 1e-5


def relaxed_parts(
    scored: ScoredSentence, graph: FactorGraph, solution: Solution
) -> dict[str, FloatArray]:
    """Return how much of each part a relaxed solution has, as far as it tells.

    Parameters
    ----------
    scored
        The sentence.
    graph
        Its graph, by :meth:`ScoredSentence.graph`.
    solution
        Its solution, with what factors tell of their own parts. Of three siblings that score
        nothing together they tell nothing.
    """
    assert solution.relaxed is not None
    assert solution.factor_marginals is not None
    told = Told(graph, solution.relaxed, solution.factor_marginals)
    found = {"arc": solution.relaxed[: len(scored.arcs)]}
    for name, family in scored.parts.families.items():
        own = family.read_graph(scored, told)
        if own is not None:
            found[name] = own
    return found


def automata_alone(scored: ScoredSentence) -> dict[str, FloatArray]:
    """Return the parts of a sentence that its heads choose, each for itself.

    This is the best point of the set Z of Koo et al. (2010). A head chooses its modifiers on both
    sides, and along with them one head of its own that suits them all best. Nothing else is asked:
    the choices need not agree on a tree.

    Parameters
    ----------
    scored
        A sentence alone: arcs, siblings, perhaps grandparents and grand-siblings.
    """
    families, scores = scored.parts.families, scored.scores
    siblings = families["sibling"]
    assert isinstance(siblings, SiblingFamily)
    graph = FactorGraph()
    graph.variables(scores["arc"] / _COLD)
    cold = scored.with_scores(
        {name: scores[name] / _COLD for name in IN_AUTOMATA if name in scores}
    )
    # Without grandparents the sides of a head have nothing to do with each other.
    joined = None
    if "grandparent" in families:
        joined = both_sides(cold)
        joined.add_to(graph, automata_scores(cold), copied=True)
    else:
        siblings.add_to_graph(graph, cold)
    # Every variable is in one factor, so that these are exact.
    marginals = graph.marginals("belief_propagation", factors=True)
    expected = Told(graph, marginals.probabilities, marginals.factor_marginals).of(*AUTOMATA)
    if joined is not None:
        expected = joined.of_sides(expected)
    found = {"arc": marginals.probabilities[: len(scored.arcs)]}
    for name in IN_AUTOMATA:
        if name in families:
            own: Any = families[name]
            found[name] = expected[own.cells]
    return found
