"""Sizes of files, as people read them."""

from __future__ import annotations


def bytes_text(count: int) -> str:
    """Say how large a file is.

    >>> bytes_text(999), bytes_text(1_234_567)
    ('999 B', '1.2 MB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
