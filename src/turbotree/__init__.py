"""Graph-based parsing and structured prediction with global constraints."""

from __future__ import annotations

__version__ = "0.1.0"
