"""Scores of labels of your own: constraints on labels, and the best label of each arc."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InfeasibleError, InputError


def take_labels(
    labels: FloatArray,
    require: Any,
    forbid: Any,
    lengths: npt.NDArray[np.int64] | None,
) -> tuple[Any, Any]:
    """Write the labels of constraints into their scores, and give the constraints without them.

    Parameters
    ----------
    labels
        Scores ``[h, m, l]``, with an axis in front for a batch; they are changed.
    require, forbid
        What :func:`turbotree.decode` takes.
    lengths
        Words of each sentence of a batch, if some are shorter.

    Examples
    --------
    >>> scores = np.zeros((2, 2, 3))
    >>> take_labels(scores, [(0, 1, 2)], None, None)
    ([(0, 1)], None)
    >>> scores[0, 1]
    array([-inf, -inf,   0.])
    """
    is_batch = labels.ndim == 4
    batch = labels if is_batch else labels[np.newaxis]
    most = labels.shape[-2] - 1
    sizes = [most] * len(batch) if lengths is None else lengths.tolist()
    # What is forbidden comes first, so that a label that is also required is seen to clash.
    forbidden = _split(forbid, "forbid", len(batch), is_batch)
    for item, own in enumerate(forbidden):
        where = f"forbid[{item}]" if is_batch else "forbid"
        forbidden[item] = _without_labels(own, where, batch[item], sizes[item], required=False)
    required = _split(require, "require", len(batch), is_batch)
    for item, own in enumerate(required):
        where = f"require[{item}]" if is_batch else "require"
        required[item] = _without_labels(own, where, batch[item], sizes[item], required=True)
    if is_batch:
        return (required or require), (forbidden or forbid)
    return (required[0] if required else require), (forbidden[0] if forbidden else forbid)


def reserve_root_label(labels: FloatArray, root_label: Any) -> None:
    """Forbid a label to all arcs but those from the root, and all others to these.

    >>> scores = np.zeros((2, 2, 2))
    >>> reserve_root_label(scores, 1)
    >>> scores[:, 1]
    array([[-inf,   0.],
           [  0., -inf]])
    """
    count = labels.shape[-1]
    try:
        root = operator.index(root_label)
    except TypeError:
        raise InputError(f"root_label: expected a whole number, got {root_label!r}") from None
    if not 0 <= root < count:
        raise InputError(f"root_label: expected a label from 0 to {count - 1}, got {root}")
    labels[..., 0, :, np.arange(count) != root] = -np.inf
    labels[..., 1:, :, root] = -np.inf


def _split(arcs: Any, name: str, count: int, is_batch: bool) -> list[Any]:
    """List the constraints of each sentence; there are none to look at in boolean arrays."""
    if arcs is None or (hasattr(arcs, "__array__") and np.asarray(arcs).dtype == np.bool_):
        return []
    if not is_batch:
        return [arcs]
    try:
        each = list(arcs)
    except TypeError:
        raise InputError(
            f"{name}: expected a list of arcs for each sentence, or a boolean array, got {arcs!r}"
        ) from None
    if len(each) != count:
        raise InputError(
            f"{name}: expected a list of arcs for each of {count} sentences, got {len(each)}"
        )
    return each


def _without_labels(
    arcs: Any, where: str, scores: FloatArray, words: int, *, required: bool
) -> list[Any] | npt.NDArray[np.bool_]:
    """Take the labels off one sentence's arcs; those without one are left as they are."""
    if hasattr(arcs, "__array__") and np.asarray(arcs).dtype == np.bool_:
        return np.asarray(arcs)
    left: list[Any] = []
    label_of: dict[tuple[int, int], int] = {}
    try:
        listed = [] if arcs is None else [tuple(arc) for arc in arcs]
    except TypeError:
        raise InputError(
            f"{where}: expected (head, modifier) or (head, modifier, label), got {arcs!r}"
        ) from None
    for arc in listed:
        if len(arc) != 3:
            left.append(arc)
            continue
        head, modifier, label = _numbers(arc, where, words, scores.shape[-1])
        if not required:
            scores[head, modifier, label] = -np.inf
            continue
        other = label_of.setdefault((head, modifier), label)
        if other != label:
            raise InfeasibleError(
                f"{where}: arc ({head}, {modifier}) is to have label {other} and label {label}"
            )
        kept = scores[head, modifier, label]
        if kept == -np.inf:
            raise InfeasibleError(
                f"{where}: label {label} of arc ({head}, {modifier}) is forbidden or has score -inf"
            )
        scores[head, modifier] = -np.inf
        scores[head, modifier, label] = kept
        left.append((head, modifier))
    return left


def _numbers(arc: Sequence[Any], where: str, words: int, labels: int) -> tuple[int, int, int]:
    try:
        head, modifier, label = map(operator.index, arc)
    except TypeError:
        raise InputError(
            f"{where}: expected whole numbers (head, modifier, label), got {tuple(arc)!r}"
        ) from None
    if not (0 <= head <= words and 1 <= modifier <= words) or head == modifier:
        raise InputError(
            f"{where}: arc ({head}, {modifier}) does not exist: the head is one of 0 to "
            f"{words}, the modifier another one of 1 to {words}"
        )
    if not 0 <= label < labels:
        raise InputError(
            f"{where}: label {label} of arc ({head}, {modifier}) does not exist: "
            f"expected 0 to {labels - 1}"
        )
    return head, modifier, label
