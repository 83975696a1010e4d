"""Threads that parse, so that the event loop stays free; and a queue that is never long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from turbotree.serving.limits import BusyError, Limits, TooSlowError

_Answer = TypeVar("_Answer")


class Workers:
    """Some threads, and a limit on what waits for them.

    Parameters
    ----------
    limits
        Threads, requests that may wait, and the time of each.

    Examples
    --------
    >>> workers = Workers(Limits(threads=1))
    >>> asyncio.run(workers.run(lambda in_time: 6 * 7))
    42
    >>> workers.close()
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="parse")
        self._taken = 0

    async def run(
        self, job: Callable[[Callable[[], bool]], _Answer], *, to_its_end: bool = False
    ) -> _Answer:
        """Run a job in a thread; it is given a function that tells whether there is still time.

        Parameters
        ----------
        job
            What to do.
        to_its_end
            Wait for a job that has begun, however long it takes: what it changes on the disk must
            not be called a failure. One that does not begin in time is dropped as ever.

        Raises
        ------
        BusyError
            As many wait as may wait.
        TooSlowError
            The time is over. A thread cannot be stopped from outside: the job keeps its place
            among those that are counted until it comes to an end.
        """
        if self._taken >= self._limits.threads + self._limits.max_waiting:
            raise BusyError("too many requests at once; try again in a moment")
        self._taken += 1
        over = time.monotonic() + self._limits.time_limit_seconds

        def in_time() -> bool:
            return time.monotonic() < over

        def work() -> _Answer:
            if not in_time():
                raise TooSlowError(self._too_slow())
            return job(in_time)

        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        future.add_done_callback(self._done)
        if to_its_end:
            return await asyncio.shield(future)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._limits.time_limit_seconds)
        except asyncio.TimeoutError:
            raise TooSlowError(self._too_slow()) from None

    def close(self) -> None:
        """Let go of the threads; jobs that wait are dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _too_slow(self) -> str:
        return (
            f"this took longer than {self._limits.time_limit_seconds:g} seconds; "
            "ask for less at a time"
        )

    def _done(self, future: asyncio.Future[_Answer]) -> None:
        self._taken -= 1
        if not future.cancelled():
            future.exception()  # looked at, or asyncio complains of one that nobody waits for
