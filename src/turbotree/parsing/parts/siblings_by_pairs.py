"""Consecutive siblings as conjunctions of literals, as Martins et al. (2009) have them.

Two modifiers of a head are consecutive siblings if both are there, and neither is there together
with a modifier between them. Each part has a column of its own, tied to columns for pairs of arcs:

    next(a, b) <= both(a, b)
    next(a, b) <= 1 - both(a, l)                     for each l between a and b
    next(a, b) >= both(a, b) - sum of both(a, l)     over all l between

At the two ends of a row, where a part has one arc or none, both(a, b) is the arc that there is, or
1. These rows have the same whole solutions as the automaton of a head (Martins et al. 2011a,
appendix F), and more fractional ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import LongArray
from turbotree.parsing.parts.steps import Steps, part_places

if TYPE_CHECKING:
    from turbotree.parsing.decoding.linear_program import ProgramWriter
    from turbotree.parsing.parts.sibling import SiblingFamily

_INF = np.inf


def own_columns(siblings: SiblingFamily, sentence: int, arcs: int) -> Steps:
    """Give each of a sentence's parts a column of its own, numbered after the arcs."""
    count = len(siblings.arcs[siblings.parts.places(sentence)])
    none = np.zeros(0, dtype=np.int64)
    return Steps(
        arcs + np.arange(count), np.ones(count, dtype=np.bool_), none, none[:0], none, none, none
    )


def add_siblings_by_pairs(siblings: SiblingFamily, program: ProgramWriter) -> None:
    """Write columns and rows of a sentence's consecutive siblings.

    Parameters
    ----------
    siblings
        The family.
    program
        Its columns are the sentence's arcs so far.
    """
    sentence, model = program.scored.sentence, program.model
    at = siblings.parts.places(sentence)
    ends, spans = siblings.arcs[at].astype(np.int64), siblings.spans[at].astype(np.int64)
    first, last = ends.T
    parts = model.add_columns(program.scored.scores[siblings.name]) + np.arange(len(ends))
    # What a part would be if nothing could come between: an arc, or a pair of arcs, or certain.
    both = np.where(first < 0, last, first)
    pairs = np.flatnonzero((first >= 0) & (last >= 0))
    both[pairs] = model.add_columns(np.zeros(len(pairs))) + np.arange(len(pairs))
    for end in (0, 1):
        program.add_at_most(both[pairs], ends[pairs, end])
    rows = np.column_stack([ends[pairs], both[pairs]]).reshape(-1)
    signs = np.tile([1.0, 1.0, -1.0], len(pairs))
    model.add_rows(np.full(len(pairs), 3), rows, signs, -_INF, 1.0)

    owner, between = _between(siblings, sentence, spans)
    with_first = between.copy()
    inner = np.flatnonzero(first[owner] >= 0)
    keys = np.column_stack([first[owner[inner]], between[inner]])
    with_first[inner] = both[part_places(ends, keys)]
    certain = both < 0
    program.add_at_most(parts[~certain], both[~certain])
    rows = np.column_stack([parts[owner], with_first]).reshape(-1)
    model.add_rows(np.full(len(owner), 2), rows, np.ones(len(rows)), -_INF, 1.0)
    for chosen, least in ((~certain, 0.0), (certain, 1.0)):
        _add_least(program, np.flatnonzero(chosen), parts, both, owner, with_first, least)


def _between(
    siblings: SiblingFamily, sentence: int, spans: LongArray
) -> tuple[LongArray, LongArray]:
    """Return the arcs that come between the two of each part, and whose they are."""
    links, _ = siblings.automata(sentence)
    counts = spans[:, 1] - spans[:, 0]
    owner = np.repeat(np.arange(len(spans)), counts)
    steps = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owner, links[spans[owner, 0] + steps].astype(np.int64)


def _add_least(
    program: ProgramWriter,
    chosen: LongArray,
    parts: LongArray,
    both: LongArray,
    owner: LongArray,
    with_first: LongArray,
    least: float,
) -> None:
    """Some parts, and what comes between, are together at least what both arcs are, or 1."""
    own = np.isin(owner, chosen)
    items = [parts[chosen], with_first[own]]
    signs = [np.ones(len(chosen)), np.ones(np.count_nonzero(own))]
    row = [chosen, owner[own]]
    if least == 0.0:
        items.append(both[chosen])
        signs.append(-np.ones(len(chosen)))
        row.append(chosen)
    rows = np.concatenate(row)
    order = np.argsort(rows, kind="stable")
    sizes = np.bincount(rows, minlength=len(parts))[chosen]
    program.model.add_rows(
        sizes, np.concatenate(items)[order], np.concatenate(signs)[order], least, _INF
    )
