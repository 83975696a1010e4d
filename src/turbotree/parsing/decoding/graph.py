"""A sentence's parts as a graph for decoders: a tree, automata, pairs and a chain."""

from __future__ import annotations

import numpy as np

from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT, Chunk
from turbotree.parsing.parts import ScoredSentence


def tree_graph(scored: ScoredSentence) -> FactorGraph:
    """Begin a sentence's graph: a variable per arc, and the tree that they form."""
    rows, shape = scored.arcs, scored.shape
    graph = FactorGraph()
    graph.variables(scored.scores["arc"])
    described = np.empty((len(rows) + 1, 2), dtype=np.int32)
    flags = PROJECTIVE * shape.projective + SINGLE_ROOT * shape.single_root
    described[0] = scored.words, flags
    described[1:] = rows
    variables = np.arange(len(rows), dtype=np.int32)
    graph.add_chunk(
        Kind.TREE,
        Chunk.of(1, len(rows), variables, shape_lengths=described.size, shapes=described.ravel()),
    )
    return graph


def build_graph(scored: ScoredSentence) -> FactorGraph:
    """Write a sentence as a graph; its first variables are the candidate arcs."""
    graph = tree_graph(scored)
    for family in scored.parts.families.values():
        family.add_to_graph(graph, scored)
    if scored.constraints is not None:
        scored.constraints.add_spans(graph, scored.arcs)
    return graph
