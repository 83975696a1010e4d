"""Answers that need not be trees: relaxed ones, and those of automata alone. Training uses them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.graphs import FactorGraph, Kind, Solution
from turbotree.graphs.factors.blocks import Chunk
from turbotree.parsing.ancestry import families_of_ancestry
from turbotree.parsing.automata import (
    IN_AUTOMATA,
    add_automata,
    automata_extras,
    automata_scores,
    in_automata,
    parts_of_automata,
)
from turbotree.parsing.both_sides import BothSides, both_sides
from turbotree.parsing.families import ArcFamily, SiblingFamily
from turbotree.parsing.parts import PartSet

# Far below this temperature the best answer is the only one; several that are equally good share.
_COLD = 1e-5


def relaxed_parts(
    parts: PartSet, scores: Mapping[str, FloatArray], graph: FactorGraph, solution: Solution
) -> dict[str, FloatArray]:
    """Return how much of each part a relaxed solution has, as far as it tells.

    Parameters
    ----------
    parts
        Those of one sentence.
    scores
        What the graph was made from, by :func:`turbotree.parsing.decoding.build_graph`.
    graph
        The sentence's graph.
    solution
        Its solution, with what factors tell of their own parts. Of three siblings that score
        nothing together they tell nothing.
    """
    assert solution.relaxed is not None
    assert solution.factor_marginals is not None
    told = {block.kind: e for block, e in zip(graph.blocks, solution.factor_marginals, strict=True)}
    arcs = solution.relaxed[: len(scores["arc"])]
    found = {"arc": arcs}
    automata = "sibling" in parts.families
    if automata:
        found |= automata_extras(told, 0, parts.families)
    if "head_bigram" in parts.families and Kind.CHAIN in told:
        found["head_bigram"] = told[Kind.CHAIN]
    for name, ancestral in families_of_ancestry(parts.families).items():
        found[name] = solution.relaxed[ancestral.literals]
    pairs = told.get(Kind.PAIR, np.zeros(0))
    for name, family in parts.families.items():
        in_factors = (automata and name in IN_AUTOMATA) or name in ("head_bigram", "tri_sibling")
        if in_factors or not isinstance(family, ArcFamily):
            continue
        scored = scores[name] != 0.0
        count = np.count_nonzero(scored)
        # Where the two arcs of a part leave a choice, and nothing hangs on it, it is not there.
        first, second = family.arcs.T
        found[name] = np.maximum(0.0, arcs[first] + arcs[second] - 1.0)
        found[name][scored], pairs = pairs[:count], pairs[count:]
    return found


def automata_alone(parts: PartSet, scores: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the parts of a sentence that its heads choose, each for itself.

    This is the best point of the set Z of Koo et al. (2010). A head chooses its modifiers on both
    sides, and along with them one head of its own that suits them all best. Nothing else is asked:
    the choices need not agree on a tree.

    Parameters
    ----------
    parts
        Those of one sentence: arcs, siblings, perhaps grandparents and grand-siblings.
    scores
        By family, one each.
    """
    siblings = parts.families["sibling"]
    assert isinstance(siblings, SiblingFamily)
    graph = FactorGraph()
    arcs = len(scores["arc"])
    graph.variables(scores["arc"] / _COLD)
    cold = {name: scores[name] / _COLD for name in IN_AUTOMATA if name in scores}
    # Without grandparents the sides of a head have nothing to do with each other.
    joined = None
    if "grandparent" in parts.families:
        joined = both_sides(
            siblings, parts.arcs.rows[:, 0], grand_siblings="grand_sibling" in parts.families
        )
        _add_heads(graph, joined, automata_scores(0, cold, parts.families))
    else:
        add_automata(graph, 0, cold, parts.families)
    # Every variable is in one factor, so that these are exact.
    marginals = graph.marginals("belief_propagation", factors=True)
    assert marginals.factor_marginals is not None
    told = {
        block.kind: e for block, e in zip(graph.blocks, marginals.factor_marginals, strict=True)
    }
    expected = in_automata(told)
    if joined is not None:
        expected = joined.of_sides(expected)
    chosen = marginals.probabilities[:arcs]
    return {"arc": chosen} | parts_of_automata(expected, 0, parts.families)


def _add_heads(graph: FactorGraph, heads: BothSides, of_sides: FloatArray) -> None:
    """Add an automaton per head, with its own copies of the arcs into it, which cost nothing."""
    for links, above, own in zip(heads.links, heads.above, heads.scores(of_sides), strict=True):
        if above == 0:
            graph.add_chunk(Kind.HEAD_AUTOMATON, Chunk.of(1, len(links), links, len(own), own))
            continue
        copies = graph.variables(np.zeros(above))
        variables = np.concatenate([copies, links]).astype(np.int32)
        shape = np.array([above], dtype=np.int32)
        graph.add_chunk(
            Kind.GRANDPARENT_AUTOMATON,
            Chunk.of(1, len(variables), variables, len(own), own, 1, shape),
        )
