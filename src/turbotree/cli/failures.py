"""What goes wrong, as the user sees it: one line and a status, never a traceback.

Status 2 is a mistake in the data or the arguments, 130 an interruption (Ctrl-C), 143 a request to
end (SIGTERM), and 141 a reader of our output that went away, as the shell has it for programs ended
by SIGPIPE.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from turbotree.cli.signals import answered, status_of, word_for
from turbotree.errors import TurbotreeError
from turbotree.text.drawing.common import printable

MISTAKE, BROKEN_PIPE = 2, 141


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
        except KeyboardInterrupt as error:
            raise interrupted(error) from None
        except Exception as error:
            if not _is_about_arguments(error):
                raise
            context = getattr(error, "ctx", None) or ctx
            raise _fail_arguments(error, context.command_path) from None
        return result

    def make_context(self, info_name: Any, args: list[str], *more: Any, **extra: Any) -> Any:
        """Read the options before the verb."""
        given = bool(args)  # without any, the error that comes is the help
        try:
            return super().make_context(info_name, args, *more, **extra)
        except Exception as error:
            if not (given and _is_about_arguments(error)):
                raise
            raise _fail_arguments(error, info_name) from None


def interrupted(error: KeyboardInterrupt, more: str = "") -> typer.Exit:
    """Tell the user that the run has been ended, and what may come after."""
    answered()
    say(word_for(error) + more)
    return typer.Exit(status_of(error))


def say(text: str) -> None:
    """Tell the user something that is not output."""
    typer.echo(f"turbotree: {printable(text)}", err=True)


def _is_about_arguments(error: Exception) -> bool:
    # Their class has no public name: typer carries click within itself.
    return hasattr(error, "format_message")


def _fail_arguments(error: Any, command: str) -> typer.Exit:
    return _fail(error.format_message().rstrip(".").replace("\n", " ") + f" (see {command} --help)")


def _fail(message: str) -> typer.Exit:
    say(f"error: {message}")
    return typer.Exit(MISTAKE)


def _silence(stream: Any) -> None:
    """Send what is still in the buffer nowhere, or Python complains when it closes the stream."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):  # not a real file, as in tests
        return
