"""The models of Koo et al. (2010), for all of their tables and figures."""

from __future__ import annotations

from typing import Any

#: Training is the paper's: the perceptron, and for automata the answers of each head for itself.
MODELS: dict[str, dict[str, Any]] = {
    "MST": {"parts": ["arc"], "loss": "perceptron"},
    "Sib": {"parts": ["arc", "sibling"], "loss": "perceptron", "decoder": "automata"},
    "G+S": {
        "parts": ["arc", "sibling", "grandparent", "grand_sibling"],
        "loss": "perceptron",
        "decoder": "automata",
    },
}

DATA = (
    "The paper uses the CoNLL-X treebanks, CoNLL-2008, the Penn Treebank and the Prague "
    "Dependency Treebank. Ours are other treebanks with other annotation and sizes, so only the "
    "ordering of the columns can be compared, not the values; punctuation is not scored, and the "
    "features are our own."
)
