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
from typing import Any

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.graphs import FactorGraph, Kind, Marginals
from turbotree.graphs.factors.blocks import Chunk
from turbotree.parsing.ancestry import AncestryFamily, add_ancestry, families_of_ancestry
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.automata import (
    IN_AUTOMATA,
    add_automata,
    add_pairs,
    add_tri_siblings,
    automata_extras,
    tree_of_arcs,
)
from turbotree.parsing.families import ArcFamily, SiblingFamily, TriSiblingFamily
from turbotree.parsing.parts import PartSet

#: Options of belief propagation that suit parsing. On English sentences, damped messages come to
#: rest wherever others do and in the few per cent where those do not, about as fast. Probabilities
#: are then within 2e-4 of the fixed point's.
OPTIONS: dict[str, Any] = {"tolerance": 1e-4, "damping": 0.2}


def belief_graph(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], shape: TreeShape
) -> FactorGraph:
    """Write a sentence's parts as a graph: a tree, automata of siblings, and pairs of arcs.

    Parameters are those of :func:`turbotree.parsing.decoding.build_graph`.
    """
    graph = tree_of_arcs(parts, sentence, scores["arc"], shape)
    automata = _in_automata(parts)
    for name, family in parts.families.items():
        if name == "sibling" and automata:
            add_automata(graph, sentence, scores, parts.families)
        elif name in automata:
            continue
        elif isinstance(family, SiblingFamily):
            links, offsets = family.automata(sentence)
            lengths = np.diff(offsets).astype(np.int64)
            sizes = (lengths + 1) ** 2
            squares = np.zeros(int(sizes.sum()))
            squares[family.square_cells(sentence)] = scores[name]
            graph.add_chunk(
                Kind.HEAD_AUTOMATON, Chunk.of(len(lengths), lengths, links, sizes, squares)
            )
        elif isinstance(family, TriSiblingFamily):
            add_tri_siblings(graph, sentence, scores[name], family, every_one=True)
        elif isinstance(family, ArcFamily):
            # Factors that score nothing would send messages of 0.
            add_pairs(graph, sentence, scores[name], family)
    ancestral = families_of_ancestry(parts.families)
    if ancestral:
        # That a word has one head is not said again: it would be counted again.
        add_ancestry(graph, sentence, len(scores["arc"]), ancestral, scores, exclusive=False)
    return graph


def find_beliefs(graph: FactorGraph, *, every_part: bool, **options: Any) -> Marginals:
    """Run belief propagation with the options that suit parsing, unless others are given."""
    return graph.marginals("belief_propagation", factors=every_part, **{**OPTIONS, **options})


def part_probabilities(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    graph: FactorGraph,
    marginals: Marginals,
) -> dict[str, FloatArray]:
    """Return the probability of each part of a sentence, by family.

    Parameters
    ----------
    parts, sentence, scores
        What the graph was made from.
    graph
        The graph of the sentence, by :func:`belief_graph`.
    marginals
        Its marginals, with those of the factors' own parts.
    """
    assert marginals.factor_marginals is not None
    extras = {
        block.kind: found
        for block, found in zip(graph.blocks, marginals.factor_marginals, strict=True)
    }
    nothing = np.zeros(0)
    squares, cubes, pairs = (
        extras.get(kind, nothing)
        for kind in (Kind.HEAD_AUTOMATON, Kind.TRIPLE_AUTOMATON, Kind.PAIR)
    )
    arcs = marginals.probabilities[: len(scores["arc"])]
    found = {"arc": arcs}
    automata = _in_automata(parts)
    if automata:
        found |= automata_extras(extras, sentence, parts.families)
    for name, family in parts.families.items():
        if name in automata:
            continue
        at = family.parts.places(sentence)
        if isinstance(family, SiblingFamily):
            found[name] = squares[family.square_cells(sentence)]
            continue
        if isinstance(family, TriSiblingFamily):
            found[name] = cubes[family.cells[at]]
            continue
        if isinstance(family, AncestryFamily):
            # All variables beyond arcs are theirs.
            found[name] = marginals.probabilities[family.literals[at]]
            continue
        assert isinstance(family, ArcFamily)
        # Where a pair has no factor because it scores nothing, its arcs are independent, as they
        # would be in that factor. A forbidden pair is another kind of factor.
        first, second = family.arcs[at].T
        scored = np.isfinite(scores[name]) & (scores[name] != 0.0)
        count = np.count_nonzero(scored)
        found[name] = np.where(scores[name] == 0.0, arcs[first] * arcs[second], 0.0)
        found[name][scored], pairs = pairs[:count], pairs[count:]
    return {name: found[name] for name in ("arc", *parts.families)}


def _in_automata(parts: PartSet) -> tuple[str, ...]:
    """Return the families that only automata with grandparents can score together."""
    return IN_AUTOMATA if "grand_sibling" in parts.families else ()
