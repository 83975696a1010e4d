"""What the tables of Martins et al. (2010) share."""

from __future__ import annotations

#: All pairs of siblings, and grandparents.
SECOND_ORDER = ["arc", "grandparent", "all_siblings"]

DATA = (
    "The paper uses the CoNLL-X treebanks, CoNLL-2008 and the Penn Treebank, and tunes the "
    "strength of regularisation on development data. Ours are other treebanks with other "
    "annotation and sizes, the features are our own, and nothing is tuned, so only orderings can "
    "be compared."
)
