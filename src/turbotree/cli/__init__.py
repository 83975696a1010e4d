"""The command line: one module per command."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command ``turbotree``."""
    try:
        import signal

        from turbotree.cli.process import closed_streams, signals

        closed_streams.stand_in()
        signals.listen()
        from turbotree.cli.app import app  # here, so that importing the package stays quick

        try:
            app(prog_name="turbotree")
        finally:
            # All is said and done, but for what Python does in the end: not to be disturbed.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
    except KeyboardInterrupt:  # before or after a command runs; process.failures has the rest
        if "signals" not in locals():
            print("turbotree: interrupted", file=sys.stderr)
            os._exit(130)
        signals.leave()
    except SystemExit as end:
        # Typer makes 130 of any interruption outside a command, without a word.
        if end.code in (130, 143):
            signals.leave()
        raise
