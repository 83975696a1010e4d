"""The flows of Martins et al. (2011a), Table 1: one commodity per word, and paths read off them.

Each word k is sent one unit from the root, through chosen arcs only. Word k descends from m if its
unit passes m: path(m, k) is what comes into m of it, and what goes out. Trees need far fewer flows
(:mod:`turbotree.parsing.decoding.commodities`), but where directed paths and non-projective arcs
have scores, all of them make for a tighter relaxation than logic over arcs alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.graphs import FactorGraph

if TYPE_CHECKING:
    from turbotree.parsing.decoding.linear_program import ProgramWriter
    from turbotree.parsing.parts import ScoredSentence


@dataclass(frozen=True, slots=True)
class Flows:
    """Flows and paths over candidate arcs, numbered: arcs, then flows, then paths.

    Attributes
    ----------
    along
        The arc that each flow goes along; it is at most the arc.
    into, into_offsets, out, out_offsets
        For each path, the flows into its upper word, and out of it; either sum is the path. The
        last flow on the way is the arc to the lower word.
    paths
        The number of the path from each word to each other, and -1 for what needs none: all words
        descend from the root.
    """

    along: LongArray
    into: LongArray
    into_offsets: LongArray
    out: LongArray
    out_offsets: LongArray
    paths: LongArray

    @property
    def path_count(self) -> int:
        """The number of paths."""
        return len(self.into_offsets) - 1

    def numbered_from(self, first: int, arcs: int) -> Flows:
        """Renumber the flows, from `first` on, and the paths, which follow them."""
        moved = (np.where(i < arcs, i, i + first - arcs) for i in (self.into, self.out, self.paths))
        into, out, paths = moved
        return replace(self, into=into, out=out, paths=paths)


def flows(words: int, heads: IntArray, modifiers: IntArray) -> Flows:
    """Lay out the flows of a sentence.

    Examples
    --------
    Of two words, each descends from the other if it is its modifier; no flow is needed beside
    that of the root.

    >>> found = flows(2, np.array([0, 2, 0, 1]), np.array([1, 1, 2, 2]))
    >>> found.along, found.out, found.paths.tolist()
    (array([2, 0]), array([1, 3]), [[-1, -1, -1], [-1, -1, 7], [-1, 6, -1]])
    """
    arcs, words_below = len(heads), np.arange(1, words + 1)
    head, modifier = heads.astype(np.int64), modifiers.astype(np.int64)
    # The unit of k neither leaves it, nor is it a flow of its own where it arrives.
    target, along = np.nonzero((head != words_below[:, None]) & (modifier != words_below[:, None]))
    target = words_below[target]
    upper, lower = np.nonzero(words_below[:, None] != words_below)
    order = np.lexsort((upper, lower))
    upper, lower = words_below[upper[order]], words_below[lower[order]]
    numbers = arcs + np.arange(len(along))
    key_of_path = lower * (words + 1) + upper
    last = np.flatnonzero(head > 0)
    into, into_offsets = _members(numbers, target * (words + 1) + modifier[along], key_of_path)
    passing = head[along] > 0
    out, out_offsets = _members(
        np.concatenate([numbers[passing], last]),
        np.concatenate(
            [
                target[passing] * (words + 1) + head[along[passing]],
                modifier[last] * (words + 1) + head[last],
            ]
        ),
        key_of_path,
    )
    paths = np.full((words + 1, words + 1), -1, dtype=np.int64)
    paths[upper, lower] = arcs + len(along) + np.arange(len(upper))
    return Flows(along, into, into_offsets, out, out_offsets, paths)


def _members(items: LongArray, keys: LongArray, groups: LongArray) -> tuple[LongArray, LongArray]:
    """Sort items by key; give them and where those of each group start and end."""
    order = np.argsort(keys, kind="stable")
    starts = np.searchsorted(keys[order], groups, side="left")
    ends = np.searchsorted(keys[order], groups, side="right")
    assert (starts[1:] == ends[:-1]).all()
    return items[order], np.append(starts, len(items))


def path_scores(scored: ScoredSentence, found: Flows) -> FloatArray:
    """Return the score of each path; 0 where the model has none."""
    scores = np.zeros(found.path_count)
    own = scored.parts.families.get("path")
    if own is not None:
        upper, lower = own.parts.rows[own.parts.places(scored.sentence)].T
        first = found.paths[found.paths >= 0].min(initial=found.paths.max())
        np.add.at(scores, found.paths[upper, lower] - first, scored.scores["path"])
    return scores


def add_flows_to_graph(graph: FactorGraph, scored: ScoredSentence) -> Flows:
    """Add flows and paths to a graph whose first variables are the arcs."""
    found = flows(scored.words, *scored.arcs.T).numbered_from(len(graph), len(scored.arcs))
    items = graph.variables(np.zeros(len(found.along)))
    paths = graph.variables(path_scores(scored, found))
    graph.implies(items, found.along)
    for members, offsets in ((found.into, found.into_offsets), (found.out, found.out_offsets)):
        sizes = np.diff(offsets)
        graph.define_exactly_one(
            paths[sizes > 0], members, offsets=np.append(offsets[:-1][sizes > 0], len(members))
        )
        graph.fix(paths[sizes == 0], False)
    return found


def add_flows_to_program(program: ProgramWriter) -> Flows:
    """Add flows and paths to a linear program whose first columns are the arcs."""
    scored, model = program.scored, program.model
    found = flows(scored.words, *scored.arcs.T).numbered_from(model.columns, len(scored.arcs))
    first = model.add_columns(np.zeros(len(found.along)))
    program.add_at_most(first + np.arange(len(found.along)), found.along)
    first = model.add_columns(path_scores(scored, found))
    one_each = np.arange(found.path_count + 1)
    for members, offsets in ((found.into, found.into_offsets), (found.out, found.out_offsets)):
        program.add_balance(members, offsets, first + one_each[:-1], one_each)
    return found
