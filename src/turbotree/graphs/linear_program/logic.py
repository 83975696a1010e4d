"""Inequalities of the logic factors; each is the convex hull, except that of the knapsack."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.graphs.factors.blocks import Block, Kind
from turbotree.graphs.linear_program.model import Model

_INF = np.inf


def add_logic(model: Model, block: Block) -> None:
    """Write a block of logic factors into the model."""
    _WRITERS[block.kind](model, block)


def _sums(model: Model, block: Block, values: FloatArray, low: object, high: object) -> None:
    """One row per factor over its links."""
    model.add_rows(block.lengths, block.variables, values, low, high, block.negated)


def _ones(block: Block) -> FloatArray:
    return np.ones(len(block.variables))


def _minus_output(block: Block) -> FloatArray:
    """1 for the inputs, -1 for the output."""
    values = _ones(block)
    values[block.offsets[1:] - 1] = -1.0
    return values


def _against_output(model: Model, block: Block, sign: float) -> None:
    """sign * (input - output) <= 0, one row for each input."""
    last = block.offsets[1:] - 1
    is_input = np.ones(len(block.variables), dtype=bool)
    is_input[last] = False
    inputs = np.flatnonzero(is_input)
    outputs = np.repeat(last, block.lengths - 1)
    places = np.stack((inputs, outputs), axis=1).reshape(-1)
    values = np.tile([sign, -sign], len(inputs))
    model.add_rows(
        np.full(len(inputs), 2),
        block.variables[places],
        values,
        -_INF,
        0.0,
        block.negated[places],
    )


def _count(model: Model, block: Block) -> None:
    """As many links are true as the kind allows."""
    low, high = _COUNTS[block.kind](block)
    _sums(model, block, _ones(block), low, high)


_COUNTS: dict[Kind, Callable[[Block], tuple[object, object]]] = {
    Kind.XOR: lambda block: (1.0, 1.0),
    Kind.AT_MOST_ONE: lambda block: (-_INF, 1.0),
    Kind.OR: lambda block: (1.0, _INF),
    Kind.NAND: lambda block: (-_INF, block.lengths - 1.0),
    Kind.BUDGET: lambda block: (-_INF, block.shapes.astype(np.float64)),
}


def _xor_out(model: Model, block: Block) -> None:
    _sums(model, block, _minus_output(block), 0.0, 0.0)


def _or_out(model: Model, block: Block) -> None:
    _sums(model, block, _minus_output(block), 0.0, _INF)
    _against_output(model, block, 1.0)


def _imply(model: Model, block: Block) -> None:
    _sums(model, block, np.tile([1.0, -1.0], len(block)), -_INF, 0.0)


def _and_out(model: Model, block: Block) -> None:
    _sums(model, block, _minus_output(block), -_INF, block.lengths - 2.0)
    _against_output(model, block, -1.0)


def _knapsack(model: Model, block: Block) -> None:
    limits = block.shape_offsets[:-1]
    costs = np.delete(block.shapes, limits).astype(np.float64)
    _sums(model, block, costs, -_INF, block.shapes[limits].astype(np.float64))


def _pair(model: Model, block: Block) -> None:
    """A column for "both"; the score's sign says which inequalities can bind."""
    first = model.add_columns(block.scores)
    both = first + np.arange(len(block))
    links = block.variables.reshape(-1, 2)
    negated = block.negated.reshape(-1, 2)
    for side in (0, 1):  # both <= each
        likes = np.flatnonzero(block.scores > 0)
        columns = np.stack((both[likes], links[likes, side]), axis=1)
        signs = np.stack((np.zeros(len(likes)), negated[likes, side]), axis=1)
        _small_rows(model, columns, np.array([1.0, -1.0]), -_INF, 0.0, signs)
    dislikes = np.flatnonzero(block.scores < 0)  # both >= a + b - 1
    columns = np.column_stack((both[dislikes], links[dislikes]))
    signs = np.column_stack((np.zeros(len(dislikes)), negated[dislikes]))
    _small_rows(model, columns, np.array([-1.0, 1.0, 1.0]), -_INF, 1.0, signs)


def _small_rows(
    model: Model,
    columns: LongArray,
    values: FloatArray,
    low: float,
    high: float,
    negated: FloatArray,
) -> None:
    count, size = columns.shape
    model.add_rows(
        np.full(count, size),
        columns.reshape(-1),
        np.tile(values, count),
        low,
        high,
        negated.reshape(-1),
    )


_WRITERS: dict[Kind, Callable[[Model, Block], None]] = {
    **dict.fromkeys(_COUNTS, _count),
    Kind.XOR_OUT: _xor_out,
    Kind.OR_OUT: _or_out,
    Kind.IMPLY: _imply,
    Kind.AND_OUT: _and_out,
    Kind.KNAPSACK: _knapsack,
    Kind.PAIR: _pair,
}
