"""Tree factors as flows.

Non-projective trees: one commodity for each word travels from the root along chosen arcs, which
gives exactly the spanning-arborescence polytope. Projective trees: a flow on the hypergraph of
Eisner's algorithm, where an item used as a part must be built as often as it is used.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT

Ints = LongArray

#: rows, columns, values of the entries; lower and upper bounds of the rows; number of flows.
TreeRows = tuple[Ints, Ints, FloatArray, FloatArray, FloatArray, int]


def tree_rows(shape: IntArray) -> TreeRows:
    """Write the rows of one tree factor from its words, flags and arcs."""
    words, flags = shape[:2].tolist()
    arcs = shape[2:].reshape(-1, 2).astype(np.int64)
    parts = _projective(words, arcs) if flags & PROJECTIVE else _non_projective(words, arcs)
    rows, columns, values, lower, upper, flows = parts
    if flags & SINGLE_ROOT:
        # Every tree has one root arc or more, so the trees with one form a face of the hull.
        roots = np.flatnonzero(arcs[:, 0] == 0)
        rows = np.concatenate((rows, np.full(len(roots), len(lower))))
        columns = np.concatenate((columns, roots))
        values = np.concatenate((values, np.ones(len(roots))))
        lower, upper = np.append(lower, 1.0), np.append(upper, 1.0)
    return rows, columns, values, lower, upper, flows


def _non_projective(words: int, arcs: Ints) -> TreeRows:
    heads, modifiers = arcs[:, 0], arcs[:, 1]
    count = len(arcs)
    targets = np.arange(words + 1)
    # Arc h -> m carries the unit meant for word k in a column of its own, but none meant for h,
    # and the one meant for m whenever it is chosen.
    meant_for_head = heads[:, np.newaxis] == targets
    is_arc = modifiers[:, np.newaxis] == targets
    is_flow = ~(meant_for_head | is_arc)
    is_flow[:, 0] = False
    carries = is_flow | is_arc
    column = np.where(is_arc, np.arange(count)[:, np.newaxis], -1)
    flows = int(is_flow.sum())
    column[is_flow] = count + np.arange(flows)
    arc, target = np.nonzero(carries)
    at = column[arc, target]
    # Balance at node v for the unit of word k: in - out = 0, and out of the root it is 1. The
    # unit of word v itself ends there; its row says that exactly one arc enters v.
    out_row = heads[arc] * (words + 1) + target
    in_row = modifiers[arc] * (words + 1) + target
    rows = np.concatenate((in_row, out_row))
    columns = np.concatenate((at, at))
    values = np.concatenate((np.ones(len(at)), -np.ones(len(at))))
    right = np.zeros((words + 1, words + 1))
    right[0, 1:] = -1.0
    right[np.arange(1, words + 1), np.arange(1, words + 1)] = 1.0
    # Number the rows that matter: those with an entry or with a right-hand side.
    used = np.zeros((words + 1) ** 2, dtype=bool)
    used[rows] = True
    used |= right.reshape(-1) != 0
    number = np.cumsum(used) - 1
    rows = number[rows]
    bound = right.reshape(-1)[used]
    # A flow is at most its arc.
    of_arc = np.nonzero(is_flow)[0]
    capacity = len(bound) + np.arange(flows)
    rows = np.concatenate((rows, capacity, capacity))
    columns = np.concatenate((columns, count + np.arange(flows), of_arc))
    values = np.concatenate((values, np.ones(flows), -np.ones(flows)))
    lower = np.concatenate((bound, np.full(flows, -np.inf)))
    upper = np.concatenate((bound, np.zeros(flows)))
    return rows, columns, values, lower, upper, flows


#: An item of Eisner's algorithm: whether it is complete, whether its head is on the left, span.
_Item = tuple[bool, bool, int, int]


def _projective(words: int, arcs: Ints) -> TreeRows:
    links = {(h, m): link for link, (h, m) in enumerate(arcs.tolist())}
    built: dict[_Item, list[int]] = {}  # the hyperedges (flows) that build each item
    used: dict[_Item, list[int]] = defaultdict(list)  # those that use it
    flows = len(arcs)
    for word in range(words + 1):
        built[True, True, word, word] = built[True, False, word, word] = []

    def build(item: _Item, ways: list[tuple[_Item, _Item]]) -> None:
        nonlocal flows
        possible = [way for way in ways if way[0] in built and way[1] in built]
        if not possible:
            return
        built[item] = list(range(flows, flows + len(possible)))
        for flow, way in zip(built[item], possible, strict=True):
            for part in way:
                used[part].append(flow)
        flows += len(possible)

    for width in range(1, words + 1):
        for s in range(words + 1 - width):
            t = s + width
            halves = [((True, True, s, r), (True, False, r + 1, t)) for r in range(s, t)]
            if (s, t) in links:
                build((False, True, s, t), halves)
            if (t, s) in links:
                build((False, False, s, t), halves)
            build(
                (True, True, s, t),
                [((False, True, s, r), (True, True, r, t)) for r in range(s + 1, t + 1)],
            )
            build(
                (True, False, s, t),
                [((True, False, s, r), (False, False, r, t)) for r in range(s, t)],
            )
    entries: list[tuple[int, int, float]] = []
    right: list[float] = []

    def equation(left: list[int], minus: list[int], constant: float) -> None:
        entries.extend((len(right), column, 1.0) for column in left)
        entries.extend((len(right), column, -1.0) for column in minus)
        right.append(constant)

    goal: _Item = (True, True, 0, words)
    for item, ways in built.items():
        _, _, s, t = item
        if s < t:
            equation(ways, used[item], 1.0 if item == goal else 0.0)
    if words and goal not in built:
        equation([], [], 1.0)  # no tree at all: 0 = 1
    for (head, modifier), link in links.items():
        item = (False, head < modifier, min(head, modifier), max(head, modifier))
        equation(built.get(item, []), [link], 0.0)
    rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
    bound = np.array(right)
    return rows, columns, values.astype(np.float64), bound, bound, flows - len(arcs)
