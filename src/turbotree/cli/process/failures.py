"""What goes wrong, as the user sees it: one line and a status, never a traceback.

Status 2 is a mistake in the data or the arguments, 130 an interruption (Ctrl-C), 143 a request to
end (SIGTERM), and 141 a reader of our output that went away, as the shell has it for programs ended
by SIGPIPE.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from turbotree.cli.process.signals import answered, status_of, word_for
from turbotree.errors import TurbotreeError
from turbotree.naming import nearest, suggest, unknown
from turbotree.text.drawing.common import printable

_BAD_CHOICE = re.compile(
    r"Invalid value for '(?P<option>.+?)'.*?: (?:Value error, )?'(?P<value>.*)' is not one of "
    r"(?P<choices>.*)"
)

_BAD_VALUE = re.compile(r"Invalid value for '(?P<option>.+?)'.*?: (?P<reason>.*)")

MISTAKE, BROKEN_PIPE = 2, 141


class CarefulGroup(TyperGroup):
    """The commands together, with their errors turned into lines."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
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
            _give_up(sys.stdout)
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

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; one that there is not is a mistake in a name."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown("command", args[0], self.commands)
        return super().resolve_command(ctx, args)

    def make_context(self, info_name: Any, args: list[str], *more: Any, **extra: Any) -> Any:
        """Read the options before the command."""
        given = bool(args)  # without any, the error that comes is the help
        try:
            return super().make_context(info_name, args, *more, **extra)
        except OSError as error:  # --help to a closed output
            raise _fail(str(error.strerror or error)) from None
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
    return _fail(f"{_about_arguments(error)} (see {command} --help)")


def _about_arguments(error: Any) -> str:
    """Say what is wrong with the arguments, and what may be meant."""
    message = str(error.format_message()).rstrip(".").replace("\n", " ")
    given = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    parameters = context.command.params if context is not None else []
    if given is not None and message.startswith("No such option"):
        known = [name for one in parameters for name in (*one.opts, *one.secondary_opts)]
        near = nearest(given, [name for name in known if name.startswith("--")])
        return f"unknown option {given!r}" + (f"; did you mean {near!r}?" if near else "")
    if found := _BAD_CHOICE.fullmatch(message):
        choices = [choice.strip("' ") for choice in found["choices"].split(",")]
        return f"{found['option']}: unknown value {found['value']!r}" + suggest(
            found["value"], choices
        )
    if message.startswith("Missing ") and context is not None:
        missing = error.param
        help_text = re.split("[.;]", getattr(missing, "help", None) or "")[0]
        about = f" ({help_text[0].lower()}{help_text[1:]})" if help_text else ""
        if missing.opts[0].startswith("-"):
            return f"missing {missing.opts[0]}{about}"
        usage = f"{context.command_path} {_arguments(parameters)}"
        return f"missing {_metavar(missing)}{about}; expected {usage}"
    if found := _BAD_VALUE.fullmatch(message):
        reason = found["reason"]
        return f"{found['option']}: {reason[:1].lower()}{reason[1:]}"
    return message


def _arguments(parameters: list[Any]) -> str:
    """Return the arguments of a command as they stand in its usage: ``MODEL INPUT``."""
    return " ".join(_metavar(one) for one in parameters if one.opts[0][:1] != "-")


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _fail(message: str) -> typer.Exit:
    say(f"error: {message}")
    return typer.Exit(MISTAKE)


def _give_up(stream: Any) -> None:
    """Write what is in the buffer, if that is possible."""
    try:
        stream.flush()
    except OSError:  # there is no room for it, which is what we are about to say
        _silence(stream)


def _silence(stream: Any) -> None:
    """Send what is still in the buffer nowhere, or Python complains when it closes the stream."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):  # not a real file, as in tests
        return
