"""A sentence with fewer candidate arcs, and the scores that its parts had before."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from turbotree.arrays import BoolArray, IntArray, LongArray
from turbotree.features import Parts
from turbotree.parsing.parts.part_set import PartSet, ScoredSentence


class Reduced(NamedTuple):
    """A sentence with fewer arcs, and what every tree scores more.

    That is the score of rows that can only be empty now: heads that had candidate modifiers.
    """

    scored: ScoredSentence
    score: float


def reduced(scored: ScoredSentence, kept: BoolArray) -> Reduced:
    """Leave only some of a sentence's arcs; all of its families have to be reducible.

    Parameters
    ----------
    scored
        The sentence.
    kept
        Which of its arcs to keep.
    """
    parts, scores, sentence = scored.parts, scored.scores, scored.sentence
    lengths = parts.lengths[sentence : sentence + 1]
    few = PartSet.build(lengths, Parts.of_one(scored.arcs[kept]), tuple(parts))
    base = int(lengths[0]) + 2
    own = {"arc": scores["arc"][kept]}
    constant = 0.0
    for name, family in parts.families.items():
        rows = family.parts.rows[family.parts.places(sentence)]
        before, after = _keys(rows, base), _keys(few[name].rows, base)
        order = np.argsort(before, kind="stable")
        own[name] = scores[name][order[np.searchsorted(before, after, sorter=order)]]
        empty = np.flatnonzero(family.constant(rows))
        gone = empty[~np.isin(before[empty], after)]
        constant += float(scores[name][gone].sum())
    return Reduced(replace(scored, parts=few, sentence=0, scores=own), constant)


def _keys(rows: IntArray, base: int) -> LongArray:
    """Return one number per row; -1 stands for no word."""
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        keys = keys * base + column + 1
    return keys
