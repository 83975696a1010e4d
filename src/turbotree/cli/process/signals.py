"""Ctrl-C and SIGTERM: one line, the usual status, and nothing half-written left behind.

The main thread raises where it stands, and the core lets it do so soon (`turbotree.interrupts`).
Should it be held up all the same, by a library that hears nothing or by threads that have to end
first, a thread of ours ends the process after a short while.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

from turbotree.files.atomic import remove_unfinished
from turbotree.interrupts import Stop

__all__ = [
    "FirstSignal",
    "Terminated",
    "answered",
    "first_signal",
    "leave",
    "listen",
    "status_of",
    "word_for",
]

#: How long the main thread has to end by itself.
_GRACE_SECONDS = 0.25

#: Whether the user has been told; two threads may be about to.
_answered = threading.Event()

#: The signals that have come.
_heard: list[int] = []


class Terminated(KeyboardInterrupt):
    """SIGTERM has come. Whatever heeds Ctrl-C heeds it alike."""


def status_of(interruption: BaseException) -> int:
    """Return the status that the shell has for a process ended by a signal.

    >>> status_of(KeyboardInterrupt()), status_of(Terminated())
    (130, 143)
    """
    return 128 + (signal.SIGTERM if isinstance(interruption, Terminated) else signal.SIGINT)


def word_for(interruption: BaseException) -> str:
    """Say what has happened."""
    return "terminated" if isinstance(interruption, Terminated) else "interrupted"


def answered() -> None:
    """Keep the thread that watches from telling the user once more."""
    _answered.set()


def listen() -> None:
    """Answer SIGINT and SIGTERM from now on; a signal that is ignored stays so."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_signal, args=(reader,), daemon=True).start()


class FirstSignal(Stop):
    """Set by the first signal; `signal` is the interruption that it would have raised."""

    signal: KeyboardInterrupt | None = None


@contextlib.contextmanager
def first_signal(*, noted: bool = True) -> Iterator[FirstSignal]:
    """Let the first SIGINT or SIGTERM in the block only be noted; the next one raises as usual.

    If it is not to be noted, the first one raises, too.
    """
    heard = FirstSignal()

    def note(number: int, frame: FrameType | None) -> None:
        if heard.is_set():
            _raise(number, frame)
        _heard.append(number)
        heard.signal = Terminated() if number == signal.SIGTERM else KeyboardInterrupt()
        heard.set()

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM) if noted else ():
        if signal.getsignal(number) in (_raise, signal.default_int_handler):
            before[number] = signal.signal(number, note)
    try:
        yield heard
    finally:
        # The thread that waits for signals would still end us for the one that has been noted.
        if not heard.is_set():
            for number, handler in before.items():
                signal.signal(number, handler)


def leave() -> None:
    """End the process at once, as the signal that has come wants it.

    No thread is waited for, no temporary file stays, and the user is told unless that is done.
    """
    remove_unfinished()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    _end(_heard[-1] if _heard else signal.SIGINT)


def _end(number: int) -> None:
    if not _answered.is_set():
        word = b"terminated" if number == signal.SIGTERM else b"interrupted"
        with contextlib.suppress(OSError):
            os.write(2, b"turbotree: " + word + b"\n")
    _release_semaphores()
    os._exit(128 + number)


def _release_semaphores() -> None:
    """Release what pools of processes hold, or a helper of Python complains after our end."""
    util = sys.modules.get("multiprocessing.util")
    with contextlib.suppress(Exception):
        getattr(util, "_run_finalizers")(0)  # noqa: B009


def _raise(number: int, _: FrameType | None) -> None:
    _heard.append(number)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _wait_for_signal(reader: int) -> None:
    while True:
        for number in os.read(reader, 16):
            if number not in (signal.SIGINT, signal.SIGTERM):
                continue
            time.sleep(_GRACE_SECONDS)
            if signal.getsignal(number) is _raise:  # nobody else has taken over, as serve does
                remove_unfinished()
                _end(number)
