"""Candidate arcs and labels under constraints.

An arc that is ruled out is no candidate, so that everything behind the pruner obeys constraints
on arcs without knowing of them: decoders, probabilities, samples. Spans are not sets of arcs; the
graph says what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.features import Parts
from turbotree.naming import suggest
from turbotree.parsing.arcs import (
    Pruner,
    TreeShape,
    all_arcs,
    best_trees,
    is_very_long,
    stretched_candidates,
)
from turbotree.parsing.constraints import Constraints, place, word
from turbotree.parsing.labels import LabelDictionary, LabelLimits
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.scoring import Batch
from turbotree.text import Sentence
from turbotree.trees import maximum_spanning_tree


def constrained_candidates(
    pruner: Pruner,
    batch: Batch,
    sentences: Sequence[Sentence],
    constraints: Sequence[Constraints],
    shape: TreeShape,
) -> Parts:
    """Return the likely arcs among those that are allowed, and those of an allowed tree.

    So what is left is never at odds with the constraints unless all arcs together are.
    """
    lengths = batch.lengths
    if len(lengths) == 1 and is_very_long(int(lengths[0])) and not constraints[0].spans:
        with suppress(InfeasibleError):  # of the likely arcs; then all are looked at
            return _stretched(pruner, batch, constraints[0], shape)
    arcs = all_arcs(lengths)
    scores = pruner.score(batch, arcs)
    allowed = np.concatenate(
        [
            own.allowed(int(length))[tuple(arcs.rows[arcs.places(i)].T)]
            for i, (own, length) in enumerate(zip(constraints, lengths, strict=True))
        ]
    )
    counted = np.concatenate([[0], np.cumsum(allowed)])
    left = Parts(arcs.rows[allowed], counted[arcs.offsets].astype(np.int32))
    kept_scores = scores[allowed]
    kept = []
    for i, (sentence, own) in enumerate(zip(sentences, constraints, strict=True)):
        at = left.places(i)
        one = Parts.of_one(left.rows[at])
        kept.append(_best_tree(sentence, own, one, kept_scores[at], lengths[i : i + 1], shape))
    return pruner.prune(lengths, left, kept_scores, np.concatenate(kept), shape.single_root)


def _stretched(pruner: Pruner, batch: Batch, constraints: Constraints, shape: TreeShape) -> Parts:
    """Return the candidates of one long sentence: of words with few allowed heads, all of these."""
    allowed = constraints.allowed(int(batch.lengths[0]))
    few = np.flatnonzero(allowed[:, 1:].sum(axis=0) <= pruner.options.max_heads) + 1
    heads, places = np.nonzero(allowed[:, few])
    required = np.stack([heads, few[places]], axis=1).astype(np.int32)
    return stretched_candidates(
        pruner,
        batch,
        shape,
        allowed=lambda rows: allowed[rows[:, 0], rows[:, 1]],
        required=required,
    )


def _best_tree(
    sentence: Sentence,
    constraints: Constraints,
    arcs: Parts,
    scores: FloatArray,
    lengths: IntArray,
    shape: TreeShape,
) -> IntArray:
    """Return the pruner's best tree under constraints; without one, say why there is none."""
    try:
        heads = best_trees(lengths, arcs, scores, shape)
        if constraints.has_spans(heads.tolist()):
            return heads
        parts = PartSet(lengths, arcs)
        graph = ScoredSentence(parts, 0, {"arc": scores}, shape, constraints).graph()
        chosen = arcs.rows[graph.solve("branch_and_bound", max_rounds_per_node=150).values]
    except InfeasibleError:
        raise InfeasibleError(_why(sentence, constraints, shape)) from None
    heads[chosen[:, 1] - 1] = chosen[:, 0]
    return heads


def _why(sentence: Sentence, constraints: Constraints, shape: TreeShape) -> str:
    scores = np.where(constraints.allowed(len(sentence)), 0.0, -np.inf)
    try:
        maximum_spanning_tree(scores, single_root=shape.single_root, projective=shape.projective)
    except InfeasibleError as error:
        return f"{place(sentence)}: {error}"
    spans = ", ".join(f"{first} to {last}" for first, last in constraints.spans)
    return (
        f"{place(sentence)}: no tree obeys the required and forbidden arcs and has words {spans} "
        "as subtrees"
    )


def settled(
    sentences: Sequence[Sentence], constraints: Sequence[Constraints], dictionary: LabelDictionary
) -> Sequence[Constraints]:
    """Say of arcs what follows from labels, if the dictionary has one just under the root."""
    if dictionary.root is None:
        return constraints
    names = dictionary.names
    return [
        own.settled(sentence, names, names[dictionary.root])
        for sentence, own in zip(sentences, constraints, strict=True)
    ]


def label_limits(
    sentences: Sequence[Sentence],
    constraints: Sequence[Constraints],
    heads: IntArray,
    dictionary: LabelDictionary,
) -> LabelLimits:
    """Return the labels that words of a batch may take where constraints say something of them.

    A label that the model does not know is omitted here.
    """
    numbers = {name: number for number, name in enumerate(dictionary.names)}
    limits: LabelLimits = {}
    first = 0
    for sentence, own in zip(sentences, constraints, strict=True):
        for modifier, label in own.labels.items():
            if label in numbers:
                limits[first + modifier - 1] = (True, {numbers[label]})
        for head, modifier, label in own.forbidden_labels:
            at = first + modifier - 1
            if label not in numbers or head not in (None, int(heads[at])):
                continue
            required, labels = limits.get(at, (False, set()))
            if not required:
                labels.add(numbers[label])
                limits[at] = (False, labels)
                if len(labels) == len(numbers):
                    raise InfeasibleError(
                        f"{place(sentence)}: all labels of {word(sentence, modifier)} are forbidden"
                    )
        first += len(sentence)
    return limits


def check_labels(constraints: Constraints, dictionary: LabelDictionary) -> None:
    """Refuse labels that a model does not know."""
    known = set(dictionary.names)
    named = [*constraints.labels.values(), *(label for *_, label in constraints.forbidden_labels)]
    for label in named:
        if label not in known:
            raise InputError(f"the model has no label {label!r}{suggest(label, known)}")
