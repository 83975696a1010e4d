"""Run an application until it is told to stop, and then finish what it has begun."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Collection
from types import FrameType
from typing import Any

from turbotree.errors import InputError, MissingExtraError
from turbotree.serving.limits import Limits

#: Names of this machine for itself.
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def run(
    app: Any,
    limits: Limits,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    started: Callable[[str], None] = print,
) -> None:
    """Serve until SIGINT or SIGTERM; requests that are being answered are finished first.

    Parameters
    ----------
    app
        What :func:`turbotree.serving.create_app` made.
    limits
        Those of the application: how long to wait for its last requests.
    host, port
        Where to listen; port 0 takes any that is free.
    started
        Called with the address when the server is about to answer.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError(
            "turbotree serve needs uvicorn: pip install 'turbotree[serve]'"
        ) from error
    with _listening(host, port) as listener:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(limits.time_limit_seconds) + 5,
            lifespan="off",
            timeout_keep_alive=75,  # longer than clients and proxies keep idle connections
            ws="none",
            http=_impatient_protocol(limits),
        )
        server = uvicorn.Server(config)

        def stop(_: int, __: FrameType | None) -> None:
            server.should_exit = True

        # uvicorn puts these back at its end and raises the signal once more, which would end us
        # with a signal's status after a clean stop.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        started(_address(host, listener.getsockname()[1]))
        server.run(sockets=[listener])


def hosts_of(host: str, more: Collection[str]) -> Collection[str] | None:
    """Tell which names a server goes by: for this machine alone, its own; else any.

    >>> "evil.example" in hosts_of("127.0.0.1", ["trees.example"])
    False
    >>> hosts_of("0.0.0.0", []) is None
    True
    """
    if more or host in ("localhost", "127.0.0.1", "::1"):
        return {*LOOPBACK, *more}
    return None


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(512)  # who comes before the loop runs waits, and is not turned away
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen at {host}:{port}: {reason}") from None
    listener.set_inheritable(True)
    return listener


def _address(host: str, port: int) -> str:
    name = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _impatient_protocol(limits: Limits) -> Any:
    """Make the protocol of a uvicorn server that waits for headers as long as for a body.

    Otherwise connections on which no request comes could take all places: the ASGI server tells an
    application of a request when all of its headers are there, and before that nobody would count
    the time.

    The time is counted from the opening of a connection, or from the first byte of a further
    request, and not begun again by more bytes. In between, uvicorn's own keep-alive counts.
    """
    # Not httptools, which uvicorn takes where it is installed: clients in Java, INCEpTION among
    # them, offer HTTP/2 in a request's headers, and with httptools the body of such a one is lost.
    from uvicorn.protocols.http.h11_impl import H11Protocol

    base: Any = H11Protocol

    class Impatient(base):
        _deadline: asyncio.TimerHandle | None = None
        _begun = False  # some bytes of the headers are there

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._count()

        def connection_lost(self, error: Exception | None) -> None:
            self._stop_counting()
            super().connection_lost(error)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._begun = self._waits_for_headers()
            if not self._begun:
                self._stop_counting()
            elif self._deadline is None:
                self._count()

        def _unsupported_upgrade_warning(self) -> None:
            """Offers of HTTP/2 are passed over in silence."""

        def _waits_for_headers(self) -> bool:
            return self.cycle is None or bool(self.cycle.response_complete)

        def _count(self) -> None:
            self._deadline = self.loop.call_later(limits.time_limit_seconds, self._give_up)

        def _stop_counting(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _give_up(self) -> None:
            self._deadline = None
            if self._waits_for_headers() and not self.transport.is_closing():
                if self._begun:
                    self.transport.write(_TOO_SLOW)
                self.transport.close()

    return Impatient
