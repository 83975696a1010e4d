"""Slow and plain ways to compute what the core computes fast; only the tests use them."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> settings:
    """Ask for at most so many examples, where one is slow to draw."""
    return settings(max_examples=min(count, settings.default.max_examples))
