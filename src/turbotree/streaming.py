"""Working through a stream: in batches, with threads, in order, a few batches in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")


def in_batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Cut a stream into lists; what came before a failure of the stream is still given.

    >>> list(in_batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch: list[_T] = []
    try:
        for item in items:
            batch.append(item)
            if len(batch) == size:
                yield batch
                batch = []
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def map_in_order(
    function: Callable[[_T], _R], items: Iterable[_T], *, threads: int
) -> Iterator[_R]:
    """Apply a function to each item of a stream, in threads; results come in the items' order.

    Results of what came before a failure of the stream are given first.

    >>> list(map_in_order(str.upper, "abc", threads=2))
    ['A', 'B', 'C']
    """
    if threads == 1:
        yield from map(function, items)
        return
    stream = iter(items)
    failure: Exception | None = None
    pending: deque[Future[_R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        while True:
            try:
                item = next(stream)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            pending.append(pool.submit(function, item))
            # Enough to keep the threads busy, little enough to stream.
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    if failure is not None:
        raise failure
