"""A sentence's parts as a graph of simple factors: flows and first-order logic.

This is the decomposition of the 2011 paper (Table 1), with two of its rows written shorter: trees
need fewer commodities (:mod:`turbotree.parsing.commodities`), and consecutive siblings need no
"last modifier so far": the steps of a head's row, from one modifier to the next, form a path, so
each modifier is stepped on once if it is one, and stepped off once. Both allow the same arcs,
flows and siblings, whole and fractional, as the table does.

Directed paths and non-projective arcs are another matter. The table reads them off the flows: a
path into a word carries that word's commodity. Here they are logic over arcs alone
(:mod:`turbotree.parsing.ancestry`): the same trees have the same parts, but fractional solutions
may have more of them, and the relaxation is looser than the table's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.features import Parts
from turbotree.graphs import FactorGraph
from turbotree.parsing.ancestry import add_ancestry, families_of_ancestry
from turbotree.parsing.arcs import TreeShape, best_trees
from turbotree.parsing.commodities import commodities, grouped
from turbotree.parsing.families import (
    ArcFamily,
    GrandSiblingFamily,
    SiblingFamily,
    TriSiblingFamily,
)
from turbotree.parsing.parts import PartSet

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of all rows of modifiers, each an arc or a variable numbered after the arcs.

    Where only one step leads to a modifier, or away from it, that step is the arc itself.

    Attributes
    ----------
    variables
        The variable of each sibling part.
    new
        Which parts have a variable of their own; in their order.
    first, first_offsets
        The first steps of each row: exactly one is taken.
    steps, step_offsets, of_arc
        Steps to a modifier, or away from it: one is taken if the arc is there, else none.
    """

    variables: Ints
    new: npt.NDArray[np.bool_]
    first: Ints
    first_offsets: Ints
    steps: Ints
    step_offsets: Ints
    of_arc: Ints


def sibling_steps(siblings: SiblingFamily, sentence: int, arcs: int) -> Steps:
    """Lay out a sentence's consecutive siblings as steps."""
    at = siblings.parts.places(sentence)
    ends = siblings.arcs[at].astype(np.int64)
    variables = np.full(len(ends), -1)
    groups = []
    for end in (0, 1):
        joined = np.flatnonzero(ends[:, end] >= 0)
        parts, of_arc, offsets = grouped(joined, ends[joined, end])
        alone = np.diff(offsets) == 1
        variables[parts[offsets[:-1][alone]]] = of_arc[alone]
        groups.append((parts, of_arc, offsets, alone))
    new = variables < 0
    variables[new] = arcs + np.arange(np.count_nonzero(new))
    steps, owners, lengths = [], [], []
    for parts, of_arc, offsets, alone in groups:
        sizes = np.diff(offsets)
        steps.append(variables[parts[np.repeat(~alone, sizes)]])
        owners.append(of_arc[~alone])
        lengths.append(sizes[~alone])
    starting = np.flatnonzero(ends[:, 0] < 0)
    first, _, first_offsets = grouped(starting, siblings.spans[at][starting, 0])
    return Steps(
        variables,
        new,
        variables[first],
        first_offsets,
        np.concatenate(steps),
        np.concatenate([[0], np.cumsum(np.concatenate(lengths))]),
        np.concatenate(owners),
    )


def third_order_pairs(
    family: GrandSiblingFamily | TriSiblingFamily, sentence: int, steps: Steps
) -> Ints:
    """Return for each part the two variables that it is the pair of.

    With a grandparent they are the arc above and the step between the siblings; of three siblings,
    the two steps.
    """
    siblings = family.siblings
    keys = _step_keys(siblings.arcs[siblings.parts.places(sentence)])
    order = np.argsort(keys)

    def step_of(ends: npt.NDArray[np.int32]) -> Ints:
        found: Ints = steps.variables[order[np.searchsorted(keys, _step_keys(ends), sorter=order)]]
        return found

    arcs = family.arcs[family.parts.places(sentence)]
    grand = isinstance(family, GrandSiblingFamily)
    first = arcs[:, 0].astype(np.int64) if grand else step_of(arcs[:, :2])
    pairs: Ints = np.stack([first, step_of(arcs[:, 1:])], axis=1)
    return pairs


def _step_keys(ends: npt.NDArray[np.int32]) -> Ints:
    """Number the steps from one arc to the next; their ends tell them apart, but for empty rows."""
    wide = ends.astype(np.int64) + 1
    keys: Ints = wide[:, 0] * 2**31 + wide[:, 1]
    return keys


def check_shape(shape: TreeShape) -> None:
    """Refuse what flows cannot say."""
    if shape.projective:
        raise InputError(
            "flows cannot keep arcs from crossing: for projective trees choose the structured "
            "decomposition, and not decoder 'lp-single'"
        )


def require_tree(parts: PartSet, sentence: int, shape: TreeShape) -> None:
    """Raise InfeasibleError if the candidate arcs form no tree."""
    at = parts.arcs.places(sentence)
    rows = parts.arcs.rows[at]
    lengths = parts.lengths[sentence : sentence + 1]
    best_trees(lengths, Parts.of_one(rows), np.zeros(len(rows)), shape)


def logic_graph(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], shape: TreeShape
) -> FactorGraph:
    """Write a sentence's parts as a graph of simple factors only.

    The arcs are the first variables. Parameters are those of
    :func:`turbotree.parsing.decoding.build_graph`; trees that have to be projective are refused.
    """
    check_shape(shape)
    require_tree(parts, sentence, shape)
    at = parts.arcs.places(sentence)
    heads, modifiers = parts.arcs.rows[at].T
    words = int(parts.lengths[sentence])
    graph = FactorGraph()
    graph.variables(scores["arc"])
    graph.exactly_one(np.arange(len(heads)), offsets=heads_of_words(modifiers, words))
    if shape.single_root:
        graph.exactly_one(np.flatnonzero(heads == 0))
    for name, family in parts.families.items():
        own = scores[name]
        if isinstance(family, SiblingFamily):
            steps = sibling_steps(family, sentence, len(graph))
            _add_siblings(graph, steps, own)
        elif isinstance(family, ArcFamily):
            pairs = family.arcs[family.parts.places(sentence)].astype(np.int64)
            if isinstance(family, GrandSiblingFamily | TriSiblingFamily):
                pairs = third_order_pairs(family, sentence, steps)
            matters = np.flatnonzero(own)
            graph.pair(pairs[matters, 0], pairs[matters, 1], own[matters])
    ancestral = families_of_ancestry(parts.families)
    if ancestral:
        add_ancestry(graph, sentence, len(heads), ancestral, scores)
    _add_flows(graph, words, heads, modifiers)
    return graph


def heads_of_words(modifiers: npt.NDArray[np.int32], words: int) -> Ints:
    """Return where the arcs into each word start, sorted as they are, and where all end."""
    return np.searchsorted(modifiers, np.arange(1, words + 2)).astype(np.int64)


def _add_siblings(graph: FactorGraph, steps: Steps, scores: FloatArray) -> None:
    graph.variables(scores[steps.new])
    # A step that is an arc brings its score to the arc.
    totals = graph.scores.copy()
    np.add.at(totals, steps.variables[~steps.new], scores[~steps.new])
    graph.set_scores(totals)
    graph.exactly_one(steps.first, offsets=steps.first_offsets)
    graph.define_exactly_one(steps.of_arc, steps.steps, offsets=steps.step_offsets)


def _add_flows(
    graph: FactorGraph,
    words: int,
    heads: npt.NDArray[np.int32],
    modifiers: npt.NDArray[np.int32],
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


def _offsets(lengths: npt.NDArray[np.int64]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)])
