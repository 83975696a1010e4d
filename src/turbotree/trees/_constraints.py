"""Required and forbidden arcs, turned into ``-inf`` scores; clashes are named."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, LongArray
from turbotree.errors import InfeasibleError, InputError

#: Arcs as ``(head, modifier)`` pairs or as a boolean matrix; for a batch, one list of pairs (or
#: ``None``) for each matrix, or a boolean array of the batch's shape.
Arcs: TypeAlias = Iterable[tuple[int, int]] | Iterable[Iterable[tuple[int, int]] | None] | BoolArray

_Pairs: TypeAlias = list[tuple[int, int]]


def constrain(
    scores: FloatArray,
    require: Arcs | None,
    forbid: Arcs | None,
    lengths: LongArray | None,
    single_root: bool,
    projective: bool,
) -> FloatArray:
    """Copy the scores with ``-inf`` at every arc that the constraints rule out."""
    scores = scores.copy()
    is_batch = scores.ndim == 3
    matrices = scores if is_batch else scores[np.newaxis]
    required_parts = _split_batch(require, "require", scores.shape) if is_batch else [require]
    forbidden_parts = _split_batch(forbid, "forbid", scores.shape) if is_batch else [forbid]
    for item, matrix in enumerate(matrices):
        words = len(matrix) - 1 if lengths is None else int(lengths[item])
        place, where = (f"[{item}]", f"matrix {item}: ") if is_batch else ("", "")
        required = _read_arcs(required_parts[item], f"require{place}", words)
        forbidden = _read_arcs(forbidden_parts[item], f"forbid{place}", words)
        _check_required(matrix, required, forbidden, single_root, projective, where)
        for head, modifier in forbidden:
            matrix[head, modifier] = -np.inf
        for head, modifier in required:
            score = matrix[head, modifier]
            matrix[:, modifier] = -np.inf
            matrix[head, modifier] = score
    return scores


def _check_required(
    scores: FloatArray,
    required: _Pairs,
    forbidden: _Pairs,
    single_root: bool,
    projective: bool,
    where: str,
) -> None:
    head_of: dict[int, int] = {}
    for head, modifier in required:
        other = head_of.setdefault(modifier, head)
        if other != head:
            raise InfeasibleError(
                f"{where}required arcs ({other}, {modifier}) and ({head}, {modifier}) "
                f"give word {modifier} two heads"
            )
    clash = sorted(set(required) & set(forbidden))
    if clash:
        raise InfeasibleError(f"{where}arc {clash[0]} is both required and forbidden")
    for arc in required:
        if scores[arc] == -np.inf:
            raise InfeasibleError(f"{where}required arc {arc} has score -inf")
    _check_acyclic(head_of, where)
    roots = sorted(modifier for modifier, head in head_of.items() if head == 0)
    if single_root and len(roots) > 1:
        raise InfeasibleError(
            f"{where}required arcs (0, {roots[0]}) and (0, {roots[1]}) make two roots, "
            "single_root allows one"
        )
    if projective:
        _check_no_crossing(required, where)


def _check_acyclic(head_of: dict[int, int], where: str) -> None:
    done = {0}
    for start in head_of:
        path: list[int] = []
        word: int | None = start
        while word is not None and word not in done:
            if word in path:
                cycle = path[path.index(word) :]
                arcs = ", ".join(str((head_of[member], member)) for member in cycle)
                raise InfeasibleError(f"{where}required arcs form a cycle: {arcs}")
            path.append(word)
            word = head_of.get(word)
        done.update(path)


def _check_no_crossing(required: _Pairs, where: str) -> None:
    spans = sorted((min(arc), max(arc), arc) for arc in set(required))
    for index, (start, end, arc) in enumerate(spans):
        for other_start, other_end, other in spans[index + 1 :]:
            if start < other_start < end < other_end:
                raise InfeasibleError(
                    f"{where}required arcs {arc} and {other} cross, projective trees have no "
                    "crossing arcs"
                )


def _split_batch(arcs: Arcs | None, name: str, shape: tuple[int, ...]) -> list[Any]:
    if arcs is None:
        return [None] * shape[0]
    if _is_boolean_array(arcs):
        array = np.asarray(arcs)
        if array.shape != shape:
            raise InputError(
                f"{name}: expected a boolean array of shape {shape}, got {array.shape}"
            )
        return list(array)
    try:
        parts = list(arcs)
    except TypeError:
        raise InputError(
            f"{name}: expected one list of arcs for each matrix, or a boolean array, got {arcs!r}"
        ) from None
    if len(parts) != shape[0]:
        raise InputError(
            f"{name}: expected one list of arcs for each of {shape[0]} matrices, got {len(parts)}"
        )
    return parts


def _is_boolean_array(arcs: Any) -> bool:
    return hasattr(arcs, "__array__") and np.asarray(arcs).dtype == np.bool_


def _read_arcs(arcs: Any, name: str, words: int) -> _Pairs:
    if arcs is None:
        return []
    if _is_boolean_array(arcs):
        return _read_mask(np.asarray(arcs), name, words)
    try:
        pairs = [(operator.index(head), operator.index(modifier)) for head, modifier in arcs]
    except (TypeError, ValueError):
        raise InputError(
            f"{name}: expected (head, modifier) pairs or a boolean matrix, got {arcs!r}"
        ) from None
    for head, modifier in pairs:
        if not (0 <= head <= words and 1 <= modifier <= words) or head == modifier:
            raise InputError(
                f"{name}: arc ({head}, {modifier}) does not exist: the head is one of 0 to "
                f"{words}, the modifier another one of 1 to {words}"
            )
    return pairs


def _read_mask(mask: BoolArray, name: str, words: int) -> _Pairs:
    # A batch's masks are padded like its scores.
    if mask.ndim != 2 or mask.shape[0] != mask.shape[1] or mask.shape[0] < words + 1:
        raise InputError(
            f"{name}: expected a boolean matrix of shape {(words + 1, words + 1)}, got {mask.shape}"
        )
    inside = mask[: words + 1, : words + 1].copy()
    inside[:, 0] = False  # ignored, like the scores there
    np.fill_diagonal(inside, False)
    heads, modifiers = np.nonzero(inside)
    return list(zip(heads.tolist(), modifiers.tolist(), strict=True))
