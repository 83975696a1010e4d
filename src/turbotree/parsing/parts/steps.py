"""Rows of modifiers as steps from one to the next, for graphs by logic and linear programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import BoolArray, IntArray, LongArray

if TYPE_CHECKING:
    from turbotree.parsing.parts.sibling import SiblingFamily


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

    variables: LongArray
    new: BoolArray
    first: LongArray
    first_offsets: LongArray
    steps: LongArray
    step_offsets: LongArray
    of_arc: LongArray


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


def steps_between(
    siblings: SiblingFamily, sentence: int, steps: Steps, ends: IntArray
) -> LongArray:
    """Return the variables of steps from one arc to the next, given by these two."""
    known = siblings.arcs[siblings.parts.places(sentence)]
    found: LongArray = steps.variables[part_places(known, ends)]
    return found


def part_places(known: IntArray | LongArray, ends: IntArray | LongArray) -> LongArray:
    """Return where sibling parts are among the known ones, given by their two arcs."""
    keys = _step_keys(known)
    order = np.argsort(keys)
    places: LongArray = order[np.searchsorted(keys, _step_keys(ends), sorter=order)]
    return places


def _step_keys(ends: IntArray | LongArray) -> LongArray:
    """Number the steps from one arc to the next; their ends tell them apart, but for empty rows."""
    wide = ends.astype(np.int64) + 1
    keys: LongArray = wide[:, 0] * 2**31 + wide[:, 1]
    return keys


def grouped(items: LongArray, keys: LongArray) -> tuple[LongArray, LongArray, LongArray]:
    """Sort items by key; give them, the keys and where each key's items start and end."""
    order = np.argsort(keys, kind="stable")
    found, starts = np.unique(keys[order], return_index=True)
    return items[order], found, np.append(starts, len(items))
