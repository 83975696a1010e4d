"""Corrected trees, saved so that none is lost."""

from __future__ import annotations

from turbotree.serving.annotations.store import Annotations, Counts, Saved, StorageError

__all__ = ["Annotations", "Counts", "Saved", "StorageError"]
