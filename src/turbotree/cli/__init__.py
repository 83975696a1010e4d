"""The command line: one module a verb."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command ``turbotree``."""
    try:
        from turbotree.cli.app import app  # here, so that importing the package stays quick

        app(prog_name="turbotree")
    except KeyboardInterrupt:  # before or after a verb runs; failures.py has the rest
        print("turbotree: interrupted", file=sys.stderr)
        sys.exit(130)
