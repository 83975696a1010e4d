"""The parts of a sentence whose scores stand in arrays with one axis per word of a part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.arrays import FloatArray, LongArray
from turbotree.features import Parts
from turbotree.parsing.parts import PartSet

#: Where the score of each part stands in the array of its family; a part with a negative first
#: index has none.
Places = dict[str, tuple[LongArray, ...]]


def dense_parts(arcs: FloatArray, size: int, *, grandparents: bool) -> tuple[PartSet, Places]:
    """Give the parts over the arcs whose scores are not -inf, and where their scores stand.

    >>> parts, places = dense_parts(np.zeros((3, 3)), 2, grandparents=False)
    >>> parts.arcs.rows.tolist()
    [[0, 1], [2, 1], [0, 2], [1, 2]]
    """
    allowed = np.isfinite(arcs[: size + 1, : size + 1])
    np.fill_diagonal(allowed, False)
    allowed[:, 0] = False
    modifiers, heads = np.nonzero(allowed.T)  # sorted by modifier
    rows = np.stack((heads, modifiers), axis=1).astype(np.int32)
    # Automata say more with siblings in them, whatever those score.
    names = ("arc", "sibling", "grandparent") if grandparents else ("arc", "sibling")
    parts = PartSet.build(np.array([size], dtype=np.int32), Parts.of_one(rows), names)
    places: Places = {"arc": (heads, modifiers)}
    head, inner, outer = parts.families["sibling"].parts.rows[:, :3].T.astype(np.int64)
    empty = (inner < 0) & (outer < 0)  # a row without modifiers scores nothing
    inner, outer = np.where(inner < 0, head, inner), np.where(outer < 0, head, outer)
    places["sibling"] = (np.where(empty, -1, head), inner, outer)
    if grandparents:
        places["grandparent"] = tuple(parts.families["grandparent"].parts.rows.T.astype(np.int64))
    return parts, places


def part_scores(arrays: Mapping[str, FloatArray | None], places: Places) -> dict[str, FloatArray]:
    """Read the scores of parts off their arrays; a family without one scores 0."""
    scores = {}
    for name, at in places.items():
        array = arrays[name]
        if array is None:
            scores[name] = np.zeros(len(at[0]))
        else:
            scores[name] = np.where(at[0] < 0, 0.0, array[at])
    return scores
