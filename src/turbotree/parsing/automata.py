"""The factors of a sentence's graphs: the tree, automata that read a head's modifiers, and others.

Graphs are made for every sentence in every round of training, so these write whole chunks of
factors, in the layout in which the core finds the parts, instead of adding factor by factor.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT, Chunk
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.families import (
    ArcFamily,
    Family,
    GrandparentFamily,
    GrandSiblingFamily,
    SiblingFamily,
    TriSiblingFamily,
)
from turbotree.parsing.parts import PartSet

#: The families that automata score together if all of them are there; else the first two, or one.
IN_AUTOMATA = ("sibling", "grandparent", "grand_sibling")
_Cells = SiblingFamily | GrandparentFamily | GrandSiblingFamily


def tree_of_arcs(
    parts: PartSet, sentence: int, scores: FloatArray, shape: TreeShape
) -> FactorGraph:
    """Begin a sentence's graph: a variable an arc, and the tree that they form."""
    rows = parts.arcs.rows[parts.arcs.places(sentence)]
    graph = FactorGraph()
    graph.variables(scores)
    described = np.empty((len(rows) + 1, 2), dtype=np.int32)
    flags = PROJECTIVE * shape.projective + SINGLE_ROOT * shape.single_root
    described[0] = int(parts.lengths[sentence]), flags
    described[1:] = rows
    variables = np.arange(len(rows), dtype=np.int32)
    graph.add_chunk(
        Kind.TREE,
        Chunk.of(1, len(rows), variables, shape_lengths=described.size, shapes=described.ravel()),
    )
    return graph


def add_automata(
    graph: FactorGraph,
    sentence: int,
    scores: Mapping[str, FloatArray],
    families: Mapping[str, Family],
) -> None:
    """Add the automata of siblings, with grandparents and grand-siblings where there are some."""
    siblings = families["sibling"]
    assert isinstance(siblings, SiblingFamily)
    first, last = siblings.automaton_offsets[sentence : sentence + 2].tolist()
    score_offsets = siblings.score_offsets[first : last + 1]
    score_counts = np.diff(score_offsets)
    laid_out = automata_scores(sentence, scores, families)
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


def automata_scores(
    sentence: int, scores: Mapping[str, FloatArray], families: Mapping[str, Family]
) -> FloatArray:
    """Lay the scores of a sentence's automata out as they read them."""
    siblings = families["sibling"]
    assert isinstance(siblings, SiblingFamily)
    first, last = siblings.automaton_offsets[sentence : sentence + 2].tolist()
    laid_out = np.zeros(int(siblings.score_offsets[last] - siblings.score_offsets[first]))
    for name in IN_AUTOMATA:
        family = families.get(name)
        if isinstance(family, _Cells):
            laid_out[family.cells[family.parts.places(sentence)]] = scores[name]
    return laid_out


def add_tri_siblings(
    graph: FactorGraph,
    sentence: int,
    scores: FloatArray,
    family: TriSiblingFamily,
    *,
    every_one: bool = False,
) -> None:
    """Add the automata of three siblings: those that score something, or every one."""
    links, lengths = family.automata(sentence)
    sizes = lengths**3
    cubes = np.zeros(int(sizes.sum()))
    cubes[family.cells[family.parts.places(sentence)]] = scores
    if not every_one and len(lengths):
        matters = np.logical_or.reduceat(cubes != 0.0, np.cumsum(sizes) - sizes)
        links, cubes = links[np.repeat(matters, lengths)], cubes[np.repeat(matters, sizes)]
        lengths, sizes = lengths[matters], sizes[matters]
    if len(lengths):
        graph.add_chunk(Kind.TRIPLE_AUTOMATON, Chunk.of(len(lengths), lengths, links, sizes, cubes))


def add_pairs(graph: FactorGraph, sentence: int, scores: FloatArray, family: ArcFamily) -> None:
    """Add the parts of two arcs each that score something."""
    matters = np.flatnonzero(scores)
    if not len(matters):
        return
    pairs = family.arcs[family.parts.places(sentence)][matters]
    own = scores[matters]
    if np.isfinite(own).all():
        graph.add_chunk(Kind.PAIR, Chunk.of(len(pairs), 2, pairs.reshape(-1), 1, own))
    else:  # what is forbidden is no pair with a score
        graph.pair(pairs[:, 0], pairs[:, 1], own)


def add_chain_of_heads(
    graph: FactorGraph, parts: PartSet, sentence: int, scores: FloatArray
) -> None:
    """Add the heads of all words as a chain; arcs are sorted by modifier, bigrams accordingly."""
    words = int(parts.lengths[sentence])
    if words < 2:
        return
    modifiers = parts.arcs.rows[parts.arcs.places(sentence), 1]
    states = np.arange(len(modifiers), dtype=np.int32)
    sizes = np.bincount(modifiers, minlength=words + 1)[1:].astype(np.int32)
    graph.add_chunk(Kind.CHAIN, Chunk.of(1, len(states), states, len(scores), scores, words, sizes))


def automata_extras(
    told: Mapping[Kind, FloatArray], sentence: int, families: Mapping[str, Family]
) -> dict[str, FloatArray]:
    """Return by family what a solver tells of the parts that automata score.

    Parameters
    ----------
    told
        By kind, one number for each of the factor scores; the automata are those of
        :func:`add_automata`.
    sentence
        Which sentence of the batch.
    families
        The families of the batch.
    """
    return parts_of_automata(in_automata(told), sentence, families)


def in_automata(told: Mapping[Kind, FloatArray]) -> FloatArray:
    """Return what a solver tells of all automata, that of the root first."""
    nothing = np.zeros(0)
    kinds = (Kind.HEAD_AUTOMATON, Kind.GRANDPARENT_AUTOMATON)
    return np.concatenate([told.get(kind, nothing) for kind in kinds])


def parts_of_automata(
    laid_out: FloatArray, sentence: int, families: Mapping[str, Family]
) -> dict[str, FloatArray]:
    """Return by family what :func:`automata_scores` would have laid out so."""
    found = {}
    for name in IN_AUTOMATA:
        family = families.get(name)
        if isinstance(family, _Cells):
            found[name] = laid_out[family.cells[family.parts.places(sentence)]]
    return found
