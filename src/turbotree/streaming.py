"""Working through a stream: in batches, with threads, in order, a few batches in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeAlias, TypeVar

from turbotree.errors import TurbotreeError
from turbotree.interrupts import Threads
from turbotree.quantities import check_least

_T = TypeVar("_T")
_R = TypeVar("_R")

#: Is told of an item that cannot be processed.
OnFailure: TypeAlias = Callable[[TurbotreeError], object]


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


def in_tapering_batches(items: Sequence[_T], size: int, threads: int) -> Iterator[Sequence[_T]]:
    """Cut a list so that threads are done at about the same time: smaller batches come last.

    >>> list(map(len, in_tapering_batches(range(100), 20, 2)))
    [20, 20, 15, 12, 9, 6, 5, 5, 5, 3]
    """
    first = 0
    while first < len(items):
        fair = -(-(len(items) - first) // (2 * threads))
        last = first + min(size, max(fair, size // 4, 1))
        yield items[first:last]
        first = last


def skipping_failures(
    function: Callable[[Sequence[_T]], list[_R]], on_failure: OnFailure | None
) -> Callable[[Sequence[_T]], list[_R]]:
    """Make a function of batches go on when items fail: they are reported and have no result.

    A batch that fails is halved until the items at fault stand alone. With nobody to tell, the
    function stays as it is.

    >>> from turbotree.text import Sentence
    >>> skipped = []
    >>> read = skipping_failures(lambda texts: [Sentence(text) for text in texts], skipped.append)
    >>> len(read(["1\\ta\\n", "1\\tb\\n"])), len(skipped)
    (0, 2)
    """
    if on_failure is None:
        return function

    def apply(batch: Sequence[_T]) -> list[_R]:
        try:
            return function(batch)
        except TurbotreeError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return apply(batch[:half]) + apply(batch[half:])
            on_failure(error)
            return []

    return apply


def map_batches(
    function: Callable[[Sequence[_T]], Iterable[_R]],
    items: Iterable[_T],
    *,
    size: int,
    threads: int,
) -> Iterator[_R]:
    """Apply a function of batches to a stream, in threads; the results, one by one, in order.

    >>> list(map_batches(lambda batch: [x * x for x in batch], range(5), size=2, threads=2))
    [0, 1, 4, 9, 16]
    """
    for what, number in (("threads", threads), ("batch size", size)):
        check_least(what, number, 1)
    batches: Iterator[Sequence[_T]] = in_batches(items, size)
    if threads > 1 and isinstance(items, Sequence):
        batches = in_tapering_batches(items, size, threads)
    results = map_in_order(function, batches, threads=threads)
    return (result for batch in results for result in batch)


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
    with Threads(threads) as pool:
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
