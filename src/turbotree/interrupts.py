"""Work that is no longer wanted: how threads hear of it, in the core too.

Python brings signals to its main thread alone. Work in other threads ends when its `Stop` is set,
and work of any thread when its time is over: the core asks :func:`check` about every 20 ms from the
thread that it runs in, and loops in Python may.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType, TracebackType

__all__ = [
    "OutOfTimeError",
    "Stop",
    "Threads",
    "best_on_interrupt",
    "best_so_far",
    "check",
    "enough",
    "obey",
    "time_limit",
]

_here = threading.local()


class OutOfTimeError(Exception):
    """The time of a block is over."""


class Stop:
    """Tells threads to end what they are at; it is set whenever the one it was made under is.

    Examples
    --------
    >>> outer = Stop()
    >>> inner = Stop(outer)
    >>> outer.set()
    >>> inner.is_set()
    True
    """

    def __init__(self, outer: Stop | None = None) -> None:
        self._outer = outer
        self._set = False

    def set(self) -> None:
        """End the work."""
        self._set = True

    def is_set(self) -> bool:
        """Return whether the work is to end."""
        return self._set or (self._outer is not None and self._outer.is_set())


def obey(stop: Stop | None) -> None:
    """Let a `Stop` end what this thread does from now on."""
    _here.stop = stop


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Break off what this thread does in the block when so much time has passed.

    Examples
    --------
    >>> with time_limit(0.0):
    ...     check()
    Traceback (most recent call last):
    ...
    turbotree.interrupts.OutOfTimeError
    """
    outer = getattr(_here, "over", None)
    if seconds is not None:
        own = time.monotonic() + seconds
        _here.over = own if outer is None else min(own, outer)
    try:
        yield
    finally:
        _here.over = outer


@contextmanager
def best_so_far(stop: Stop) -> Iterator[None]:
    """Let a `Stop` end solvers in the block as a limit does: with the best that they have found.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0]))
    >>> stop = Stop()
    >>> with best_so_far(stop):
    ...     graph.solve("admm").status.name
    'OPTIMAL'
    """
    outer = getattr(_here, "enough", None)
    _here.enough = stop
    try:
        yield
    finally:
        _here.enough = outer


@contextmanager
def best_on_interrupt() -> Iterator[Stop]:
    """Let the first Ctrl-C in the block end solvers of the core with the best that they have found.

    Their status is then LIMIT, and value and bound hold. The block yields a `Stop` that tells
    whether Ctrl-C was pressed. A second Ctrl-C raises KeyboardInterrupt, as does the first without
    this block, or if the program has a handler of its own.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0]))
    >>> with best_on_interrupt() as stop:
    ...     solution = graph.solve("branch_and_bound")
    >>> solution.status.name, stop.is_set()
    ('OPTIMAL', False)
    """
    stop = Stop()

    def note(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    # Python allows handlers in its main thread alone, and brings signals to no other.
    in_charge = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if in_charge:
        signal.signal(signal.SIGINT, note)
    try:
        with best_so_far(stop):
            yield stop
    finally:
        if in_charge:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def enough() -> bool:
    """Return whether solvers of this thread are to end with the best that they have found."""
    stop: Stop | None = getattr(_here, "enough", None)
    return stop is not None and stop.is_set()


def check() -> None:
    """Raise if what this thread does is no longer wanted: KeyboardInterrupt, or `OutOfTimeError`.

    Examples
    --------
    >>> stop = Stop()
    >>> obey(stop)
    >>> check()
    >>> stop.set()
    >>> try:
    ...     check()
    ... except KeyboardInterrupt:
    ...     print("unwanted")
    unwanted
    >>> obey(None)
    """
    stop = getattr(_here, "stop", None)
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
    over = getattr(_here, "over", None)
    if over is not None and time.monotonic() >= over:
        raise OutOfTimeError


class Threads(ThreadPoolExecutor):
    """Threads that end what they are at, in the core too, when their block is left by an exception.

    Examples
    --------
    >>> with Threads(2) as threads:
    ...     list(threads.map(abs, [-1, 2]))
    [1, 2]
    """

    def __init__(self, threads: int) -> None:
        self._stop = Stop(getattr(_here, "stop", None))
        super().__init__(threads, initializer=obey, initargs=(self._stop,))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._stop.set()
        self.shutdown(wait=True, cancel_futures=kind is not None)
