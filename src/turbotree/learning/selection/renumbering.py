"""From the features of a model with many templates to those of the same model with fewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from turbotree.arrays import KeyArray
from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.features._core import LABEL_BITS, MAX_TEMPLATES
from turbotree.learning.regularisers import templates_of_keys

_LABEL = np.uint64((1 << LABEL_BITS) - 1)


class KeyedTask(Protocol):
    """A training set that tells the features of its instances."""

    def __len__(self) -> int:
        """Return the number of instances."""
        ...

    def keys(self, index: int) -> KeyArray:
        """Return the features of all parts of an instance, without labels, one after the other."""
        ...


def renumbered(
    keys: KeyArray, templates: Sequence[int], many: KeyedTask, fewer: KeyedTask
) -> KeyArray:
    """Return the keys that some features have in a model with fewer templates.

    A template's number is mixed into the keys of its features, so these change with it. Which has
    become which is seen where both models look at the same parts.

    Parameters
    ----------
    keys
        Features, with labels, of the model with many templates. Those that occur nowhere in the
        task are omitted.
    templates
        Numbers of the templates that are left, ascending: their places are the new numbers.
    many, fewer
        The same instances under both models.
    """
    features, place_of_key = np.unique(keys & ~_LABEL, return_inverse=True)
    if not len(features):
        return keys
    kept = np.zeros(MAX_TEMPLATES, dtype=bool)
    kept[list(templates)] = True
    found = np.zeros(len(features), dtype=np.uint64)  # no feature has the key 0
    # Most keys of an instance are none of these: a table of hashes tells so sooner than a search.
    table = Weights.of(features, np.ones(len(features), dtype=np.float32)).table
    for index in range(len(many)):
        before = many.keys(index)
        before = before[kept[templates_of_keys(before)]]
        after = fewer.keys(index)
        if len(before) != len(after):
            raise InputError(f"{len(after)} features instead of {len(before)}: other templates")
        known = np.flatnonzero(table.find(before))
        wanted, first = np.unique(before[known], return_index=True)
        found[np.searchsorted(features, wanted)] = after[known[first]]
    new = found[place_of_key]
    changed: KeyArray = (new | (keys & _LABEL))[new != 0]
    return changed
