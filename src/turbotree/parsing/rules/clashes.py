"""Which rules cannot be obeyed at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turbotree.errors import InfeasibleError
from turbotree.graphs.rules.syntax import Rule
from turbotree.parsing.arcs import TreeShape, all_arcs
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.rules.searching import LabelsOfArc, RuledTrees
from turbotree.parsing.rules.words import Words


def clash_message(
    words: Words,
    shape: TreeShape,
    rules: Sequence[Rule],
    source: str,
    labels_of: LabelsOfArc,
) -> str:
    """Say which rules clash in a sentence that no tree of obeys all of them."""
    clash = smallest_clash(words, shape, rules, source, labels_of)
    path, line = words.sentence.place(1)
    where = words.sentence.sent_id or f"{path}:{line}"
    names = [f"{rule.name} (line {rule.at.line})" for rule in clash]
    if not names:
        return f"sentence {where}: no tree of the asked-for shape"
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} at once"
    which = "rule" if len(names) == 1 else "rules"
    return f"sentence {where}: no tree obeys the {which} {listed} of {source}"


def smallest_clash(
    words: Words,
    shape: TreeShape,
    rules: Sequence[Rule],
    source: str,
    labels_of: LabelsOfArc,
) -> list[Rule]:
    """Return rules that no tree obeys at once, though some tree obeys all but any one."""
    clash = list(rules)
    for rule in rules:
        rest = [other for other in clash if other is not rule]
        if not can_be_obeyed(words, shape, rest, source, labels_of):
            clash = rest
    return clash


def can_be_obeyed(
    words: Words,
    shape: TreeShape,
    rules: Sequence[Rule],
    source: str,
    labels_of: LabelsOfArc,
) -> bool:
    """Tell whether some tree of all arcs obeys hard rules."""
    lengths = np.array([words.size], dtype=np.int32)
    arcs = all_arcs(lengths)
    zeros = {"arc": np.zeros(len(arcs.rows))}
    trees = ScoredSentence(PartSet(lengths, arcs), 0, zeros, shape)
    try:
        # All of them are in the graph from the start, as rules of labels are.
        ruled = RuledTrees(words, trees, (), source, label_rules=rules, labels_of=labels_of)
        ruled.graph.solve("linear_program", exact=True)
    except InfeasibleError:
        return False
    return True
