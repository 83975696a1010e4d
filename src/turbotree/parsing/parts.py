"""Parts of higher order: what several candidate arcs form together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.features import PartKind, Parts
from turbotree.naming import unknown
from turbotree.parsing import _core
from turbotree.parsing.ancestry import ancestry_families
from turbotree.parsing.arcs import ARC
from turbotree.parsing.families import (
    ArcFamily,
    Family,
    GrandparentFamily,
    GrandSiblingFamily,
    SiblingFamily,
    TriSiblingFamily,
)

#: Families of parts by name, each with its slots; `arc` comes first and is in every model.
FAMILIES = {
    "arc": ARC,
    "sibling": PartKind(("h", "m", "s"), {"side": 2}),
    "grandparent": PartKind(("g", "h", "m")),
    "all_siblings": PartKind(("h", "m", "s")),
    "head_bigram": PartKind(("g", "h", "m")),
    "grand_sibling": PartKind(("g", "h", "m", "s"), {"side": 2}),
    "tri_sibling": PartKind(("h", "m", "s", "t"), {"side": 2}),
    "path": PartKind(("a", "d")),
    "nonprojective": PartKind(("h", "m")),
}

#: Families whose parts are made of other families' parts.
NEEDS = {"grand_sibling": ("sibling", "grandparent"), "tri_sibling": ("sibling",)}

#: Model kinds: the families that each scores.
MODELS = {
    "arc": ("arc",),
    "standard": ("arc", "sibling", "grandparent"),
    "full": ("arc", "sibling", "grandparent", "all_siblings", "head_bigram"),
    "third": ("arc", "sibling", "grandparent", "head_bigram", "grand_sibling", "tri_sibling"),
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
    for name, needed in NEEDS.items():
        if name in parts and not set(needed) <= set(parts):
            raise InputError(f"{name} needs {' and '.join(needed)} too")
    return tuple(name for name in FAMILIES if name == "arc" or name in parts)


@dataclass(frozen=True, slots=True)
class PartSet(Mapping[str, Parts]):
    """All parts of a batch of sentences, by family.

    Attributes
    ----------
    lengths
        Words of each sentence.
    arcs
        The candidate arcs, sorted by modifier.
    families
        Everything else, by name.
    """

    lengths: IntArray
    arcs: Parts
    families: dict[str, Family] = field(default_factory=dict)

    @classmethod
    def build(cls, lengths: IntArray, arcs: Parts, names: Sequence[str]) -> PartSet:
        """Find the parts that arcs form.

        >>> from turbotree.parsing.arcs import all_arcs
        >>> lengths = np.array([3], dtype=np.int32)
        >>> found = PartSet.build(lengths, all_arcs(lengths), ("arc", "grandparent"))
        >>> found.families["grandparent"].parts.rows[0].tolist()
        [0, 1, 2]
        """
        given = (lengths, arcs.rows, arcs.offsets)
        # What automata score decides where the scores lie.
        scored = ("grandparent" in names, "grand_sibling" in names)
        families: dict[str, Family] = {}
        for name in names:
            if name == "sibling":
                rows, offsets, *rest = _core.consecutive_siblings(*given, *scored)
                own: Any = rest  # arrays of two types
                families[name] = SiblingFamily(Parts(rows, offsets), *own)
            elif name == "grandparent":
                rows, offsets, of_arcs, cells = _core.grandparents(*given, *scored)
                families[name] = GrandparentFamily(Parts(rows, offsets), of_arcs, cells)
            elif name in ("grand_sibling", "tri_sibling"):
                siblings = families["sibling"]
                assert isinstance(siblings, SiblingFamily)
                if name == "grand_sibling":
                    found = _core.grand_siblings(*given, *scored)
                    families[name] = GrandSiblingFamily(Parts(*found[:2]), *found[2:], siblings)
                else:
                    found = _core.tri_siblings(*given)
                    families[name] = TriSiblingFamily(Parts(*found[:2]), *found[2:], siblings)
            elif name in _BUILDERS:
                rows, offsets, of_arcs = _BUILDERS[name](*given)
                families[name] = ArcFamily(Parts(rows, offsets), of_arcs)
        if "path" in names or "nonprojective" in names:
            families |= ancestry_families(lengths, arcs, tuple(names))
        return cls(lengths, arcs, families)

    def arcs_alone(self, sentence: int) -> tuple[Parts, IntArray]:
        """Return the arcs of one sentence, and its length, as a batch of one."""
        rows = self.arcs.rows[self.arcs.places(sentence)]
        return Parts.of_one(rows), self.lengths[sentence : sentence + 1]

    def __getitem__(self, name: str) -> Parts:
        return self.arcs if name == "arc" else self.families[name].parts

    def __iter__(self) -> Iterator[str]:
        yield "arc"
        yield from self.families

    def __len__(self) -> int:
        return len(self.families) + 1

    def sentence_slices(self, sentence: int) -> dict[str, slice]:
        """Return where each family's parts of a sentence are."""
        return {name: own.places(sentence) for name, own in self.items()}

    def indicators(self, sentence: int, heads: IntArray) -> dict[str, npt.NDArray[np.bool_]]:
        """Tell which parts of a sentence a tree has, given by its heads."""
        offsets = self.arcs.offsets
        rows = self.arcs.rows[offsets[sentence] : offsets[sentence + 1]]
        chosen = heads[rows[:, 1] - 1] == rows[:, 0]
        found = {"arc": chosen}
        for name, family in self.families.items():
            found[name] = family.indicator(sentence, chosen)
        return found


_BUILDERS = {
    "all_siblings": _core.all_siblings,
    "head_bigram": _core.head_bigrams,
}
