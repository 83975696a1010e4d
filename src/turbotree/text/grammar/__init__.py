"""A grammar that generates a treebank, so that demo and tests need no outside data."""

from __future__ import annotations

from turbotree.text.grammar.generate import treebank

__all__ = ["treebank"]
