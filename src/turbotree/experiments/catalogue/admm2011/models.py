"""The models of Martins et al. (2011a), for all of their tables and figures."""

from __future__ import annotations

from typing import Any

_SECOND = ["arc", "sibling", "grandparent"]
_ALL = [*_SECOND, "all_siblings"]
_CROSSING = [*_ALL, "nonprojective"]

#: Table 3, from left to right: each adds parts to the one before.
MODELS: dict[str, dict[str, Any]] = {
    "AF": {"parts": ["arc"]},
    "+G+CS": {"parts": _SECOND},
    "+AS": {"parts": _ALL},
    "+NP": {"parts": _CROSSING},
    "Full": {"parts": [*_CROSSING, "head_bigram", "path"]},
}

#: The second-order model of Figure 2.
SECOND_ORDER: dict[str, Any] = {"parts": ["arc", "grandparent", "all_siblings"]}

DATA = (
    "The paper uses the CoNLL-X treebanks, CoNLL-2008 and the Penn Treebank. Ours are other "
    "treebanks with other annotation and sizes, so only orderings can be compared, not values; "
    "the features are our own, and training is ours, with the SVM loss."
)
