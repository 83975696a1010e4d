"""Factors as arrays: one block per kind, its links and numbers one after another.

Insertions leave *chunks*; a graph joins the chunks of a kind into one :class:`Block` when a
solver, a picture or a file first asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray, IntArray, LongArray

#: One number if all factors of a chunk are alike, else one for each factor.
Lengths = int | LongArray


class Kind(IntEnum):
    """The kinds of factors; the numbers are the core's."""

    XOR = 0
    XOR_OUT = 1
    AT_MOST_ONE = 2
    OR = 3
    OR_OUT = 4
    NAND = 5
    IMPLY = 6
    AND_OUT = 7
    BUDGET = 8
    KNAPSACK = 9
    PAIR = 10
    DENSE = 11
    TREE = 12
    HEAD_AUTOMATON = 13
    GRANDPARENT_AUTOMATON = 14
    CHAIN = 15
    CUSTOM = 16
    TRIPLE_AUTOMATON = 17

    @property
    def method(self) -> str:
        """The method of :class:`~turbotree.graphs.FactorGraph` that adds such a factor.

        >>> Kind.OR_OUT.method
        'define_or'
        """
        return _METHODS[self]


_METHODS = (
    "exactly_one",
    "define_exactly_one",
    "at_most_one",
    "at_least_one",
    "define_or",
    "not_all",
    "implies",
    "define_and",
    "at_most",
    "knapsack",
    "pair",
    "table",
    "tree",
    "siblings",
    "grandparent_siblings",
    "chain",
    "custom",
    "tri_siblings",
)

#: Kinds that have factor scores, and kinds described by whole numbers.
WITH_SCORES = frozenset(
    {
        Kind.PAIR,
        Kind.DENSE,
        Kind.HEAD_AUTOMATON,
        Kind.GRANDPARENT_AUTOMATON,
        Kind.CHAIN,
        Kind.TRIPLE_AUTOMATON,
    }
)
WITH_SHAPES = frozenset(
    {
        Kind.BUDGET,
        Kind.KNAPSACK,
        Kind.DENSE,
        Kind.TREE,
        Kind.GRANDPARENT_AUTOMATON,
        Kind.CHAIN,
    }
)

#: Bits of a tree factor's flags.
PROJECTIVE = 1
SINGLE_ROOT = 2


class Factor(NamedTuple):
    """One factor of a block: views of its links and numbers."""

    kind: Kind
    variables: IntArray
    negated: NDArray[np.uint8]
    scores: FloatArray
    shape: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """All factors of one kind.

    Attributes
    ----------
    kind : Kind
    offsets : int64 array of shape (F + 1,)
        Factor ``f`` owns links ``offsets[f]`` to ``offsets[f + 1]``.
    variables : int32 array of shape (L,)
        The variable at the end of each link.
    negated : uint8 array of shape (L,)
        1 where the link is negated.
    score_offsets, scores : int64 array of shape (F + 1,), float64 array
        The factor scores; both empty if the kind has none.
    shape_offsets, shapes : int64 array of shape (F + 1,), int32 array
        Whole numbers that describe each factor; both empty if the kind has none.
    oracles : tuple
        The Python functions of custom factors.
    """

    kind: Kind
    offsets: LongArray
    variables: IntArray
    negated: NDArray[np.uint8]
    score_offsets: LongArray
    scores: FloatArray
    shape_offsets: LongArray
    shapes: IntArray
    oracles: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> LongArray:
        """The number of links of each factor."""
        return np.diff(self.offsets)

    def factor(self, index: int) -> Factor:
        """Give one factor's part of the arrays."""
        links = slice(self.offsets[index], self.offsets[index + 1])
        score_range = shape_range = slice(0, 0)
        if len(self.score_offsets):
            score_range = slice(self.score_offsets[index], self.score_offsets[index + 1])
        if len(self.shape_offsets):
            shape_range = slice(self.shape_offsets[index], self.shape_offsets[index + 1])
        return Factor(
            self.kind,
            self.variables[links],
            self.negated[links],
            self.scores[score_range],
            self.shapes[shape_range],
        )

    def __repr__(self) -> str:
        return f"<Block {self.kind.name}: {len(self)} factors, {len(self.variables)} links>"


class Chunk(NamedTuple):
    """What one insertion leaves: factors of one kind, checked and in the core's types."""

    factors: int
    lengths: Lengths
    variables: IntArray
    negated: NDArray[np.uint8]
    score_lengths: Lengths
    scores: FloatArray
    shape_lengths: Lengths
    shapes: IntArray
    oracles: tuple[Any, ...] = ()


NO_SCORES: FloatArray = np.zeros(0, dtype=np.float64)
NO_SHAPES: IntArray = np.zeros(0, dtype=np.int32)
_NO_OFFSETS: LongArray = np.zeros(0, dtype=np.int64)
for _array in (NO_SCORES, NO_SHAPES, _NO_OFFSETS):
    _array.setflags(write=False)


def join(kind: Kind, chunks: Sequence[Chunk]) -> Block:
    """Make one block of a kind's chunks, in their order."""
    score_offsets = shape_offsets = _NO_OFFSETS
    if kind in WITH_SCORES:
        score_offsets = _offsets([(c.factors, c.score_lengths) for c in chunks])
    if kind in WITH_SHAPES:
        shape_offsets = _offsets([(c.factors, c.shape_lengths) for c in chunks])
    return Block(
        kind,
        _offsets([(c.factors, c.lengths) for c in chunks]),
        _joined([c.variables for c in chunks]),
        _joined([c.negated for c in chunks]),
        score_offsets,
        _joined([c.scores for c in chunks]),
        shape_offsets,
        _joined([c.shapes for c in chunks]),
        tuple(oracle for c in chunks for oracle in c.oracles),
    )


def _offsets(parts: Sequence[tuple[int, Lengths]]) -> LongArray:
    first_count, first_length = parts[0]
    if len(parts) == 1 and isinstance(first_length, int) and first_length > 0:
        stop = first_count * first_length + 1
        offsets = np.arange(0, stop, first_length, dtype=np.int64)
    else:
        offsets = np.zeros(1 + sum(count for count, _ in parts), dtype=np.int64)
        at = 1
        for count, length in parts:
            offsets[at : at + count] = length
            at += count
        np.cumsum(offsets, out=offsets)
    offsets.setflags(write=False)
    return offsets


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    joined = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    joined.setflags(write=False)
    return joined


def chunk_of(block: Block) -> Chunk:
    """Turn a block back into one chunk, so that later insertions join only once."""
    return Chunk(
        len(block),
        np.diff(block.offsets),
        block.variables,
        block.negated,
        np.diff(block.score_offsets) if len(block.score_offsets) else 0,
        block.scores,
        np.diff(block.shape_offsets) if len(block.shape_offsets) else 0,
        block.shapes,
        block.oracles,
    )
