"""Trees from arrays of scores: what :func:`turbotree.decode` does."""

from turbotree.parsing.arrays.decode import Decoded, decode

__all__ = ["Decoded", "decode"]
