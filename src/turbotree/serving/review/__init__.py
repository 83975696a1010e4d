"""Suspicions about a treebank, looked at one by one; what was decided is never lost."""

from turbotree.serving.review.review import Review

__all__ = ["Review"]
