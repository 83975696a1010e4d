"""What a server counts, in the text format of Prometheus."""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

#: Upper ends of the latencies' buckets, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counters of one server; any thread may add to them.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.answered("/parse", 200, 0.02)
    >>> 'turbotree_requests_total{path="/parse",status="200"} 1' in metrics.to_text()
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started = time.time()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._errors: Counter[str] = Counter()
        self._latencies: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._words = 0
        self._sentences = 0
        self._in_flight = 0

    def arrived(self) -> None:
        """Count a request that is now being answered."""
        with self._lock:
            self._in_flight += 1

    def left(self) -> None:
        """Count a request that is answered, or whose client went away."""
        with self._lock:
            self._in_flight -= 1

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Count an answer; `path` is that of a route, or there would be no end of names."""
        with self._lock:
            self._requests[path, status] += 1
            counts = self._latencies.setdefault(path, [0] * (len(BUCKETS) + 1))
            counts[bisect_left(BUCKETS, seconds)] += 1
            self._seconds[path] += seconds  # type: ignore[assignment]

    def failed(self, kind: str) -> None:
        """Count an error by its kind."""
        with self._lock:
            self._errors[kind] += 1

    def parsed(self, sentences: int, words: int) -> None:
        """Count what was parsed."""
        with self._lock:
            self._sentences += sentences
            self._words += words

    def to_text(self) -> str:
        """Write all of it as Prometheus reads it."""
        with self._lock:
            return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Answers by path and status.")
        for (path, status), count in sorted(self._requests.items()):
            yield f'turbotree_requests_total{{path="{path}",status="{status}"}} {count}'
        yield from _head("errors_total", "counter", "Requests that were refused, by kind.")
        for kind, count in sorted(self._errors.items()):
            yield f'turbotree_errors_total{{kind="{kind}"}} {count}'
        yield from _head("request_seconds", "histogram", "Time to the answer.")
        for path, counts in sorted(self._latencies.items()):
            yield from _histogram(path, counts, self._seconds)
        for name, value, what in (
            ("sentences_total", self._sentences, "Sentences parsed."),
            ("words_total", self._words, "Words parsed."),
        ):
            yield from _head(name, "counter", what)
            yield f"turbotree_{name} {value}"
        yield from _head("requests_in_flight", "gauge", "Requests being answered now.")
        yield f"turbotree_requests_in_flight {self._in_flight}"
        yield from _head("uptime_seconds", "gauge", "Time since the server started.")
        yield f"turbotree_uptime_seconds {time.time() - self._started:.1f}"
        memory = _resident_bytes()
        if memory is not None:
            yield "# HELP process_resident_memory_bytes Memory in use."
            yield "# TYPE process_resident_memory_bytes gauge"
            yield f"process_resident_memory_bytes {memory}"


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP turbotree_{name} {what}"
    yield f"# TYPE turbotree_{name} {kind}"


def _histogram(path: str, counts: list[int], seconds: Mapping[str, float]) -> Iterator[str]:
    total = 0
    for end, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
        total += count
        yield f'turbotree_request_seconds_bucket{{path="{path}",le="{end}"}} {total}'
    yield f'turbotree_request_seconds_sum{{path="{path}"}} {seconds[path]:.6f}'
    yield f'turbotree_request_seconds_count{{path="{path}"}} {total}'


def _resident_bytes() -> int | None:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # not Linux
        return None
