"""The tree constraint as flows of several commodities, with as few of them as will do.

Every word has one head, so what has to be kept out is cycles. The textbook sends a unit from the
root to each word, through chosen arcs only; projected on the arcs that gives the hull of all trees
(Martins et al. 2009). The unit of a word k forbids the sets of words that contain k and that no
arc enters. A set that the hull needs to forbid is strongly connected, so

- targets have to meet every cycle of the candidate arcs, no more (a feedback vertex set);
- the unit of a target only has to travel within its strongly connected component, after the
  earlier targets are taken out: a set with an earlier target is forbidden already. It enters that
  component anywhere, by arcs from outside.

The hull is the same, with a fraction of the flows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree.arrays import BoolArray as Bools
from turbotree.arrays import LongArray as Ints
from turbotree.parsing.parts.steps import grouped


@dataclass(frozen=True, slots=True)
class Commodities:
    """Flows over candidate arcs.

    An *item* is an arc, by its number, or one of the flows, numbered after the arcs: first those
    along arcs, then those that enter a component.

    Attributes
    ----------
    arcs
        The number of arcs.
    along
        The arc that each of the first flows goes along; it is at most the arc.
    entries, entry_offsets
        The arcs from outside that each of the other flows comes by; it is at most their sum.
    into, into_offsets, out, out_offsets
        Groups of items, as many into a place as out of it; their sums are equal, and at most 1.
    hopeless
        Arcs that are in no tree.
    """

    arcs: int
    along: Ints
    entries: Ints
    entry_offsets: Ints
    into: Ints
    into_offsets: Ints
    out: Ints
    out_offsets: Ints
    hopeless: Ints

    @property
    def flows(self) -> int:
        """The number of flows."""
        return len(self.along) + len(self.entry_offsets) - 1


def commodities(words: int, heads: npt.ArrayLike, modifiers: npt.ArrayLike) -> Commodities:
    """Find the flows that keep cycles out.

    Parameters
    ----------
    words
        The length of the sentence.
    heads, modifiers
        The candidate arcs; each word is said elsewhere to have one head.

    Examples
    --------
    Two words that may head each other: one unit, for word 1, enters by word 2 or ends at once.

    >>> found = commodities(2, [0, 2, 0, 1], [1, 1, 2, 2])
    >>> found.flows, found.entries, found.into, found.out
    (1, array([2]), array([4]), array([1]))
    """
    head, modifier = np.asarray(heads, dtype=np.int64), np.asarray(modifiers, dtype=np.int64)
    targets, inside, used = _components(words, head, modifier)
    arcs, nodes = len(head), words + 1
    is_target = modifier == targets[:, np.newaxis]
    of_flow, along = np.nonzero(used[:, head] & used[:, modifier])
    of_last, last = np.nonzero(used[:, head] & is_target)
    of_entry, entry = np.nonzero(~inside[:, head] & used[:, modifier])
    entries, places, entry_offsets = grouped(entry, of_entry * nodes + modifier[entry])
    flows = arcs + np.arange(len(along))
    entering = arcs + len(along) + np.arange(len(places))
    into, _, into_offsets = grouped(
        np.concatenate((flows, entering)),
        np.concatenate((of_flow * nodes + modifier[along], places)),
    )
    # What reaches the target is the arc itself: the target has one head.
    out, _, out_offsets = grouped(
        np.concatenate((flows, last)),
        np.concatenate((of_flow * nodes + head[along], of_last * nodes + head[last])),
    )
    hopeless = (inside & ~used)[:, head] & is_target
    return Commodities(
        arcs,
        along,
        entries,
        entry_offsets,
        into,
        into_offsets,
        out,
        out_offsets,
        np.flatnonzero(hopeless.any(axis=0)),
    )


def _components(words: int, heads: Ints, modifiers: Ints) -> tuple[Ints, Bools, Bools]:
    """Choose targets; give each one's component and the words that its unit may pass.

    Those are the words of the component, the target aside, that can be reached from outside
    without passing the target. Sets of words are bits of integers.
    """
    below, above = [0] * (words + 1), [0] * (words + 1)
    for head, modifier in zip(heads.tolist(), modifiers.tolist(), strict=True):
        below[head] |= 1 << modifier
        above[modifier] |= 1 << head
    targets, components, passed = [], [], []
    left = ((1 << (words + 1)) - 1) & ~1  # the root is on no cycle
    while left:
        left = _on_cycles(left, below, above)
        if not left:
            break
        # The busiest word first: without it, few cycles remain.
        target = max(
            _members(left),
            key=lambda v: (below[v] & left).bit_count() * (above[v] & left).bit_count(),
        )
        component = _reached(1 << target, left, below) & _reached(1 << target, left, above)
        left &= ~(1 << target)
        if component == 1 << target:
            continue
        others = component & ~(1 << target)
        entered = sum(1 << v for v in _members(others) if above[v] & ~component)
        targets.append(target)
        components.append(component)
        passed.append(_reached(entered, others, below))
    return (
        np.array(targets, dtype=np.int64),
        _as_rows(components, words + 1),
        _as_rows(passed, words + 1),
    )


def _on_cycles(left: int, below: list[int], above: list[int]) -> int:
    """Remove, again and again, the words that nobody heads or that head nobody."""
    while True:
        kept = left
        for word in _members(left):
            if not below[word] & kept or not above[word] & kept:
                kept &= ~(1 << word)
        if kept == left:
            return left
        left = kept


def _reached(start: int, within: int, steps: list[int]) -> int:
    """Return the words that can be reached from some, these included."""
    found = edge = start
    while edge:
        ahead = 0
        for word in _members(edge):
            ahead |= steps[word]
        edge = ahead & within & ~found
        found |= edge
    return found


def _members(words: int) -> list[int]:
    members = []
    while words:
        lowest = words & -words
        members.append(lowest.bit_length() - 1)
        words ^= lowest
    return members


def _as_rows(sets: list[int], width: int) -> Bools:
    size = (width + 7) // 8
    packed = np.frombuffer(b"".join(s.to_bytes(size, "little") for s in sets), dtype=np.uint8)
    bits = np.unpackbits(packed.reshape(len(sets), size), axis=1, bitorder="little")
    return bits[:, :width].astype(np.bool_)
