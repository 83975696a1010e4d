"""From blocks that are not trusted back to factors, through the checks of construction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.blocks import PROJECTIVE, SINGLE_ROOT, Block, Kind
from turbotree.graphs.literals import read_offsets

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph

_NONE_INT = np.zeros(0, dtype=np.int64)
_WITH_OUTPUT = frozenset({Kind.XOR_OUT, Kind.OR_OUT, Kind.AND_OUT})


def refill(
    graph: FactorGraph,
    kind: Kind,
    offsets: NDArray[np.int64],
    variables: NDArray[np.int32],
    negated: NDArray[np.uint8],
    extra_offsets: NDArray[np.int64] = _NONE_INT,
    extras: NDArray[np.float64] = np.zeros(0),
    shape_offsets: NDArray[np.int64] = _NONE_INT,
    shapes: NDArray[np.int32] = np.zeros(0, dtype=np.int32),
) -> None:
    """Add the factors of a block by the graph's own methods, after checking how they lie."""
    where = kind.name
    read_offsets(offsets, variables, where)
    if negated.shape != variables.shape or (negated > 1).any():
        raise InputError(f"{where}: negated: expected {len(variables)} zeros and ones")
    if variables.size and variables.min() < 0:
        raise InputError(f"{where}: expected variables from 0, got {variables.min()}")
    for places, flat, name in (
        (extra_offsets, extras, "extra_offsets"),
        (shape_offsets, shapes, "shape_offsets"),
    ):
        _check_places(places, len(flat), len(offsets) - 1, f"{where}: {name}")
    block = Block(kind, offsets, variables, negated, extra_offsets, extras, shape_offsets, shapes)
    literals = np.where(negated, ~variables.astype(np.int64), variables)
    if kind <= Kind.PAIR:
        _refill_logic(graph, block, literals)
        return
    for begin, end in _runs(block):
        rows = literals[offsets[begin] : offsets[end]].reshape(end - begin, -1)
        own = extras[extra_offsets[begin] : extra_offsets[end]] if len(extra_offsets) else extras
        _refill_structured(graph, kind, rows, own, block.factor(begin).shape)


def _check_places(places: NDArray[np.int64], size: int, factors: int, where: str) -> None:
    if not len(places):
        if size:
            raise InputError(f"{where}: missing")
        return
    if len(places) != factors + 1 or places[0] != 0 or places[-1] != size:
        raise InputError(f"{where}: expected {factors + 1} numbers from 0 to {size}")
    if (np.diff(places) < 0).any():
        raise InputError(f"{where}: expected numbers that do not decrease")


def _refill_logic(graph: FactorGraph, block: Block, literals: NDArray[np.int64]) -> None:
    method = getattr(graph, block.kind.method)
    offsets = block.offsets
    if block.kind in (Kind.IMPLY, Kind.PAIR):
        if (block.lengths != 2).any():
            raise InputError(f"{block.kind.name}: expected two links a factor")
        if block.kind is Kind.IMPLY:
            method(literals[0::2], literals[1::2])
            return
        if block.extras.shape != (len(block),) or (np.diff(block.extra_offsets) != 1).any():
            raise InputError("PAIR: expected one score a factor")
        method(literals[0::2], literals[1::2], block.extras)
    elif block.kind in _WITH_OUTPUT:
        last = offsets[1:] - 1
        inputs = np.delete(literals, last)
        method(literals[last], inputs, offsets=offsets - np.arange(len(offsets)))
    elif block.kind is Kind.BUDGET:
        if (np.diff(block.shape_offsets) != 1).any():
            raise InputError("BUDGET: expected one number a factor")
        method(literals, block.shapes, offsets=offsets)
    elif block.kind is Kind.KNAPSACK:
        if not np.array_equal(np.diff(block.shape_offsets), block.lengths + 1):
            raise InputError("KNAPSACK: expected a limit and one cost a link")
        limits = block.shape_offsets[:-1]
        method(
            literals,
            np.delete(block.shapes, limits),
            block.shapes[limits],
            offsets=offsets,
        )
    else:
        method(literals, offsets=offsets)


def _runs(block: Block) -> Iterator[tuple[int, int]]:
    """Find factors alike that follow one another; they go back in one call."""
    begin = 0
    for index in range(1, len(block) + 1):
        if index < len(block) and block.kind is not Kind.TREE and _alike(block, begin, index):
            continue
        yield begin, index
        begin = index


def _alike(block: Block, first: int, second: int) -> bool:
    one, other = block.factor(first), block.factor(second)
    return (
        len(one.variables) == len(other.variables)
        and len(one.extras) == len(other.extras)
        and np.array_equal(one.shape, other.shape)
    )


def _refill_structured(
    graph: FactorGraph,
    kind: Kind,
    rows: NDArray[np.int64],
    extras: NDArray[np.float64],
    shape: NDArray[np.int32],
) -> None:
    count, links = rows.shape
    numbers = shape.tolist()
    if kind is Kind.TREE:
        if len(numbers) != 2 + 2 * links or not 0 <= numbers[1] <= PROJECTIVE + SINGLE_ROOT:
            raise InputError("TREE: expected words, flags, and two ends for each arc")
        graph.tree(
            shape[2::2],
            shape[3::2],
            rows[0],
            words=numbers[0],
            projective=bool(numbers[1] & PROJECTIVE),
            single_root=bool(numbers[1] & SINGLE_ROOT),
        )
    elif kind is Kind.HEAD_AUTOMATON:
        graph.siblings(rows, _box(extras, (count, links + 1, links + 1), kind))
    elif kind is Kind.TRIPLE_AUTOMATON:
        graph.tri_siblings(rows, _box(extras, (count, links, links, links), kind))
    elif kind is Kind.GRANDPARENT_AUTOMATON:
        if len(numbers) != 1 or not 1 <= numbers[0] < links:
            raise InputError(f"{kind.name}: expected from 1 to {links - 1} grandparents")
        above, side = numbers[0], links - numbers[0] + 1
        parts = [(side, side), (above, side - 1), (above, side, side)]
        if extras.size == count * (side * side + above * (side - 1)):
            parts.pop()
        table = _box(extras, (count, sum(int(np.prod(part)) for part in parts)), kind)
        cuts = np.cumsum([int(np.prod(part)) for part in parts])[:-1]
        scores = [
            piece.reshape(count, *part)
            for piece, part in zip(np.split(table, cuts, axis=1), parts, strict=True)
        ]
        graph.grandparent_siblings(rows[:, :above], rows[:, above:], *scores)
    else:
        if not numbers or min(numbers) < 1 or sum(numbers) != links:
            raise InputError(f"{kind.name}: expected sizes from 1 that sum to {links} links")
        groups = np.split(rows, np.cumsum(numbers)[:-1], axis=1)
        if kind is Kind.DENSE:
            sizes = [2 if size == 1 else size for size in numbers]
            graph.table(groups, _box(extras, (count, *sizes), kind))
        else:
            _refill_chains(graph, groups, extras, numbers)


def _refill_chains(
    graph: FactorGraph, groups: list[NDArray[np.int64]], extras: NDArray[np.float64], sizes: Any
) -> None:
    count = len(groups[0])
    steps = [one * two for one, two in pairwise(sizes)]
    table = _box(extras, (count, sum(steps)), Kind.CHAIN)
    if len(set(sizes)) == 1:
        size, length = sizes[0], len(sizes)
        transitions = table.reshape(count, length - 1, size, size)
        graph.chain(np.stack(groups, axis=1), transitions)
        return
    for row in range(count):
        pieces = np.split(table[row], np.cumsum(steps)[:-1])
        graph.chain(
            [group[row] for group in groups],
            [
                piece.reshape(one, two)
                for piece, one, two in zip(pieces, sizes[:-1], sizes[1:], strict=True)
            ],
        )


def _box(extras: NDArray[np.float64], shape: tuple[int, ...], kind: Kind) -> NDArray[np.float64]:
    # In Python's numbers: sizes from a hostile file may not overflow.
    size = 1
    for axis in shape:
        size *= axis
    if extras.size != size:
        raise InputError(f"{kind.name}: expected {size} scores, got {extras.size}")
    return extras.reshape(shape)
