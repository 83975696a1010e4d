"""Corrected trees, saved so that none is lost."""

from __future__ import annotations

from turbotree.serving.annotations.store import Annotations, Counts, StorageError

__all__ = ["Annotations", "Counts", "StorageError"]
