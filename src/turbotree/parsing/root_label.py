"""The label that words under the root have, and no others: ``root`` of Universal Dependencies.

Where training data have such a label, it holds for every tree that a parser gives: a word has it
if and only if its head is the root. The dictionary of labels says so, and with it everything that
labels trees: the best labels, their probabilities, rules, constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from turbotree.arrays import IntArray
from turbotree.features.encoder import ROOT_ID
from turbotree.parsing.labels import LabelDictionary

#: What the label is called in treebanks that parsers older than this rule were trained on.
USUAL = "root"


def root_label(heads: Sequence[IntArray], labels: Sequence[IntArray]) -> int | None:
    """Return the label of all words under the root, and of no other word; None without one.

    Words without a head or a label, which have negative numbers, say nothing. Nor do trees in
    which there is nothing but words under the root.

    >>> trees = [np.array([2, 0, 2]), np.array([0, 1])]
    >>> root_label(trees, [np.array([1, 0, 2]), np.array([0, 1])])
    0
    >>> root_label(trees, [np.array([1, 0, 2]), np.array([0, 0])]) is None
    True
    """
    under: set[int] = set()
    elsewhere: set[int] = set()
    for of_words, own in zip(heads, labels, strict=True):
        known = own >= 0
        under.update(own[known & (of_words == 0)].tolist())
        elsewhere.update(own[known & (of_words > 0)].tolist())
    if len(under) != 1 or not elsewhere or under & elsewhere:
        return None
    return under.pop()


def with_root_label(dictionary: LabelDictionary, root: int | None) -> LabelDictionary:
    """Return a dictionary that allows a label if and only if the head is the root.

    >>> tags = ROOT_ID + 3
    >>> noun, verb = ROOT_ID + 1, ROOT_ID + 2
    >>> seen = [(verb, ROOT_ID, 0), (noun, verb, 1), (verb, verb, 2)]
    >>> strict = with_root_label(LabelDictionary.fit(["root", "nsubj", "conj"], tags, seen), 0)
    >>> [strict.of(m, h).tolist() for m, h in [(noun, ROOT_ID), (verb, verb), (verb, noun)]]
    [[0], [2], [2]]
    """
    if root is None:
        return dictionary
    others = tuple(label for label in range(len(dictionary.names)) if label != root)
    if not others:
        return dictionary
    sets: dict[tuple[int, ...], int] = {}
    numbers = []
    for labels in dictionary.all_lists():
        left = tuple(label for label in labels if label != root) or others
        numbers.append(sets.setdefault(left, len(sets)))
    lists = np.array(numbers, dtype=np.int32)[dictionary.lists]
    lists[:, ROOT_ID] = sets.setdefault((root,), len(sets))
    return replace(LabelDictionary.of_sets(dictionary.names, lists, list(sets)), root=root)


def evident_root_label(dictionary: LabelDictionary) -> int | None:
    """Return the number of the label `USUAL` if, by all that a dictionary shows, it is such a one.

    A dictionary tells which labels the training data had, by tags of modifier and head; where they
    had none, it has all of the modifier's tag, or all there are. So if some tag has had `USUAL`
    alone under the root, none has had it among others there, and none has had it elsewhere in a
    list that tells more than the tag's own, then nothing speaks against it.
    """
    if USUAL not in dictionary.names:
        return None
    root = dictionary.names.index(USUAL)
    every = set(range(len(dictionary.names)))
    lists = [set(labels) for labels in dictionary.all_lists()]
    seen = False
    for row in dictionary.lists.tolist():
        of_tag: set[int] = set().union(*(lists[number] for number in row))
        for head, number in enumerate(row):
            labels = lists[number]
            if root not in labels or labels == every:
                continue
            if head == ROOT_ID:
                if labels != {root}:
                    return None
                seen = True
            elif labels != of_tag:
                return None
    return root if seen else None
