"""The linear programs of Martins et al. (2009), row by row over all words.

Consecutive siblings are conjunctions of literals: two arcs, and none of those between. Arcs form a
tree by flows of several commodities, as in Table 1 of the later paper, or of a single one.
"""

from __future__ import annotations

from oracles.parts import NONE
from oracles.table1 import Table, add_tree, conjunction

FAMILIES = ("arc", "sibling", "grandparent", "all_siblings")


def relaxation(words, arcs, scores, *, single_root=False, single_commodity=False):
    """Give the value of the relaxation; scores are tables of parts by family."""
    table = Table()
    everyone, below = range(words + 1), range(1, words + 1)
    for arc, gain in arcs.items():
        table.gains[("arc", *arc)] += gain
    for h in everyone:
        for m in below:
            if h != m and (h, m) not in arcs:
                table.says(table.equal, [(1, ("arc", h, m))], 0)
    if single_root:
        table.says(table.equal, [(1, ("arc", 0, m)) for m in below], 1)
    if single_commodity:
        _single_commodity(table, words)
    else:
        add_tree(table, words)
    for (g, h, m), gain in scores.get("grandparent", {}).items():
        conjunction(table, ("grand", g, h, m), ("arc", g, h), ("arc", h, m), gain)
    for (h, m, s), gain in scores.get("all_siblings", {}).items():
        conjunction(table, ("sibl", h, m, s), ("arc", h, m), ("arc", h, s), gain)
    for (h, a, b, side), gain in scores.get("sibling", {}).items():
        row = range(h + 1, words + 1) if side else range(h - 1, 0, -1)
        row = [m for m in row if (h, m) in arcs]
        start = 0 if a == NONE else row.index(a) + 1
        end = len(row) if b == NONE else row.index(b)
        _next(table, h, side, (a, b), row[start:end], gain)
    return table.solve()


def _single_commodity(table, words):
    """The root sends a unit to each word; each word keeps one and passes on the rest.

    Flows are counted in units of the whole, so that they are at most 1 as all columns are.
    """
    everyone, below = range(words + 1), range(1, words + 1)
    unit = 1.0 / words
    table.says(table.equal, [(1, ("flow", 0, m)) for m in below], 1)
    for m in below:
        heads = [h for h in everyone if h != m]
        into = [(1, ("flow", h, m)) for h in heads]
        out = [(-1, ("flow", m, k)) for k in below if k != m]
        table.says(table.equal, [*into, *out], unit)
        table.says(table.equal, [(1, ("arc", h, m)) for h in heads], 1)
        for h in heads:
            table.says(table.at_most, [(1, ("flow", h, m)), (-1, ("arc", h, m))], 0)


def _next(table, h, side, ends, between, gain):
    part = ("next", h, side, *ends)
    table.gains[part] += gain

    def both(a, b):
        """The arcs to a and b, as terms of a sum and a constant; NONE is always there."""
        there = [m for m in (a, b) if m != NONE]
        if len(there) < 2:
            return [(1, ("arc", h, m)) for m in there], 1 - len(there)
        name = ("pair", h, *there)
        if name not in table.columns:
            conjunction(table, name, ("arc", h, a), ("arc", h, b), 0.0)
        return [(1, name)], 0

    def minus(terms):
        return [(-factor, name) for factor, name in terms]

    whole, constant = both(*ends)
    table.says(table.at_most, [(1, part), *minus(whole)], constant)
    sums = []
    for m in between:
        terms, _ = both(ends[0], m)
        table.says(table.at_most, [(1, part), *terms], 1)
        sums += terms
    # whole - sums <= part
    table.says(table.at_most, [*whole, *minus(sums), (-1, part)], -constant)
