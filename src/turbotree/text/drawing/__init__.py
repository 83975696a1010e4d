"""Pictures of trees: for the terminal and for the page."""

from __future__ import annotations

from turbotree.text.drawing.svg import draw_svg
from turbotree.text.drawing.terminal import draw_text

__all__ = ["draw_svg", "draw_text"]
