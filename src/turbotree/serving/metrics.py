"""What a server counts, for Prometheus."""

from __future__ import annotations

import time

from turbotree.errors import MissingExtraError

try:
    from prometheus_client import (
        CollectorRegistry,
        Counter,
        Gauge,
        Histogram,
        ProcessCollector,
        generate_latest,
    )
except ImportError as error:
    raise MissingExtraError(
        "turbotree serve needs prometheus_client: pip install 'turbotree[serve]'"
    ) from error

#: Upper ends of the latencies' buckets, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counters of one server; any thread may add to them.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.answered("/parse", 200, 0.02)
    >>> 'turbotree_requests_total{path="/parse",status="200"} 1.0' in metrics.to_text()
    True
    """

    def __init__(self) -> None:
        # One registry per server: several may live in one process.
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "turbotree_requests",
            "Answers by path and status.",
            ("path", "status"),
            registry=registry,
        )
        self._errors = Counter(
            "turbotree_errors", "Requests that were refused, by kind.", ("kind",), registry=registry
        )
        self._latencies = Histogram(
            "turbotree_request_seconds",
            "Time to the answer.",
            ("path",),
            buckets=BUCKETS,
            registry=registry,
        )
        self._sentences = Counter("turbotree_sentences", "Sentences parsed.", registry=registry)
        self._words = Counter("turbotree_words", "Words parsed.", registry=registry)
        self._in_flight = Gauge(
            "turbotree_requests_in_flight", "Requests being answered now.", registry=registry
        )
        started = time.time()
        uptime = Gauge(
            "turbotree_uptime_seconds", "Time since the server started.", registry=registry
        )
        uptime.set_function(lambda: time.time() - started)
        ProcessCollector(registry=registry)  # memory and the like

    def arrived(self) -> None:
        """Count a request that is now being answered."""
        self._in_flight.inc()

    def left(self) -> None:
        """Count a request that is answered, or whose client went away."""
        self._in_flight.dec()

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Count an answer; `path` is that of a route, or there would be no end of names."""
        self._requests.labels(path, status).inc()
        self._latencies.labels(path).observe(seconds)

    def failed(self, kind: str) -> None:
        """Count an error by its kind."""
        self._errors.labels(kind).inc()

    def parsed(self, sentences: int, words: int) -> None:
        """Count what was parsed."""
        self._sentences.inc(sentences)
        self._words.inc(words)

    def to_text(self) -> str:
        """Write all of it as Prometheus reads it."""
        return generate_latest(self._registry).decode()
