"""When rules want arcs that the pruner dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import IntArray
from turbotree.features import Parts
from turbotree.graphs.rules.syntax import Rule
from turbotree.parsing.arcs import all_arcs
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.rules.searching import LabelsOfArc, search_tree
from turbotree.parsing.rules.words import Words
from turbotree.scoring import Batch

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


def tree_of_all_arcs(
    parser: Parser,
    batch: Batch,
    words: Words,
    scored: ScoredSentence,
    rules: Sequence[Rule],
    source: str,
    *,
    label_rules: Sequence[Rule] = (),
    labels_of: LabelsOfArc | None = None,
) -> IntArray:
    """Return the pruner's own best tree that obeys hard rules, of all arcs that may be.

    Raises
    ------
    InfeasibleError
        When no tree obeys the rules.
    """
    arcs = all_arcs(batch.lengths)
    if scored.constraints is not None:
        allowed = scored.constraints.allowed(words.size)[tuple(arcs.rows.T)]
        arcs = Parts.of_one(np.ascontiguousarray(arcs.rows[allowed]))
    scores = {"arc": parser.pruner.score(batch, arcs)}
    every = replace(scored, parts=PartSet(batch.lengths, arcs), sentence=0, scores=scores)
    found = search_tree(words, every, rules, source, label_rules=label_rules, labels_of=labels_of)
    return found.heads


def with_arcs_of(
    parser: Parser, batch: Batch, scored: ScoredSentence, heads: IntArray
) -> ScoredSentence:
    """Find and score the parts of one sentence again, with the arcs of a tree as candidates too.

    The pruner does likewise when another shape of trees is asked for: the best of these is kept.
    """
    own = np.column_stack([heads, np.arange(1, len(heads) + 1)])
    both = np.unique(np.concatenate([scored.arcs, own])[:, ::-1], axis=0)[:, ::-1]
    arcs = Parts.of_one(np.ascontiguousarray(both, dtype=np.int32))
    parts = PartSet.build(batch.lengths, arcs, parser.parts.families)
    return replace(scored, parts=parts, sentence=0, scores=parser.parts.score(batch, parts))
