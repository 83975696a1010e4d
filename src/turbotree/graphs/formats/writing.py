"""Any factor graph as a UAI or WCSP file, as far as its factors fit into tables."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.files.atomic import atomic_stream
from turbotree.graphs.formats.folding import Folded, fold
from turbotree.graphs.formats.functions import Exceptions, Function, Table
from turbotree.graphs.graph import FactorGraph

#: Scores further from 0 than this have no probability among the usual floating-point numbers.
_FARTHEST = 700.0
#: Sums of costs stay below this, or other programs would overflow.
_MOST_COST = 10**18


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """How a file is to be read in terms of the graph.

    Attributes
    ----------
    variables : tuple of tuples of int
        For each variable of the file, the graph's variables in it: one, whose values 0 and 1 are
        false and true, or a group, whose states are the values.
    offset : float
        The score of an assignment is this plus its log-probability, or minus its cost divided by
        `scale`.
    scale : float
        What costs were multiplied with to be whole.
    error : float
        How far that may be from the true score, because costs are rounded.
    """

    variables: tuple[tuple[int, ...], ...]
    offset: float
    scale: float = 1.0
    error: float = 0.0


def write_uai(
    graph: FactorGraph, path: str | os.PathLike[str], *, max_entries: int = 1 << 16
) -> Written:
    """Write a graph as a Markov network, whole or not at all; ``.gz`` is packed.

    Parameters
    ----------
    graph : FactorGraph
    path : path-like
    max_entries : int
        The largest table for one factor.

    Returns
    -------
    Written
        Which variables of the graph each variable of the file is.

    Raises
    ------
    InputError
        When a factor is too large for a table, or a score too far from 0 for a probability.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> graph = FactorGraph()
    >>> a, b = graph.variables([1.0, 2.0])
    >>> graph.not_all([a, b])
    >>> path = Path(tempfile.mkdtemp()) / "two.uai"
    >>> write_uai(graph, path).variables
    ((0,), (1,))
    >>> print(path.read_text().splitlines()[:4])
    ['MARKOV', '2', '2 2', '3']
    """
    folded = fold(graph, max_entries=max_entries)
    offset = 0.0
    tables: list[tuple[tuple[int, ...], FloatArray]] = []
    for function in folded.functions:
        if isinstance(function, Exceptions):
            raise InputError(
                f"a factor of {len(function.scope)} links is too large for a table "
                f"(at most {max_entries:,} entries)"
            )
        scores = function.scores
        best = float(scores.max())
        if abs(best) > _FARTHEST / 2 and best > -math.inf:
            scores = scores - best
            offset += best
        lost = scores[np.isfinite(scores) & (scores < -_FARTHEST)]
        if lost.size:
            raise InputError(
                f"a score of {lost.min():.6g} is too far from the others of its factor: "
                f"as a probability, it would be 0"
            )
        tables.append((function.scope, np.exp(scores)))
    with atomic_stream(path) as stream:
        for line in _uai_lines(folded, tables):
            stream.write(f"{line}\n".encode())
    return Written(folded.variables, offset)


def _uai_lines(folded: Folded, tables: list[tuple[tuple[int, ...], FloatArray]]) -> Iterator[str]:
    yield "MARKOV"
    yield str(len(folded.variables))
    yield " ".join(map(str, folded.sizes))
    yield str(len(tables))
    for scope, _ in tables:
        yield " ".join(map(str, (len(scope), *scope)))
    for _, table in tables:
        yield ""
        yield str(table.size)
        yield " ".join(map(repr, table.reshape(-1).tolist()))


def write_wcsp(
    graph: FactorGraph,
    path: str | os.PathLike[str],
    *,
    decimals: int = 6,
    max_entries: int = 1 << 16,
) -> Written:
    """Write a graph as a network of whole costs, whole or not at all; ``.gz`` is packed.

    Parameters
    ----------
    graph : FactorGraph
    path : path-like
    decimals : int
        How many digits after the point of the scores are kept: costs are rounded multiples of
        10 to the power of ``-decimals``.
    max_entries : int
        The largest table for one factor.

    Returns
    -------
    Written
        Which variables of the graph each variable of the file is, and how costs become scores.

    Raises
    ------
    InputError
        When a factor is too large for a table, or the costs too large for whole numbers of 64 bits.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0, 0.5]))
    >>> path = Path(tempfile.mkdtemp()) / "one.wcsp"
    >>> written = write_wcsp(graph, path, decimals=1)
    >>> written.variables, written.offset, written.scale
    (((0, 1, 2),), 2.0, 10.0)
    >>> print(path.read_text())
    turbotree 1 3 1 16
    3
    1 0 0 2
    0 10
    2 15
    <BLANKLINE>
    """
    if not 0 <= decimals <= 15:
        raise InputError(f"decimals: expected a number from 0 to 15, got {decimals}")
    folded = fold(graph, max_entries=max_entries)
    costs = whole_costs(folded.functions, 10.0**decimals)
    if costs.top > _MOST_COST:
        raise InputError(
            f"scores are too far apart for whole costs with {decimals} decimals: "
            f"they sum to {costs.top:,}, and may to {_MOST_COST:,}"
        )
    sizes = folded.sizes
    with atomic_stream(path) as stream:
        head = ("turbotree", len(sizes), max(sizes, default=0), len(folded.functions), costs.top)
        for line in (" ".join(map(str, head)), " ".join(map(str, sizes)), *_wcsp_lines(costs)):
            stream.write(f"{line}\n".encode())
    return Written(folded.variables, costs.offset, costs.scale, costs.error)


@dataclass(frozen=True, slots=True, eq=False)
class WholeCosts:
    """Functions as whole costs: -1 for what is forbidden.

    Attributes
    ----------
    functions : list of Function
    costs : list of int64 arrays
        In the shape of each function's scores; the last one of an `Exceptions` is the default.
    offset, scale, error : float
        As in :class:`Written`.
    top : int
        More than the cost of any assignment that is allowed.
    """

    functions: list[Function]
    costs: list[LongArray]
    offset: float
    scale: float
    error: float
    top: int


def whole_costs(functions: list[Function], scale: float) -> WholeCosts:
    """Round scores to whole costs, the best of each function to 0."""
    offset, error, top = 0.0, 0.0, 1
    costs = []
    for function in functions:
        scores = function.scores
        if isinstance(function, Exceptions):
            scores = np.append(scores, function.default)
        finite = scores > -np.inf
        best = float(scores[finite].max()) if finite.any() else 0.0
        exact = (best - scores[finite]) * scale
        if exact.size and exact.max() > _MOST_COST:
            raise InputError(
                f"a score of {float(scores[finite].min()):.6g} next to {best:.6g} is too far for "
                "whole costs"
            )
        rounded = np.rint(exact)
        own = np.full(scores.shape, -1, dtype=np.int64)
        own[finite] = rounded.astype(np.int64)
        costs.append(own)
        offset += best
        error += float(np.abs(rounded - exact).max()) / scale if exact.size else 0.0
        top += int(own.max(initial=0))
    return WholeCosts(functions, costs, offset, scale, error, top)


def _wcsp_lines(whole: WholeCosts) -> Iterator[str]:
    for function, costs in zip(whole.functions, whole.costs, strict=True):
        shown = np.where(costs < 0, whole.top, costs)
        if isinstance(function, Table):
            flat = shown.reshape(-1)
            kinds, counts = np.unique(flat, return_counts=True)
            default = int(kinds[counts.argmax()])
            tuples = np.indices(shown.shape).reshape(shown.ndim, -1).T
        else:
            flat, default = shown[:-1], int(shown[-1])
            tuples = function.tuples
        other = np.flatnonzero(flat != default)
        scope = " ".join(map(str, function.scope))
        yield f"{len(function.scope)} {scope} {default} {len(other)}"
        for place in other.tolist():
            yield " ".join(map(str, (*tuples[place].tolist(), int(flat[place]))))
