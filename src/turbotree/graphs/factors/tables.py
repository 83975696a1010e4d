"""Checks of the factors over states, tables and chains, and of a user's own factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs.factors.literals import (
    Factors,
    Links,
    read_links,
    read_literals,
    read_scores,
)

#: A user's factor: scores of its literals -> the best 0/1 array, or (array, its factor score).
Oracle = Callable[[FloatArray], Any]


def read_tables(groups: Sequence[Any], scores: Any) -> Factors:
    """Read one table, or many by an additional first axis of the scores."""
    table = read_scores(scores, "table")
    states = [read_literals(group, "table") for group in _listed(groups, "table: groups")]
    if not states:
        raise InputError("table: a factor needs at least one variable, got none")
    many = table.ndim == len(states) + 1
    count = table.shape[0] if many else 1
    shaped = [
        (group.reshape(count, -1) if count and group.size else group.reshape(count, 0))
        if group.ndim <= 1 + many and (not many or group.shape[:1] == (count,))
        else _wrong_group(group, count if many else None)
        for group in states
    ]
    sizes = [group.shape[1] for group in shaped]
    if count and 0 in sizes:
        raise InputError(f"table: group {sizes.index(0)} is empty")
    expected = (count,) * many + tuple(2 if size == 1 else size for size in sizes)
    if count and table.shape != expected:
        raise InputError(f"table: scores: expected shape {expected}, got {table.shape}")
    if not count:
        return Factors(Links(0, 1, np.zeros(0, dtype=np.int64)))
    literals = np.concatenate(shaped, axis=1)
    shapes = np.tile(np.array(sizes, dtype=np.int32), count)
    links = Links(count, int(literals.shape[1]), literals.reshape(-1))
    flat = table.reshape(-1)
    return Factors(links, len(flat) // count, flat, len(sizes), shapes)


def read_chains(states: Any, transitions: Any) -> Factors:
    """Read one chain, or many of one size by an additional first axis."""
    array = _uniform_states(states)
    if array is not None:
        count, length, size = array.shape
        flat = _uniform_transitions(transitions, count, length, size)
        links = Links(count, length * size, array.reshape(-1))
        shapes = np.full(count * length, size, dtype=np.int32)
        step = (length - 1) * size * size
        return Factors(links, step, flat, length, shapes)
    nodes = [read_literals(node, "chain: states").reshape(-1) for node in states]
    sizes = [len(node) for node in nodes]
    if not nodes or 0 in sizes:
        raise InputError("chain: expected one node or more, each with at least one state")
    matrices = _listed(transitions, "chain: transitions")
    steps = [read_scores(step, "chain: transitions") for step in matrices]
    expected = list(pairwise(sizes))
    if [step.shape for step in steps] != expected:
        raise InputError(
            f"chain: transitions: expected shapes {expected}, got {[step.shape for step in steps]}"
        )
    flat = np.concatenate([np.zeros(0), *(step.reshape(-1) for step in steps)])
    links = Links(1, sum(sizes), np.concatenate(nodes))
    shapes = np.array(sizes, dtype=np.int32)
    return Factors(links, len(flat), flat, len(sizes), shapes)


def read_custom(xs: Any, oracle: Oracle) -> Factors:
    """Read one factor that is a Python function."""
    if not callable(oracle):
        raise InputError(f"custom: oracle: expected a function, got {type(oracle).__name__}")
    links = read_links(xs, None, "custom")
    if np.ndim(xs) != 1:
        raise InputError(f"custom: xs: expected shape (K,), got {np.shape(xs)}")
    return Factors(links, oracles=(oracle,))


def _listed(things: Any, where: str) -> list[Any]:
    try:
        return list(things)
    except TypeError:
        raise InputError(f"{where}: expected a sequence, got {type(things).__name__}") from None


def _wrong_group(group: NDArray[Any], count: int | None) -> LongArray:
    expected = "a literal or shape (S,)" if count is None else f"shape ({count}, S) or ({count},)"
    raise InputError(f"table: groups: expected {expected}, got shape {group.shape}")


def _uniform_states(states: Any) -> LongArray | None:
    """States as (F, T, S), or None if the nodes differ in size."""
    if not isinstance(states, np.ndarray):
        nodes = [read_literals(node, "chain: states") for node in _listed(states, "chain: states")]
        if len({node.shape for node in nodes}) > 1:
            return None
    array = read_literals(states, "chain: states")
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or 0 in array.shape[1:]:
        raise InputError(
            "chain: states: expected one array of literals for each node, shape (T, S) or "
            f"(F, T, S), got {np.shape(states)}"
        )
    return array


def _uniform_transitions(transitions: Any, count: int, length: int, size: int) -> FloatArray:
    steps = read_scores(transitions, "chain: transitions")
    if length == 1 and steps.size == 0:
        return np.zeros(0)
    expected = ((size, size), (length - 1, size, size), (count, length - 1, size, size))
    if steps.shape not in expected:
        raise InputError(
            f"chain: transitions: expected shape {expected[0]}, {expected[1]} or {expected[2]}, "
            f"got {steps.shape}"
        )
    return np.array(np.broadcast_to(steps, expected[2])).reshape(-1)
