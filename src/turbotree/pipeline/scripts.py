"""Edit scripts: how a lemma comes of a form, written so that many words share one."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from functools import lru_cache

# How the form is written before letters are taken away and added.
_CASES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "keep": str,
    "title": str.capitalize,
    "upper": str.upper,
}
_SEPARATOR = "\t"


def script_of(form: str, lemma: str) -> str:
    """Return the script that makes the lemma of the form.

    It says how to write the form, how many letters to take from its front and end, and what to
    put there instead; or, if form and lemma share nothing, what the lemma is.

    >>> script_of("Forces", "force") == script_of("dogs", "dog")
    True
    >>> apply_script(script_of("was", "be"), "Was")
    'be'
    """
    for case, write in _CASES.items():
        base = write(form)
        if case != "lower" and not _same_case(base, lemma):
            continue
        if case == "lower" and lemma != lemma.lower():
            continue
        match = SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
        if match.size == 0:
            continue
        front, end = match.a, len(base) - match.a - match.size
        before, after = lemma[: match.b], lemma[match.b + match.size :]
        return _SEPARATOR.join([case, str(front), before, str(end), after])
    return _SEPARATOR.join(["is", lemma])


def _same_case(base: str, lemma: str) -> bool:
    """Return whether what both share in lower case is also written alike."""
    match = SequenceMatcher(None, base.lower(), lemma.lower(), autojunk=False).find_longest_match()
    shared = slice(match.a, match.a + match.size), slice(match.b, match.b + match.size)
    return base[shared[0]] == lemma[shared[1]]


@lru_cache(maxsize=10_000)
def _parsed(script: str) -> tuple[str, int, str, int, str]:
    fields = script.split(_SEPARATOR)
    if len(fields) == 2 and fields[0] == "is" and fields[1]:
        return "is", 0, fields[1], 0, ""
    if len(fields) != 5 or fields[0] not in _CASES:
        raise ValueError(f"not an edit script: {script!r}")
    return fields[0], int(fields[1]), fields[2], int(fields[3]), fields[4]


def apply_script(script: str, form: str) -> str:
    """Return what the script makes of the form; the form itself, if that would be nothing.

    >>> apply_script(script_of("studies", "study"), "Parties")
    'party'
    >>> apply_script(script_of("studies", "study"), "as")
    'as'
    """
    case, front, before, end, after = _parsed(script)
    if case == "is":
        return before
    base = _CASES[case](form)
    if front + end >= len(base):
        return form
    return before + base[front : len(base) - end] + after


def check_script(script: str) -> None:
    """Raise ValueError if this is no script."""
    _parsed(script)
