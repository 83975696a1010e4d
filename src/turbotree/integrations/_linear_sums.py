"""Factors of logic and trees as sums of literals, for solvers that know linear constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from turbotree.arrays import BoolArray, IntArray
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT, Factor, Kind

#: Literals with their coefficients, a comparison, a number.
Sum = tuple[list[tuple[int, int]], str, int]


def logic_sums(factor: Factor) -> list[Sum]:
    """Say a factor of logic by sums of its literals; nothing for other kinds."""
    links = factor.variables.astype(np.int64)
    literals = np.where(factor.negated.astype(bool), ~links, links).tolist()
    every = [(literal, 1) for literal in literals]
    *inputs, output = literals
    with_output = [*((literal, 1) for literal in inputs), (output, -1)]
    kind = factor.kind
    simple: dict[Kind, tuple[str, int]] = {
        Kind.XOR: ("==", 1),
        Kind.AT_MOST_ONE: ("<=", 1),
        Kind.OR: (">=", 1),
        Kind.NAND: ("<=", len(literals) - 1),
    }
    if kind in simple:
        return [(every, *simple[kind])]
    if kind is Kind.IMPLY:
        return [([(inputs[0], 1), (output, -1)], "<=", 0)]
    if kind is Kind.BUDGET:
        return [(every, "<=", int(factor.shape[0]))]
    if kind is Kind.KNAPSACK:
        limit, *costs = factor.shape.tolist()
        return [(list(zip(literals, costs, strict=True)), "<=", limit)]
    if kind is Kind.XOR_OUT:
        return [(with_output, "==", 0)]
    if kind is Kind.OR_OUT:
        each: list[Sum] = [([(literal, 1), (output, -1)], "<=", 0) for literal in inputs]
        return [(with_output, ">=", 0), *each]
    if kind is Kind.AND_OUT:
        each = [([(literal, 1), (output, -1)], ">=", 0) for literal in inputs]
        return [(with_output, "<=", len(inputs) - 1), *each]
    return []


def _arcs(tree: Factor) -> tuple[list[int], IntArray, IntArray]:
    links = tree.variables.astype(np.int64)
    literals = np.where(tree.negated.astype(bool), ~links, links)
    return literals.tolist(), tree.shape[2::2], tree.shape[3::2]


def tree_sums(tree: Factor) -> Iterator[Sum]:
    """Say of a tree all but that it has no cycles: one head per word, and the root."""
    literals, heads, modifiers = _arcs(tree)
    for word in range(1, int(tree.shape[0]) + 1):
        yield [(literals[i], 1) for i in np.flatnonzero(modifiers == word)], "==", 1
    roots = [(literals[i], 1) for i in np.flatnonzero(heads == 0)]
    yield roots, "==" if tree.shape[1] & SINGLE_ROOT else ">=", 1


def broken_trees(tree: Factor, values: BoolArray) -> Iterator[Sum]:
    """Forbid the cycles, and for projective trees the crossing arcs, of an assignment."""
    literals, heads, modifiers = _arcs(tree)
    true = [i for i, x in enumerate(literals) if (values[x] if x >= 0 else not values[~x])]
    head = {int(modifiers[i]): int(heads[i]) for i in true}
    seen: set[int] = set()
    for word in head:
        path: list[int] = []
        while word and word not in seen:
            seen.add(word)
            path.append(word)
            word = head.get(word, 0)
        if word in path:
            cycle = path[path.index(word) :]
            inside = np.isin(heads, cycle) & np.isin(modifiers, cycle)
            yield [(literals[i], 1) for i in np.flatnonzero(inside)], "<=", len(cycle) - 1
    if tree.shape[1] & PROJECTIVE:
        spans = [(min(heads[i], modifiers[i]), max(heads[i], modifiers[i]), i) for i in true]
        for begin, end, one in spans:
            for left, right, other in spans:
                if begin < left < end < right:
                    yield [(literals[one], 1), (literals[other], 1)], "<=", 1
