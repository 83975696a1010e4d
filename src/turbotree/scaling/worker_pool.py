"""Workers with a memory: each call goes to the worker of its number, which keeps what it has read.

Engines hand any call to any worker. A shard of a training set is read once and visited in every
epoch, so it has a worker of its own. A worker that dies is replaced, and its call made again: the
new one has to read everything again, which is why a call carries all that it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from turbotree.errors import InputError
from turbotree.scaling.engines import RETRIES, Engine, RayWorkers, SpawnedProcesses, fetched, lost

_R = TypeVar("_R")


class WorkerPool(Protocol):
    """Workers that can be told apart."""

    def share(self, value: Any) -> Any:
        """Make a value known to all workers; give what stands for it in calls."""
        ...

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make one call at each worker; give its number and its result, as they end."""
        ...


@contextmanager
def open_worker_pool(engine: Engine, size: int) -> Iterator[WorkerPool]:
    """Start workers, and stop them in the end."""
    pool = RayWorkerPool(size) if isinstance(engine, RayWorkers) else ProcessWorkerPool(size)
    try:
        yield pool
    finally:
        pool.stop()


class ProcessWorkerPool:
    """Processes of this machine."""

    def __init__(self, size: int) -> None:
        # They start when they have something to do: much can be wrong before that.
        self._pools: list[SpawnedProcesses | None] = [None] * size

    def share(self, value: Any) -> Any:
        """Return the value itself: each process gets a copy of its own."""
        return value

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make one call at each worker; a process that died is replaced."""
        losses = [0] * len(calls)
        running: dict[Future[_R], int] = {}
        waiting = list(range(len(calls)))
        while waiting or running:
            for number in waiting:
                pool = self._pools[number] or SpawnedProcesses(1)
                self._pools[number] = pool
                running[pool.submit(function, *calls[number])] = number
            waiting = []
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                number = running.pop(future)
                try:
                    result = future.result()
                except BrokenProcessPool:
                    losses[number] += 1
                    if losses[number] > RETRIES:
                        raise lost(f"shard {number + 1}") from None
                    self._pools[number] = None
                    waiting.append(number)
                else:
                    yield number, result

    def stop(self) -> None:
        """End the processes, whatever they are at."""
        for pool in self._pools:
            if pool is not None:
                pool.abandon()


class RayWorkerPool:
    """Actors of a Ray cluster."""

    def __init__(self, size: int) -> None:
        import ray

        room = int(ray.cluster_resources().get("CPU", 0))
        if room < size:
            raise InputError(f"{size} workers, but the Ray cluster has {room} cores")
        options = {"num_cpus": 1, "max_restarts": -1, "max_task_retries": RETRIES}
        self._actors = [ray.remote(**options)(_Worker).remote() for _ in range(size)]

    def share(self, value: Any) -> Any:
        """Put the value where every node of the cluster fetches it once."""
        import ray

        return ray.put(value)

    def run(
        self, function: Callable[..., _R], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, _R]]:
        """Make one call at each worker; Ray starts those again that died, and calls again."""
        import ray

        running = {
            self._actors[number].call.remote(function, *arguments): number
            for number, arguments in enumerate(calls)
        }
        while running:
            done, _ = ray.wait(list(running), num_returns=1)
            number = running.pop(done[0])
            yield number, fetched(done[0], f"shard {number + 1}")

    def stop(self) -> None:
        """Stop the workers."""
        import ray

        for actor in self._actors:
            ray.kill(actor)


class _Worker:
    """What a Ray actor runs."""

    def call(self, function: Callable[..., _R], *arguments: Any) -> _R:
        return function(*arguments)
