"""The outer wall of the server: what is refused before anybody looks at it.

Every request passes through it once. It reads the body, counts, refuses what is too large, comes
too slowly or is not JSON, adds the headers that keep a browser from asking other hosts for
anything, and turns what nobody expected into status 500.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from typing import Any

from turbotree.serving.errors import problem, to_json
from turbotree.serving.limits import Limits
from turbotree.serving.metrics import Metrics

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
# A client that is cut off while it sends may never read the answer; so we take in this many times
# the limit, and throw it away.
_PATIENCE = 64
_log = logging.getLogger("turbotree.serving")


class RefusedError(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


class ClientGoneError(Exception):
    """Nobody is there to answer."""


class Boundary:
    """Wrap an ASGI application.

    Parameters
    ----------
    app
        The application.
    limits, metrics
        What is refused, and where it is counted.
    paths
        The paths to count by name; others are counted together.
    hosts
        Names that the server goes by. A page elsewhere that has its own name lead to this
        machine is then refused. None takes any name.
    documents
        Paths that take whole documents, which may be larger than other requests.
    """

    def __init__(
        self,
        app: App,
        limits: Limits,
        metrics: Metrics,
        paths: Iterable[str],
        hosts: Collection[str] | None,
        documents: Collection[str] = (),
    ) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._paths, self._documents = frozenset(paths), frozenset(documents)
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status: int | None = None

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        self._metrics.arrived()
        try:
            body = await self._body(scope, receive)
            await self._app(scope, _replay(body, receive), send_on)
        except ClientGoneError:
            pass
        except RefusedError as refused:
            self._metrics.failed(refused.kind)
            await _refuse(send_on, refused)
        except Exception:
            _log.exception("a request failed that should not have")
            self._metrics.failed("internal")
            if status is None:
                await _refuse(send_on, RefusedError(500, "internal", "the server made a mistake"))
        finally:
            self._metrics.left()
            if status is not None:
                path = scope["path"] if scope["path"] in self._paths else "other"
                self._metrics.answered(path, status, time.perf_counter() - started)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        headers = {name.lower(): value for name, value in scope["headers"]}
        self._check_host(headers.get(b"host", b""))
        whole = scope["path"] in self._documents
        most = self._limits.max_document_bytes if whole else self._limits.max_body_bytes
        too_large = RefusedError(
            413, "too_large", f"the request is larger than {most:,} bytes; send less at a time"
        )
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > _PATIENCE * most:
            raise too_large
        limit = self._limits.time_limit_seconds
        try:
            body = await asyncio.wait_for(_read(receive, most), limit)
        except asyncio.TimeoutError:
            message = f"the request took longer than {limit:g} seconds to arrive"
            raise RefusedError(408, "too_slow", message) from None
        if body is None:
            raise too_large
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        # Browsers send nothing but plain forms to other hosts without asking them first.
        if scope["method"] == "POST" and kind != b"application/json":
            raise RefusedError(415, "input", "expected a body of type application/json")
        return body

    def _check_host(self, header: bytes) -> None:
        name = header.decode("latin-1").lower()
        name = name.split("]")[0] + "]" if name.startswith("[") else name.split(":")[0]
        if self._hosts is not None and name not in self._hosts:
            raise RefusedError(
                400, "host", "this server does not go by that name; see serve --allow-host"
            )


async def _read(receive: Receive, most: int) -> bytes | None:
    """Read a body to its end; None if it is too large."""
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        piece = message.get("body", b"")
        size += len(piece)
        if size <= most:
            pieces.append(piece)
        elif size > _PATIENCE * most:
            return None
        if not message.get("more_body", False):
            return b"".join(pieces) if size <= most else None


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Send, refused: RefusedError) -> None:
    body = to_json({"error": problem(refused.kind, refused.message)})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
