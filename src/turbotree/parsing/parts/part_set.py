"""Parts of higher order: what several candidate arcs form together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turbotree.arrays import BoolArray, IntArray
from turbotree.errors import InputError
from turbotree.features import Parts
from turbotree.naming import unknown
from turbotree.parsing.long_sentences import is_very_long
from turbotree.parsing.parts.family import CLASSES, FAMILIES, Candidates, Family

#: Model kinds: the families that each scores.
MODELS = {
    "arc": ("arc",),
    "standard": ("arc", "sibling", "grandparent"),
    "full": ("arc", "sibling", "grandparent", "all_siblings", "head_bigram"),
    "third": ("arc", "sibling", "grandparent", "head_bigram", "grand_sibling", "tri_sibling"),
    "turbo": ("arc", "sibling", "grandparent"),  # beside a network
}


def families_of(model: str, parts: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the families of a model kind, or those asked for, in their usual order.

    >>> families_of("standard")
    ('arc', 'sibling', 'grandparent')
    >>> families_of("arc", ["grandparent", "arc"])
    ('arc', 'grandparent')
    """
    if parts is None:
        if model not in MODELS:
            raise unknown("model kind", model, MODELS)
        return MODELS[model]
    for name in parts:
        if name not in FAMILIES:
            raise unknown("parts", name, FAMILIES)
    for name in parts:
        needed = CLASSES[name].needs if name in CLASSES else ()
        if not set(needed) <= set(parts):
            raise InputError(f"{name} needs {' and '.join(needed)} too")
    return tuple(name for name in FAMILIES if name == "arc" or name in parts)


def affordable(families: Sequence[str], words: int) -> tuple[str, ...]:
    """Return the families of parts that a sentence of so many words is scored by."""
    if not is_very_long(words):
        return tuple(families)
    return tuple(name for name in families if name == "arc" or not CLASSES[name].of_all_pairs)


class PartSet(dict[str, Parts]):
    """All parts of a batch of sentences, by family; arcs come first.

    Attributes
    ----------
    lengths
        Words of each sentence.
    arcs
        The candidate arcs, sorted by modifier.
    families
        Everything else, by name.
    """

    def __init__(
        self, lengths: IntArray, arcs: Parts, families: Mapping[str, Family] | None = None
    ) -> None:
        self.lengths = lengths
        self.arcs = arcs
        self.families = dict(families or {})
        super().__init__(arc=arcs)
        for name, family in self.families.items():
            self[name] = family.parts

    @classmethod
    def build(cls, lengths: IntArray, arcs: Parts, names: Sequence[str]) -> PartSet:
        """Find the parts that arcs form.

        >>> import numpy as np
        >>> from turbotree.parsing.arcs import all_arcs
        >>> lengths = np.array([3], dtype=np.int32)
        >>> found = PartSet.build(lengths, all_arcs(lengths), ("arc", "grandparent"))
        >>> found.families["grandparent"].parts.rows[0].tolist()
        [0, 1, 2]
        """
        candidates = Candidates(lengths, arcs, tuple(names))
        for name in names:
            if name != "arc":
                candidates.found[name] = CLASSES[name].find(candidates)
        return cls(lengths, arcs, candidates.found)

    def sentence_slices(self, sentence: int) -> dict[str, slice]:
        """Return where each family's parts of a sentence are."""
        return {name: own.places(sentence) for name, own in self.items()}

    def indicators(self, sentence: int, heads: IntArray) -> dict[str, BoolArray]:
        """Tell which parts of a sentence a tree has, given by its heads."""
        offsets = self.arcs.offsets
        rows = self.arcs.rows[offsets[sentence] : offsets[sentence + 1]]
        chosen = heads[rows[:, 1] - 1] == rows[:, 0]
        found = {"arc": chosen}
        for name, family in self.families.items():
            found[name] = family.indicator(sentence, chosen)
        return found
