"""How much a server takes on."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

from turbotree.errors import InputError, TurbotreeError
from turbotree.quantities import check_least


def _cores() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Limits:
    """What a server refuses, so that no request can take it down.

    Attributes
    ----------
    max_body_bytes
        A larger request is answered with status 413.
    max_document_bytes
        The same for requests of INCEpTION, which sends all documents of a project at once.
    max_words
        A longer sentence is answered with 413.
    max_sentences
        So many in one request; more are answered with 413.
    max_trees
        The largest k.
    time_limit_seconds
        A request that takes longer is answered with 503; a body that takes longer to arrive,
        with 408.
    threads
        Requests that are parsed at the same time.
    max_waiting
        Requests that wait for a thread; those beyond are answered with 429.

    Examples
    --------
    >>> Limits(max_words=50).max_words
    50
    >>> Limits(threads=0)
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: threads is 0; expected at least 1
    """

    max_body_bytes: int = 1_000_000
    max_document_bytes: int = 100_000_000
    max_words: int = 250
    max_sentences: int = 200
    max_trees: int = 20
    time_limit_seconds: float = 10.0
    threads: int = field(default_factory=_cores)
    max_waiting: int = 16

    def __post_init__(self) -> None:
        for name in (
            "max_body_bytes",
            "max_document_bytes",
            "max_words",
            "max_sentences",
            "max_trees",
            "threads",
        ):
            check_least(name, getattr(self, name), 1)
        check_least("max_waiting", self.max_waiting, 0)
        if not (self.time_limit_seconds > 0 and math.isfinite(self.time_limit_seconds)):
            raise InputError(
                f"time_limit_seconds is {self.time_limit_seconds}; expected more than 0"
            )


class TooLargeError(TurbotreeError):
    """More than the limits allow: bytes, words, sentences."""


class TooSlowError(TurbotreeError):
    """The time of a request is over."""


class BusyError(TurbotreeError):
    """As many requests are waiting as may wait."""
