"""An option is declared once: its name, type, help, panel, default, and what it fits.

The options of a command are the fields of a frozen dataclass, an :class:`Options`. The command's
signature for Typer, its ``--help`` and the refusal of what does not fit all come from there::

    @dataclass(frozen=True, kw_only=True)
    class GreetOptions(Options):
        name: str = argument("Whom to greet.", metavar="NAME")
        loud: bool = option(False, "Shout.", panel=OUTPUT)

    @takes(GreetOptions)
    def greet(options: GreetOptions) -> None:
        ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, ClassVar, TypeVar, get_type_hints

import typer

from turbotree.errors import InputError

#: The panels of ``--help``, in this order.
COMMON, INPUT, MODEL, TRAINING = "Common", "Input", "Model", "Training"
SEARCH, OUTPUT, SCALE = "Search", "Output", "Scale"
PANELS = (COMMON, INPUT, MODEL, TRAINING, SEARCH, OUTPUT, SCALE)

#: Kinds of models, as ``fits`` has them.
PARSER, TAGGER, PIPELINE = "parser", "tagger", "pipeline"
#: The kinds that find trees.
TREES = (PARSER, PIPELINE)

Complete = Callable[[str], list[str]]


@dataclass(frozen=True)
class Declared:
    """What is known of an option beside its type and default.

    Attributes
    ----------
    help
        Sentences for ``--help``.
    names
        How it is written, if not as the field is called: ``--top``, or ``--output`` and ``-o``.
    panel
        Its panel of ``--help``.
    metavar
        What stands for its value there.
    fits
        The kinds of models that it is for; empty: all.
    needs
        Another option without which it means nothing; ``"engine=ray"`` asks for a value too.
    clashes
        Options that it excludes.
    least, most
        The smallest and largest number.
    complete
        What a shell offers for its value.
    is_argument
        Whether it is known by its place instead of a name.
    """

    help: str
    names: tuple[str, ...] = ()
    panel: str = COMMON
    metavar: str | None = None
    fits: tuple[str, ...] = ()
    needs: str | None = None
    clashes: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    complete: Complete | None = None
    is_argument: bool = False

    def flag(self, name: str) -> str:
        """Return the option as it is written, of a field with that name."""
        long = (text for text in self.names if text.startswith("--"))
        return next(long, f"--{name.replace('_', '-')}").partition("/")[0]

    def for_typer(self, name: str, default: object) -> Any:
        """Return what Typer takes for it."""
        known: dict[str, Any] = {"help": self._full_help(), "metavar": self.metavar}
        known |= {"min": self.least, "max": self.most, "autocompletion": self.complete}
        if self.is_argument:
            return typer.Argument(**known, show_default=False)
        # Without a name, Typer would add --no-NAME to a flag.
        names = self.names or ((self.flag(name),) if isinstance(default, bool) else ())
        return typer.Option(*names, **known, rich_help_panel=self.panel)

    def _full_help(self) -> str:
        if self.fits == TREES:
            return f"{self.help} (not for taggers)"
        return f"{self.help} ({_plural(self.fits)} only)" if self.fits else self.help


def option(default: Any, help: str, names: str = "", **more: Any) -> Any:
    """Declare an option as a field of an :class:`Options`; ``...`` for one that is required."""
    return _field(default, Declared(help, tuple(names.split()), **more))


def argument(help: str, default: Any = ..., **more: Any) -> Any:
    """Declare an argument as a field of an :class:`Options`."""
    return _field(default, Declared(help, is_argument=True, **more))


def _field(default: Any, declared: Declared) -> Any:
    known = {} if default is ... else {"default": default}
    return field(metadata={"declared": declared}, **known)


class Options:
    """The options of a command, with one way to refuse those that do not fit."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def check(self, **standing_for: str) -> None:
        """Refuse options without what they need, and two of which only one makes sense.

        Parameters
        ----------
        standing_for
            What else counts as an option that is given, and what it is called: Parquet files
            exclude what ``--engine`` excludes.
        """
        flags = {each.name: _declared(each).flag(each.name) for each in fields(self)}
        given = {name: flags[name] for name, _ in self._given()} | standing_for
        for name, declared in self._given():
            if declared.needs is not None:
                needed, _, value = declared.needs.partition("=")
                if needed not in given or (value and getattr(self, needed) != value):
                    raise InputError(f"{flags[name]} needs {flags[needed]} {value}".rstrip())
            for other in declared.clashes:
                if other in given:
                    raise InputError(f"{flags[name]} and {given[other]}: give only one of them")

    def check_fit(self, kind: str) -> None:
        """Refuse options that are for other kinds of models."""
        for name, declared in self._given():
            if declared.fits and kind not in declared.fits:
                whose = _plural(declared.fits)
                raise InputError(f"{declared.flag(name)} is for {whose}; this is a {kind}")

    def _given(self) -> Iterator[tuple[str, Declared]]:
        for each in fields(self):
            if getattr(self, each.name) != each.default:
                yield each.name, _declared(each)


def _declared(one: Field[Any]) -> Declared:
    declared: Declared = one.metadata["declared"]
    return declared


def _plural(kinds: tuple[str, ...]) -> str:
    return " and ".join(f"{kind}s" for kind in kinds)


_Options = TypeVar("_Options", bound=Options)


def takes(options: type[_Options]) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
    """Make a command for Typer of a function that takes its options as one object."""

    def decorate(run: Callable[[_Options], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            chosen = options(**given)
            chosen.check()
            run(chosen)

        command.__name__, command.__doc__ = run.__name__, run.__doc__
        setattr(command, "__signature__", _signature(options))  # noqa: B010
        return command

    return decorate


def _signature(options: type[Options]) -> Signature:
    hints = get_type_hints(options)
    parameters = []
    for each in sorted(fields(options), key=lambda each: not _declared(each).is_argument):
        default = Parameter.empty if each.default is MISSING else each.default
        about = _declared(each).for_typer(each.name, default)
        hint: Any = hints[each.name]
        annotation = Annotated[hint, about]
        parameters.append(
            Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    return Signature(parameters)
