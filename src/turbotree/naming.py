"""What to say of a name that nothing has: of an option, a decoder, a rule, a label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from turbotree.errors import InputError

_Options = TypeVar("_Options")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a misspelt one; None if none is like it.

    Capital letters do not count, and neither do ``-`` and ``_``; the beginning of one name alone
    is enough.

    >>> nearest("upso", ["upos", "form"]), nearest("MST", ["mst", "mbr"]), nearest("z", ["upos"])
    ('upos', 'mst', None)
    >>> nearest("perc", ["svm", "perceptron"])
    'perceptron'
    """
    import difflib  # only mistakes wait for it

    plain = {_plain(one): one for one in sorted(known, reverse=True)}
    wanted = _plain(name)
    near = difflib.get_close_matches(wanted, plain, n=1)
    begun = [one for one in plain if len(wanted) > 1 and one.startswith(wanted)]
    found = near or (begun if len(begun) == 1 else [])
    return plain[found[0]] if found else None


def suggest(name: object, known: Iterable[str]) -> str:
    """Say which of the known names may be meant, or else what there is.

    >>> suggest("upso", ["upos", "form"])
    "; did you mean 'upos'?"
    >>> suggest("z", ["upos", "form"])
    '; there are form, upos'
    """
    names = sorted(known)
    near = nearest(name, names) if isinstance(name, str) else None
    if near is not None:
        return f"; did you mean {near!r}?"
    if len(names) < 2:
        return f"; there is only {names[0]}" if names else "; there are none"
    return f"; there are {', '.join(names)}"


def unknown(what: str, name: object, known: Iterable[str]) -> InputError:
    """Make the error of a name that nothing has.

    >>> print(unknown("decoder", "mts", ["mst", "mbr"]))
    unknown decoder 'mts'; did you mean 'mst'?
    """
    return InputError(f"unknown {what} {name!r}{suggest(name, known)}")


def check_names(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse options that something does not have.

    >>> check_names("train", ["epoch"], ["epochs", "seed"])
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: train: unknown option 'epoch'; did you mean 'epochs'?
    """
    names = set(known)
    for name in given:
        if name not in names:
            raise InputError(f"{where}: unknown option {name!r}{suggest(name, names)}")


@cache
def options_of(*functions: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of all keyword-only arguments that functions have defaults for.

    >>> def solve(problem, *, seed=0, threads=1): ...
    >>> options_of(solve)
    ('seed', 'threads')
    """
    return tuple(name for one in functions for name in one.__kwdefaults__ or ())


def options_from(
    kind: type[_Options], where: str, given: Mapping[str, object], *taker: Callable[..., Any]
) -> _Options:
    """Make a dataclass of options; one that it does not have is an InputError.

    Parameters
    ----------
    kind
        The dataclass.
    where
        Who takes the options, for the message.
    given
        The options by name.
    taker
        The function that was called with them; its own options may be meant, too.
    """
    own = [one.name for one in fields(kind) if one.init]  # type: ignore[arg-type]
    check_names(where, given, [*own, *options_of(*taker)])
    values: dict[str, Any] = dict(given)
    return kind(**values)


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-")
