"""Parts: arcs, and what several candidate arcs form together, one file per family."""

from turbotree.parsing.parts.family import (
    CLASSES,
    FAMILIES,
    Candidates,
    Family,
    PairFamily,
    register,
)
from turbotree.parsing.parts.part_set import (
    MODELS,
    PartSet,
    ScoredParts,
    ScoredSentence,
    families_of,
)

# Each registers itself; this is the order in which models list them.
from turbotree.parsing.parts import sibling  # isort: skip
from turbotree.parsing.parts import grandparent  # isort: skip
from turbotree.parsing.parts import all_siblings, head_bigram  # isort: skip
from turbotree.parsing.parts import grand_sibling, tri_sibling  # isort: skip
from turbotree.parsing.parts import ancestry  # isort: skip

__all__ = [
    "CLASSES",
    "FAMILIES",
    "MODELS",
    "Candidates",
    "Family",
    "PairFamily",
    "PartSet",
    "ScoredParts",
    "ScoredSentence",
    "all_siblings",
    "ancestry",
    "families_of",
    "grand_sibling",
    "grandparent",
    "head_bigram",
    "register",
    "sibling",
    "tri_sibling",
]
