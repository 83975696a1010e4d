"""The command line: one module a verb."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command ``turbotree``."""
    from turbotree.cli.app import app  # here, so that importing the package stays quick

    app(prog_name="turbotree")  # also when run as a module
