"""Connections on which no request comes: closed in time, so that nobody can hold all of them.

The ASGI server tells an application of a request when all of its headers are there. Before that,
nobody would count the time.
"""

from __future__ import annotations

import asyncio
from typing import Any

from turbotree.serving.limits import Limits

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def impatient_protocol(limits: Limits) -> Any:
    """Make the protocol of a uvicorn server that waits for headers as long as for a body.

    The time is counted from the opening of a connection, or from the first byte of a further
    request, and not begun anew by more bytes. In between, uvicorn's own keep-alive counts.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

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
