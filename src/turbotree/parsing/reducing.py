"""A sentence with fewer candidate arcs, and the scores that its parts had before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.features import Parts
from turbotree.parsing.parts import PartSet

#: Families whose parts over fewer arcs are some of those over all.
REDUCIBLE = frozenset(
    {"sibling", "grandparent", "all_siblings", "head_bigram", "grand_sibling", "tri_sibling"}
)


class Reduced(NamedTuple):
    """The parts of one sentence over fewer arcs, their scores, and what every tree scores more.

    That is the score of rows that can only be empty now: heads that had candidate modifiers.
    """

    parts: PartSet
    scores: dict[str, FloatArray]
    score: float


def reduced(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    kept: npt.NDArray[np.bool_],
) -> Reduced:
    """Leave only some of a sentence's arcs.

    Parameters
    ----------
    parts, sentence
        A batch, and which of its sentences.
    scores
        The scores of this sentence's parts, by family, all of which are in `REDUCIBLE`.
    kept
        Which of its arcs to keep.
    """
    rows = parts.arcs.rows[parts.arcs.places(sentence)][kept]
    lengths = parts.lengths[sentence : sentence + 1]
    few = PartSet.build(lengths, Parts.of_one(rows), ("arc", *parts.families))
    base = int(lengths[0]) + 2
    own = {"arc": scores["arc"][kept]}
    constant = 0.0
    for name, family in parts.families.items():
        before = _keys(family.parts.rows[family.parts.places(sentence)], base)
        after = _keys(few.families[name].parts.rows, base)
        order = np.argsort(before, kind="stable")
        own[name] = scores[name][order[np.searchsorted(before, after, sorter=order)]]
        if name == "sibling":
            all_rows = family.parts.rows[family.parts.places(sentence)]
            empty = np.flatnonzero((all_rows[:, 1] < 0) & (all_rows[:, 2] < 0))
            gone = empty[~np.isin(before[empty], after)]
            constant += float(scores[name][gone].sum())
    return Reduced(few, own, constant)


def _keys(rows: IntArray, base: int) -> npt.NDArray[np.int64]:
    """Return one number per row; -1 stands for no word."""
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        keys = keys * base + column + 1
    return keys
