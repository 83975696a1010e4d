"""What runs the pieces: processes of this machine, or the workers of a Ray cluster.

An engine is given a function and arguments, and tells which calls are done as they end. A worker
that dies takes nothing with it: its call is made again, by another. So a call must be such that
making it twice is as good as once; ours write a file that appears whole or not at all.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_any
from types import TracebackType
from typing import Any, Protocol, TypeVar

from turbotree.errors import InputError, MissingExtraError, TurbotreeError
from turbotree.files.atomic import remove_unfinished
from turbotree.naming import unknown
from turbotree.quantities import check_least

_R = TypeVar("_R")

ENGINES = ("processes", "ray")
#: How often a call is made again after the death of its worker.
RETRIES = 3
#: Calls that wait at the workers' doors, for each of them: enough to keep them busy.
_WAITING = 2


class WorkerLostError(TurbotreeError):
    """The same call killed worker after worker."""


class Engine(Protocol):
    """Something that makes calls somewhere else."""

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make all calls; give the number of each and its result, in the order they end in."""
        ...


@contextmanager
def open_engine(name: str, workers: int, *, address: str | None = None) -> Iterator[Engine]:
    """Start an engine, and stop it in the end.

    Parameters
    ----------
    name
        One of `ENGINES`.
    workers
        How many calls run at once.
    address
        Of a Ray cluster that is there already; without it Ray starts on this machine alone.
    """
    if name not in ENGINES:
        raise unknown("engine", name, ENGINES)
    check_least("workers", workers, 1)
    if name == "processes":
        if address is not None:
            raise InputError("an address is for the engine 'ray'")
        yield Processes(workers)
        return
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError(
            "the engine 'ray' needs ray: pip install 'turbotree[ray]'"
        ) from error
    started = not ray.is_initialized()
    if started:
        here: dict[str, Any] = {} if address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **here)
    try:
        yield RayWorkers(workers)
    finally:
        if started:
            ray.shutdown()


class OneProcess:
    """No workers: calls are made here, one after the other."""

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make all calls."""
        for number, arguments in enumerate(calls):
            yield number, function(*arguments)


class Processes:
    """Processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make all calls; a broken pool is replaced, and what it had begun is begun again."""
        waiting = list(range(len(calls)))[::-1]
        losses = [0] * len(calls)
        while waiting:
            # A new interpreter for each: what threads of ours may hold is not inherited.
            with SpawnedProcesses(self.workers) as pool:
                running: dict[Future[_R], int] = {}
                try:
                    while waiting or running:
                        while waiting and len(running) < _WAITING * self.workers:
                            number = waiting.pop()
                            running[pool.submit(function, *calls[number])] = number
                        done, _ = wait(running, return_when=FIRST_COMPLETED)
                        for future in done:
                            result = future.result()
                            yield running.pop(future), result
                except BrokenProcessPool:
                    # It is not known whose fault it was: all that was running counts as lost.
                    for number in sorted(running.values(), reverse=True):
                        losses[number] += 1
                        if losses[number] > RETRIES:
                            raise lost(f"piece {number + 1}") from None
                        waiting.append(number)


class SpawnedProcesses(ProcessPoolExecutor):
    """Processes, each a new interpreter, that do not outlive this one.

    Ctrl-C in a terminal reaches them too, but they leave it to this process to say what is to
    happen.
    """

    def __init__(self, workers: int) -> None:
        context = get_context("spawn")
        # Nothing is ever sent: that the other end is closed is what the workers wait for.
        reader, self._open_end = context.Pipe(duplex=False)
        super().__init__(
            workers, mp_context=context, initializer=_leave_with_parent, initargs=(reader,)
        )

    def submit(self, fn: Callable[..., _R], /, *args: Any, **kwargs: Any) -> Future[_R]:
        """Hand over a call; if that starts a process, it never hears of Ctrl-C."""
        with _ctrl_c_held_back():
            return super().submit(fn, *args, **kwargs)

    def abandon(self) -> None:
        """End the workers, whatever they are at, without waiting for them."""
        self._open_end.close()
        # Those that are still starting do not listen there yet; the others do not heed this.
        for process in list((getattr(self, "_processes", None) or {}).values()):
            process.terminate()
        self.shutdown(wait=False, cancel_futures=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.shutdown(wait=True)
        else:
            self.abandon()


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Block SIGINT, here until the end of the block and in processes started in it for good."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_with_parent(reader: Connection) -> None:
    """End this process when the one that started it ends, even if killed, or abandons it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait_for_its_end() -> None:
        wait_for_any([parent.sentinel, reader])
        remove_unfinished()
        os._exit(1)

    threading.Thread(target=wait_for_its_end, daemon=True).start()


class RayWorkers:
    """The workers of a Ray cluster."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make all calls; Ray repeats those whose worker died, and so do we after that."""
        import ray

        remote = ray.remote(max_retries=RETRIES, num_cpus=1)(function)
        waiting = list(range(len(calls)))[::-1]
        running: dict[Any, int] = {}
        while waiting or running:
            while waiting and len(running) < _WAITING * self.workers:
                number = waiting.pop()
                running[remote.remote(*calls[number])] = number
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                number = running.pop(reference)
                yield number, fetched(reference, f"piece {number + 1}")


def fetched(reference: Any, what: str) -> Any:
    """Return what a call by Ray gave; what the user did wrong reads as if it had happened here."""
    import ray
    from ray.exceptions import RayActorError, RayTaskError, WorkerCrashedError

    try:
        return ray.get(reference)
    except (WorkerCrashedError, RayActorError):
        raise lost(what) from None
    except RayTaskError as error:
        raise (error.cause if isinstance(error.cause, TurbotreeError) else error) from None


def lost(what: str) -> WorkerLostError:
    """Return the error for what killed its worker again and again."""
    return WorkerLostError(f"{what} killed its worker {RETRIES + 1} times; perhaps memory ran out")
