"""The outer wall: slow bodies, clients that go away, mistakes of our own."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from turbotree.parsing import Parser
from turbotree.serving.boundary import Boundary
from turbotree.serving.limits import Limits
from turbotree.serving.metrics import Metrics

SCOPE = {
    "type": "http",
    "method": "POST",
    "path": "/parse",
    "headers": [(b"content-type", b"application/json"), (b"host", b"[::1]:8000")],
}


def answer(
    receive: Callable[[], Any], hosts: list[str] | None = None, **limits: Any
) -> tuple[list[Any], Metrics]:
    """Send a request through a wall around an application that answers with the body's length."""
    sent: list[Any] = []
    metrics = Metrics()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(len(body)).encode()})

    async def send(message: Any) -> None:
        sent.append(message)

    wall = Boundary(app, Limits(**limits), metrics, ["/parse"], hosts)
    asyncio.run(wall(dict(SCOPE), receive, send))
    return sent, metrics


def pieces(*bodies: bytes) -> Callable[[], Any]:
    left = list(bodies)

    async def receive() -> Any:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    return receive


def test_a_body_in_pieces_arrives_whole() -> None:
    sent, _ = answer(pieces(b"12345", b"", b"678"), hosts=["[::1]"])
    assert sent[1]["body"] == b"8"
    assert b"content-security-policy" in dict(sent[0]["headers"])


def test_a_body_is_taken_up_to_the_last_byte_of_the_limit() -> None:
    assert answer(pieces(b"1234", b"5678"), max_body_bytes=8)[0][0]["status"] == 200
    assert answer(pieces(b"1234", b"56789"), max_body_bytes=8)[0][0]["status"] == 413


def test_a_body_without_end_is_cut_off() -> None:
    taken = 0

    async def receive() -> Any:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x" * 8, "more_body": True}

    assert answer(receive, max_body_bytes=8)[0][0]["status"] == 413
    assert taken < 100


def test_a_body_that_does_not_come_is_given_up() -> None:
    async def receive() -> Any:
        await asyncio.sleep(60)

    sent, metrics = answer(receive, time_limit_seconds=0.05)
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["error"]["kind"] == "too_slow"
    assert 'turbotree_requests_total{path="/parse",status="408"} 1' in metrics.to_text()


def test_a_client_that_goes_away_is_no_error() -> None:
    async def receive() -> Any:
        return {"type": "http.disconnect"}

    sent, metrics = answer(receive)
    assert sent == []
    assert "turbotree_requests_in_flight 0" in metrics.to_text()


def test_another_name_is_refused() -> None:
    assert answer(pieces(b""), hosts=["localhost"])[0][0]["status"] == 400


class BrokenParser(Parser):
    """A parser with a bug."""

    def parse_batch(self, sentences: Any, **options: Any) -> Any:
        raise RuntimeError("a bug")


def test_a_bug_is_status_500_and_the_server_lives(
    client: Callable[..., Any], parser: Parser, caplog: pytest.LogCaptureFixture
) -> None:
    own = {field.name: getattr(parser, field.name) for field in fields(parser)}
    app = client(model=BrokenParser(**own))
    with caplog.at_level(logging.CRITICAL):
        response = app.post("/parse", json={"tagged": "Birds/NOUN sing/VERB"})
    assert response.status_code == 500
    assert "a bug" not in response.text
    assert app.get("/health").status_code == 200
    assert 'turbotree_errors_total{kind="internal"} 1' in app.get("/metrics").text
