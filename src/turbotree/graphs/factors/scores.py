"""What each kind of factor means: its factor score for 0/1 values of its links.

These formulas are written down directly from the definitions, apart from the core, so that
enumeration can serve as its oracle. Each function takes a block and the truth of its links for
B assignments, an array of shape (B, L), and gives the factor scores of its F factors, shape (B, F);
``-inf`` where an assignment is not allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IndexArray, IntArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT, Block, Kind

#: Far above any score, so that it decides what an oracle answers.
_DECISIVE = 1e7


def factor_scores(block: Block, values: BoolArray) -> FloatArray:
    """Score B assignments, of shape (B, N), by each factor of a block: shape (B, F).

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([0, 0])
    >>> graph.pair([a, a], [b, ~b], [0.5, 0.25])
    >>> factor_scores(graph.blocks[0], np.array([[True, True], [True, False]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    chosen = values[:, block.variables] != block.negated.astype(bool)
    return _FORMULAS[block.kind](block, chosen)


def _hard(allowed: BoolArray) -> FloatArray:
    return np.where(allowed, 0.0, -np.inf)


def _counts(block: Block, chosen: BoolArray) -> LongArray:
    """How many links are true."""
    return np.add.reduceat(chosen, block.offsets[:-1], axis=1, dtype=np.int64)


def _inputs_and_output(block: Block, chosen: BoolArray) -> tuple[LongArray, BoolArray, LongArray]:
    """The number of true inputs, the output, and the number of inputs."""
    output = chosen[:, block.offsets[1:] - 1]
    return _counts(block, chosen) - output, output, block.lengths - 1


def _count(
    allows: Callable[[Block, LongArray], BoolArray],
) -> Callable[[Block, BoolArray], FloatArray]:
    """Make the formula of a kind that allows some numbers of true links."""
    return lambda block, chosen: _hard(allows(block, _counts(block, chosen)))


def _xor_out(block: Block, chosen: BoolArray) -> FloatArray:
    true, output, _ = _inputs_and_output(block, chosen)
    return _hard(true == output)


def _or_out(block: Block, chosen: BoolArray) -> FloatArray:
    true, output, _ = _inputs_and_output(block, chosen)
    return _hard((true > 0) == output)


def _imply(block: Block, chosen: BoolArray) -> FloatArray:
    return _hard(~chosen[:, 0::2] | chosen[:, 1::2])


def _and_out(block: Block, chosen: BoolArray) -> FloatArray:
    true, output, inputs = _inputs_and_output(block, chosen)
    return _hard((true == inputs) == output)


def _knapsack(block: Block, chosen: BoolArray) -> FloatArray:
    is_limit = np.zeros(len(block.shapes), dtype=bool)
    is_limit[block.shape_offsets[:-1]] = True
    costs = block.shapes[~is_limit].astype(np.int64)
    spent = np.add.reduceat(chosen * costs, block.offsets[:-1], axis=1)
    return _hard(spent <= block.shapes[is_limit])


def _pair(block: Block, chosen: BoolArray) -> FloatArray:
    return np.where(chosen[:, 0::2] & chosen[:, 1::2], block.scores, 0.0)


def _each(
    one: Callable[[BoolArray, FloatArray, IntArray], FloatArray],
) -> Callable[[Block, BoolArray], FloatArray]:
    """Make the block's formula from that of one factor."""

    def formula(block: Block, chosen: BoolArray) -> FloatArray:
        scores = np.empty((len(chosen), len(block)))
        for index in range(len(block)):
            factor = block.factor(index)
            links = chosen[:, block.offsets[index] : block.offsets[index + 1]]
            scores[:, index] = one(links, factor.scores, factor.shape)
        return scores

    return formula


def _states(links: BoolArray, sizes: IntArray) -> tuple[BoolArray, list[IndexArray]]:
    """Whether each group has exactly one true state, and which."""
    allowed = np.ones(len(links), dtype=bool)
    states = []
    at = 0
    for size in sizes.tolist():
        group = links[:, at : at + size]
        allowed &= group.sum(axis=1) == 1
        states.append(group.argmax(axis=1))
        at += size
    return allowed, states


def _dense(links: BoolArray, scores: FloatArray, shape: IntArray) -> FloatArray:
    # A binary variable is a group of two states: not x, x.
    columns = []
    at = 0
    for size in shape.tolist():
        group = links[:, at : at + size]
        columns.append(np.hstack((~group, group)) if size == 1 else group)
        at += size
    sizes = np.where(shape == 1, 2, shape)
    allowed, states = _states(np.hstack(columns), sizes)
    return np.where(allowed, scores.reshape(sizes)[tuple(states)], -np.inf)


def _chain(links: BoolArray, scores: FloatArray, shape: IntArray) -> FloatArray:
    allowed, states = _states(links, shape)
    total = np.zeros(len(links))
    at = 0
    for node in range(len(shape) - 1):
        size = int(shape[node]) * int(shape[node + 1])
        table = scores[at : at + size].reshape(shape[node], shape[node + 1])
        total += table[states[node], states[node + 1]]
        at += size
    return np.where(allowed, total, -np.inf)


def _tree(links: BoolArray, scores: FloatArray, shape: IntArray) -> FloatArray:
    words, flags = shape[:2].tolist()
    arcs = shape[2:].reshape(-1, 2)
    heads = np.zeros((len(links), words + 1), dtype=np.int64)
    count = np.zeros((len(links), words + 1), dtype=np.int64)
    for link, (head, modifier) in enumerate(arcs.tolist()):
        heads[:, modifier] += head * links[:, link]
        count[:, modifier] += links[:, link]
    allowed = (count[:, 1:] == 1).all(axis=1)
    heads[~allowed] = 0
    if flags & SINGLE_ROOT:
        allowed &= links[:, arcs[:, 0] == 0].sum(axis=1) == 1
    ancestors = heads
    for _ in range(words.bit_length()):  # afterwards each word has gone `words` steps or more
        ancestors = np.take_along_axis(ancestors, ancestors, axis=1)
    allowed &= (ancestors == 0).all(axis=1)
    if flags & PROJECTIVE:
        modifiers = np.arange(1, words + 1)
        left = np.minimum(heads[:, 1:], modifiers)
        right = np.maximum(heads[:, 1:], modifiers)
        for word in range(words):
            begin, end = left[:, word, np.newaxis], right[:, word, np.newaxis]
            crosses = (begin < left) & (left < end) & (end < right)
            allowed &= ~crosses.any(axis=1)
    return _hard(allowed)


def _walk(links: BoolArray, table: FloatArray) -> FloatArray:
    """Sum a table of (K + 1) x (K + 1) along the true modifiers from start to stop."""
    total = np.zeros(len(links))
    last = np.zeros(len(links), dtype=np.intp)
    for place in range(links.shape[1]):
        true = links[:, place]
        total[true] += table[last[true], place]
        last[true] = place + 1
    return total + table[last, links.shape[1]]


def _head_automaton(links: BoolArray, scores: FloatArray, shape: IntArray) -> FloatArray:
    side = links.shape[1] + 1
    return _walk(links, scores.reshape(side, side))


def _grandparent_automaton(links: BoolArray, scores: FloatArray, shape: IntArray) -> FloatArray:
    parents = int(shape[0])
    above, below = links[:, :parents], links[:, parents:]
    children = below.shape[1]
    side = children + 1
    grand = scores[side * side :][: parents * children].reshape(parents, children)
    both = scores[side * side + parents * children :].reshape(-1, side, side)
    total = np.full(len(links), -np.inf)
    for parent in range(parents):
        rows = (above.sum(axis=1) == 1) & above[:, parent]
        table = scores[: side * side].reshape(side, side).copy()
        table[:, :children] += grand[parent]
        if len(both):
            table += both[parent]
        total[rows] = _walk(below[rows], table)
    return total


def _triple_automaton(links: BoolArray, scores: FloatArray, shape: IntArray) -> FloatArray:
    count, size = links.shape
    cube = scores.reshape(size, size, size)
    total = np.zeros(count)
    # The two modifiers last seen, counted from 1; 0 is the start, or none yet.
    before, last = np.zeros((2, count), dtype=np.intp)
    for place in range(size + 1):
        true = links[:, place] if place < size else np.ones(count, dtype=bool)
        third = true & (last > 0)
        total[third] += cube[before[third], last[third] - 1, place - 1]
        before[true] = last[true]
        last[true] = place + 1
    return total


def _custom(block: Block, chosen: BoolArray) -> FloatArray:
    scores = np.empty((len(chosen), len(block)))
    for index, oracle in enumerate(block.oracles):
        links = chosen[:, block.offsets[index] : block.offsets[index + 1]]
        for row, wanted in enumerate(links):
            # Asked for nothing but this assignment, the oracle gives it if it is allowed.
            given, own = ask_oracle(oracle, np.where(wanted, _DECISIVE, -_DECISIVE))
            scores[row, index] = own if (given == wanted).all() else -np.inf
    return scores


def ask_oracle(oracle: Callable[[FloatArray], Any], scores: FloatArray) -> tuple[BoolArray, float]:
    """Call a user's oracle and check its answer: the assignment and its factor score.

    >>> ask_oracle(lambda scores: scores > 0, np.array([1.0, -2.0]))
    (array([ True, False]), 0.0)
    """
    answer = oracle(scores.copy())
    own = 0.0
    if isinstance(answer, tuple) and len(answer) == 2:
        answer, own = answer
    values = np.asarray(answer)
    if values.shape != scores.shape or not np.isin(values, (0, 1)).all():
        raise InputError(
            f"custom: the oracle gave {answer!r}, expected an array of {len(scores)} zeros and "
            "ones, or a pair of such an array and a number"
        )
    try:
        number = float(own)
    except (TypeError, ValueError):
        number = np.nan
    if not number < np.inf:
        raise InputError(f"custom: the oracle gave the factor score {own!r}, expected a number")
    return values.astype(bool), number


_FORMULAS: dict[Kind, Callable[[Block, BoolArray], FloatArray]] = {
    Kind.XOR: _count(lambda block, true: true == 1),
    Kind.XOR_OUT: _xor_out,
    Kind.AT_MOST_ONE: _count(lambda block, true: true <= 1),
    Kind.OR: _count(lambda block, true: true >= 1),
    Kind.OR_OUT: _or_out,
    Kind.NAND: _count(lambda block, true: true < block.lengths),
    Kind.IMPLY: _imply,
    Kind.AND_OUT: _and_out,
    Kind.BUDGET: _count(lambda block, true: true <= block.shapes),
    Kind.KNAPSACK: _knapsack,
    Kind.PAIR: _pair,
    Kind.DENSE: _each(_dense),
    Kind.TREE: _each(_tree),
    Kind.HEAD_AUTOMATON: _each(_head_automaton),
    Kind.GRANDPARENT_AUTOMATON: _each(_grandparent_automaton),
    Kind.CHAIN: _each(_chain),
    Kind.CUSTOM: _custom,
    Kind.TRIPLE_AUTOMATON: _each(_triple_automaton),
}
