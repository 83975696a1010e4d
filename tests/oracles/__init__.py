"""Slow and plain ways to compute what the core computes fast; only the tests use them."""
