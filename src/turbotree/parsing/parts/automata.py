"""Automata that read a head's modifiers: siblings, with grandparents and grand-siblings.

Graphs are made for every sentence in every round of training, so these write whole chunks of
factors, in the layout in which the core finds the parts, instead of adding factor by factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.features import Parts
from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.factors.blocks import Chunk

if TYPE_CHECKING:
    from turbotree.parsing.parts.family import Told
    from turbotree.parsing.parts.scored_sentence import ScoredSentence

#: The families that automata score together if all of them are there; else the first two, or one.
IN_AUTOMATA = ("sibling", "grandparent", "grand_sibling")


def scored_in_automata(names: Sequence[str]) -> tuple[bool, bool]:
    """Tell whether automata score grandparents, and grand-siblings: that decides their layout."""
    return "grandparent" in names, "grand_sibling" in names


def add_automata(graph: FactorGraph, scored: ScoredSentence) -> None:
    """Add the automata of siblings, with grandparents and grand-siblings where there are some."""
    families = scored.parts.families
    siblings: Any = families["sibling"]
    first, last = siblings.automaton_offsets[scored.sentence : scored.sentence + 2].tolist()
    score_offsets = siblings.score_offsets[first : last + 1]
    score_counts = np.diff(score_offsets)
    laid_out = automata_scores(scored)
    offsets = siblings.variable_offsets[first : last + 1]
    counts = np.diff(offsets)
    variables = siblings.variables[offsets[0] : offsets[-1]]
    if "grandparent" not in families:
        graph.add_chunk(
            Kind.HEAD_AUTOMATON, Chunk.of(last - first, counts, variables, score_counts, laid_out)
        )
        return
    # The root has nobody above it; its automaton comes first, if it may head a word at all.
    roots = int(siblings.above[first] == 0)
    link, cell = (int(o[roots] - o[0]) for o in (offsets, score_offsets))
    for kind, chunk in (
        (Kind.HEAD_AUTOMATON, Chunk.of(roots, link, variables[:link], cell, laid_out[:cell])),
        (
            Kind.GRANDPARENT_AUTOMATON,
            Chunk.of(
                last - first - roots,
                counts[roots:],
                variables[link:],
                score_counts[roots:],
                laid_out[cell:],
                1,
                siblings.above[first + roots : last],
            ),
        ),
    ):
        if chunk.factors:
            graph.add_chunk(kind, chunk)


def automata_scores(scored: ScoredSentence) -> FloatArray:
    """Lay the scores of a sentence's automata out as they read them."""
    families: Any = scored.parts.families
    siblings = families["sibling"]
    first, last = siblings.automaton_offsets[scored.sentence : scored.sentence + 2].tolist()
    laid_out = np.zeros(int(siblings.score_offsets[last] - siblings.score_offsets[first]))
    for name in IN_AUTOMATA:
        if name in families:
            own = families[name]
            laid_out[own.cells[own.parts.places(scored.sentence)]] = scored.scores[name]
    return laid_out


def in_automata(told: Told) -> FloatArray:
    """Return what a solver tells of all automata, that of the root first."""
    kinds = (Kind.HEAD_AUTOMATON, Kind.GRANDPARENT_AUTOMATON)
    return np.concatenate([told.of(kind) for kind in kinds])


def read_automata(parts: Parts, cells: IntArray, scored: ScoredSentence, told: Told) -> FloatArray:
    """Return what a solver tells of the parts of a family that automata score."""
    found: FloatArray = in_automata(told)[cells[parts.places(scored.sentence)]]
    return found
