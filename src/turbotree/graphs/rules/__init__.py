"""Rules in a language of their own, grounded to the factors of a graph."""

from turbotree.graphs.rules.rules import Applied, Rules

__all__ = ["Applied", "Rules"]
