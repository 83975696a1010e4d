"""A sentence's parts as a graph of simple factors: flows and first-order logic.

This is the decomposition of the 2011 paper (Table 1), with two of its rows written shorter: trees
need fewer commodities (see :mod:`turbotree.parsing.decoding.commodities`), and siblings need no
"last modifier so far": the steps of a head's row, from one modifier to the next, form a path, so
each modifier is stepped on once if it is one, and stepped off once. Both allow the same arcs,
flows and siblings, whole and fractional, as the table does.

Directed paths and non-projective arcs are another matter. The table reads them off the flows: a
path into a word carries that word's commodity. That is :func:`flow_graph`. In :func:`logic_graph`
they are logic over arcs alone (:mod:`turbotree.parsing.parts.ancestry`): the same trees have the
same parts, but fractional solutions may have more of them, and the relaxation is looser.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turbotree.arrays import IntArray
from turbotree.arrays import LongArray as Ints
from turbotree.errors import InputError
from turbotree.graphs import FactorGraph
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding.commodities import commodities
from turbotree.parsing.decoding.flows import Flows, add_flows_to_graph
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.steps import Steps


@dataclass
class LogicWriter:
    """A graph of simple factors in the making.

    Attributes
    ----------
    graph
        Its first variables are the arcs.
    scored
        The sentence.
    steps
        The steps of siblings, as soon as these are written.
    flows
        The flows that paths are read off, if they are.
    """

    graph: FactorGraph
    scored: ScoredSentence
    steps: Steps | None = None
    flows: Flows | None = None


def check_shape(shape: TreeShape) -> None:
    """Refuse what flows cannot say."""
    if shape.projective:
        raise InputError(
            "flows cannot keep arcs from crossing: for projective trees choose the structured "
            "decomposition, and no decoder that begins with 'lp-' or 'lp2009'"
        )


def require_tree(scored: ScoredSentence) -> None:
    """Raise InfeasibleError if the candidate arcs form no tree."""
    scored.best_tree(np.zeros(len(scored.arcs)))


def logic_graph(scored: ScoredSentence) -> FactorGraph:
    """Write a sentence's parts as a graph of simple factors only.

    The arcs are the first variables. Trees that have to be projective are refused.
    """
    graph = _with_families(scored, paths_by_flows=False)
    _add_flows(graph, scored.words, *scored.arcs.T)
    return graph


def flow_graph(scored: ScoredSentence) -> FactorGraph:
    """Write a sentence's parts as a graph of simple factors, with paths read off flows.

    This is Table 1 of the 2011 paper. The arcs are the first variables. Trees that have to be
    projective are refused.
    """
    return _with_families(scored, paths_by_flows=True)


def _with_families(scored: ScoredSentence, *, paths_by_flows: bool) -> FactorGraph:
    check_shape(scored.shape)
    require_tree(scored)
    heads, modifiers = scored.arcs.T
    graph = FactorGraph()
    graph.variables(scored.scores["arc"])
    graph.exactly_one(np.arange(len(heads)), offsets=heads_of_words(modifiers, scored.words))
    if scored.shape.single_root:
        graph.exactly_one(np.flatnonzero(heads == 0))
    logic = LogicWriter(graph, scored)
    if paths_by_flows:
        logic.flows = add_flows_to_graph(graph, scored)
    for family in scored.parts.families.values():
        family.add_to_logic(logic)
    return graph


def heads_of_words(modifiers: IntArray, words: int) -> Ints:
    """Return where the arcs into each word start, sorted as they are, and where all end."""
    return np.searchsorted(modifiers, np.arange(1, words + 2)).astype(np.int64)


def _add_flows(
    graph: FactorGraph,
    words: int,
    heads: IntArray,
    modifiers: IntArray,
) -> None:
    found = commodities(words, heads, modifiers)
    if len(found.hopeless):
        graph.fix(found.hopeless, False)
    if not found.flows:
        return
    shift = len(graph) - found.arcs
    flows = graph.variables(np.zeros(found.flows))
    graph.implies(flows[: len(found.along)], found.along)
    # An entering flow needs one of the arcs that it may come by.
    entering = flows[len(found.along) :]
    sizes = np.diff(found.entry_offsets)
    with_flow = np.insert(found.entries, found.entry_offsets[:-1], ~entering)
    graph.at_least_one(with_flow, offsets=_offsets(sizes + 1))
    into, out = (np.where(i < found.arcs, i, i + shift) for i in (found.into, found.out))
    into_sizes, out_sizes = np.diff(found.into_offsets), np.diff(found.out_offsets)
    # Sums of both sides are equal: where one side is a single item, that item is the sum.
    sums = np.where(into_sizes == 1, into[found.into_offsets[:-1]], out[found.out_offsets[:-1]])
    both = (into_sizes > 1) & (out_sizes > 1)
    sums[both] = graph.variables(np.zeros(np.count_nonzero(both)))
    for items, item_sizes, stated in (
        (into, into_sizes, into_sizes > 1),
        (out, out_sizes, both | (into_sizes == 1)),
    ):
        graph.define_exactly_one(
            sums[stated], items[np.repeat(stated, item_sizes)], offsets=_offsets(item_sizes[stated])
        )


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)])
