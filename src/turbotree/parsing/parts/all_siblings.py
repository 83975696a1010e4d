"""Any two modifiers of one head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from turbotree.features import PartKind, Parts
from turbotree.parsing import _core
from turbotree.parsing.parts.family import Candidates, PairFamily, register


@register
@dataclass(frozen=True, slots=True)
class AllSiblingsFamily(PairFamily):
    """Any two modifiers of one head."""

    name: ClassVar[str] = "all_siblings"
    kind: ClassVar[PartKind] = PartKind(("h", "m", "s"))

    @classmethod
    def find(cls, candidates: Candidates) -> AllSiblingsFamily:
        """Find the parts that candidate arcs form."""
        found = _core.all_siblings(*candidates.given)
        return cls(Parts(found.rows, found.offsets), found.arcs)
