"""Errors as answers: a status, and one line that says what is wrong."""

from __future__ import annotations

import json
from typing import Any

from turbotree.errors import InfeasibleError, TurbotreeError
from turbotree.serving.annotations import StorageError
from turbotree.serving.limits import BusyError, TooLargeError, TooSlowError
from turbotree.serving.reading import place_in_rules
from turbotree.text.drawing.common import printable

#: Statuses of errors on purpose; those not named are mistakes in the request, 422.
_STATUSES: dict[type[TurbotreeError], tuple[int, str]] = {
    TooLargeError: (413, "too_large"),
    BusyError: (429, "busy"),
    TooSlowError: (503, "too_slow"),
    InfeasibleError: (422, "infeasible"),
    StorageError: (507, "storage"),
}
_MISTAKE = (422, "input")
_LONGEST = 1000


def problem_of(error: TurbotreeError) -> dict[str, Any]:
    """Describe an error as JSON-ready data.

    >>> from turbotree.errors import InputError
    >>> problem_of(InputError("<rules>:2:5: unknown predicate 'ark'"))["line"]
    2
    """
    message = str(error)
    place = place_in_rules(message)
    line, column = place or (None, None)
    if place is not None:
        message = message.split(": ", 1)[1]
    return problem(_kind(error)[1], message, line, column)


def problem(
    kind: str, message: str, line: int | None = None, column: int | None = None
) -> dict[str, Any]:
    """Make the description of an error, fit for any page and terminal."""
    message = printable(message)
    if len(message) > _LONGEST:
        message = message[:_LONGEST] + "…"
    return {"kind": kind, "message": message, "line": line, "column": column}


def status_of(error: TurbotreeError) -> int:
    """Tell the status that an error is answered with.

    >>> status_of(BusyError("too many"))
    429
    """
    return _kind(error)[0]


def to_json(data: Any) -> bytes:
    """Write JSON in ASCII: whatever a text holds, even half a character, can be sent.

    >>> to_json({"a": "\\ud800"})
    b'{"a":"\\\\ud800"}'
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")


def _kind(error: TurbotreeError) -> tuple[int, str]:
    for kind, found in _STATUSES.items():
        if isinstance(error, kind):
            return found
    return _MISTAKE
