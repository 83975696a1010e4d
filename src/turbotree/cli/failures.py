"""What goes wrong, as the user sees it: one line and a status, never a traceback.

Status 2 is a mistake in the data or the arguments, 130 an interruption (Ctrl-C), and 141 a
reader of our output that went away, as the shell has it for programs ended by SIGPIPE.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from turbotree.errors import TurbotreeError

MISTAKE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


class CarefulGroup(TyperGroup):
    """The verbs together, with their errors turned into lines."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a broken pipe can still be dealt with
        except TurbotreeError as error:
            raise _fail(str(error)) from None
        except BrokenPipeError:
            _silence(sys.stdout)
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename is not None else ""
            raise _fail(f"{where}{error.strerror or error}") from None
        except MemoryError:
            raise _fail("out of memory") from None
        except KeyboardInterrupt:
            typer.echo("turbotree: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            # Wrong arguments. Their class has no public name: typer carries click within itself.
            if not hasattr(error, "format_message"):
                raise
            context = getattr(error, "ctx", None) or ctx
            hint = f" (see {context.command_path} --help)"
            raise _fail(error.format_message().rstrip(".").replace("\n", " ") + hint) from None
        return result


def say(text: str) -> None:
    """Tell the user something that is not output."""
    typer.echo(f"turbotree: {text}", err=True)


def _fail(message: str) -> typer.Exit:
    typer.echo(f"turbotree: error: {message}", err=True)
    return typer.Exit(MISTAKE)


def _silence(stream: Any) -> None:
    """Send what is still in the buffer nowhere, or Python complains when it closes the stream."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):  # not a real file, as in tests
        return
