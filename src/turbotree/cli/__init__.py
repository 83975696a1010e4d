"""The command line: one module a verb."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command ``turbotree``."""
    try:
        import signal

        from turbotree.cli import signals, streams

        streams.stand_in()
        signals.listen()
        from turbotree.cli.app import app  # here, so that importing the package stays quick

        try:
            app(prog_name="turbotree")
        finally:
            # All is said and done, but for what Python does in the end: not to be disturbed.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
    except KeyboardInterrupt as error:  # before or after a verb runs; failures.py has the rest
        name = "terminated" if type(error).__name__ == "Terminated" else "interrupted"
        print(f"turbotree: {name}", file=sys.stderr)
        os._exit(143 if name == "terminated" else 130)
    except SystemExit as end:
        if end.code in (130, 143):
            signals.leave(end.code)
        raise
