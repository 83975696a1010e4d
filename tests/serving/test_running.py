"""A server as a process: load, slow requests, and a stop that drops nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from turbotree.checking import (
    Annotation,
    Finding,
    exceptions_path,
    read_exceptions,
    write_findings,
)
from turbotree.parsing import Parse, Parser
from turbotree.serving import Annotations
from turbotree.text import read_conllu, treebank, write_conllu

httpx = pytest.importorskip("httpx")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

BIRDS = {"tagged": "Birds/NOUN sing/VERB loudly/ADV ./PUNCT"}


class SlowParser(Parser):
    """A parser that takes its time."""

    seconds = 0.6
    begun = threading.Semaphore(0)

    def parse_batch(self, sentences: Any, **options: Any) -> list[Parse]:
        self.begun.release()
        time.sleep(self.seconds)
        return super().parse_batch(sentences, **options)


@pytest.fixture
def slow(parser: Parser) -> SlowParser:
    SlowParser.begun = threading.Semaphore(0)
    return SlowParser(**{field.name: getattr(parser, field.name) for field in fields(parser)})


def in_threads(count: int, ask: Callable[[], Any]) -> list[Any]:
    answers: list[Any] = [None] * count

    def one(index: int) -> None:
        answers[index] = ask()

    threads = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_what_is_too_much_is_told_to_come_again(
    client: Callable[..., Any], slow: SlowParser
) -> None:
    with client(model=slow, threads=1, max_waiting=1) as app:
        answers = in_threads(6, lambda: app.post("/parse", json=BIRDS))
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses == [200, 200, 429, 429, 429, 429]
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.headers["retry-after"] == "1"
        assert app.post("/parse", json=BIRDS).status_code == 200


def test_a_request_that_takes_too_long_is_given_up_and_others_are_answered(
    client: Callable[..., Any], slow: SlowParser
) -> None:
    with client(model=slow, threads=1, max_waiting=0, time_limit_seconds=0.2) as app:
        started = time.monotonic()
        answer = app.post("/parse", json=BIRDS)
        assert answer.status_code == 503
        assert "0.2 seconds" in answer.json()["error"]["message"]
        assert app.get("/health").status_code == 200
        # The thread is still at it, and counts.
        if time.monotonic() - started < 0.5:
            assert app.post("/parse", json=BIRDS).status_code == 429


def test_parsing_does_not_hold_up_the_event_loop(
    client: Callable[..., Any], slow: SlowParser
) -> None:
    with client(model=slow, threads=1) as app:
        thread = threading.Thread(target=lambda: app.post("/parse", json=BIRDS))
        thread.start()
        assert slow.begun.acquire(timeout=10)
        text = app.get("/metrics").text  # answered while the other waits
        assert 'path="/parse"' not in text
        assert "turbotree_requests_in_flight 2" in text
        thread.join()


@contextmanager
def server(model: Path | None, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    named = [] if model is None else [str(model)]
    process = subprocess.Popen(
        [sys.executable, "-m", "turbotree", "serve", *named, "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            found = re.search(r"at (http://\S+) ", line)
            if found:
                break
        else:
            raise AssertionError("the server did not start")
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


def test_sigterm_finishes_requests_and_exits_with_status_0(
    model_file: Path, tmp_path: Path
) -> None:
    with server(model_file, "--annotate", str(tmp_path / "saved"), "--max-waiting", "500") as (
        process,
        address,
    ):
        many = {"documents": [{"tagged": "\n".join([BIRDS["tagged"]] * 4)}] * 20}
        with httpx.Client(base_url=address, timeout=60) as app:
            assert app.get("/health").json()["status"] == "ok"
        answers: list[Any] = []
        stop = threading.Event()

        def keep_asking() -> None:
            with httpx.Client(base_url=address, timeout=60) as own:
                while not stop.is_set():
                    try:
                        answers.append(own.post("/batch", json=many).status_code)
                    except httpx.TransportError:
                        # It takes no new ones any more, and closes connections that wait.
                        return

        threads = [threading.Thread(target=keep_asking) for _ in range(3)]
        for thread in threads:
            thread.start()
        while len(answers) < 6:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
        stop.set()
        for thread in threads:
            thread.join()
    assert process.returncode == 0
    assert "Stopped." in output
    assert "Traceback" not in output
    assert set(answers) == {200}


def test_a_request_under_way_is_answered_after_sigterm(model_file: Path) -> None:
    with server(model_file, "--time-limit", "30") as (process, address):
        body = json.dumps({"documents": [{"tagged": BIRDS["tagged"]}] * 150}).encode()
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            head = f"POST /batch HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
            head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            # The last byte comes after the signal: the request is certainly under way then.
            connection.sendall(head.encode() + body[:-1])
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            connection.sendall(body[-1:])
            answer = b""
            while piece := connection.recv(1 << 16):
                answer += piece
        process.communicate(timeout=60)
    assert answer.startswith(b"HTTP/1.1 200")
    assert len(json.loads(answer.split(b"\r\n\r\n", 1)[1])["documents"]) == 150


def test_trees_saved_over_http_survive_kill_9(model_file: Path, tmp_path: Path) -> None:
    told: set[str] = set()
    lock = threading.Lock()
    for turn in range(2):
        with server(model_file, "--annotate", str(tmp_path)) as (process, address):

            def keep_saving(client: int, turn: int = turn, address: str = address) -> None:
                with httpx.Client(base_url=address, timeout=30) as own:
                    for number in range(10_000):
                        name = f"{turn}-{client}-{number}"
                        tree = f"# sent_id = {name}\n1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
                        try:
                            answer = own.post("/annotations", json={"conllu": tree})
                        except httpx.TransportError:
                            return
                        assert answer.status_code == 200
                        with lock:
                            told.add(name)

            threads = [threading.Thread(target=keep_saving, args=(n,)) for n in range(3)]
            for thread in threads:
                thread.start()
            before = len(told)
            while len(told) < before + 20:
                time.sleep(0.01)
            process.kill()
            for thread in threads:
                thread.join()
        with Annotations(tmp_path) as annotations:
            assert not annotations.damaged
        kept = {sentence.sent_id for sentence in read_conllu(tmp_path / "annotations.conllu")}
        assert told <= kept
        assert len(kept) <= len(told) + 3 * (turn + 1)  # one a client that was not told in time


def test_garbage_on_the_wire_is_refused_and_the_server_lives(model_file: Path) -> None:
    with server(model_file) as (_, address):
        host, port = address.removeprefix("http://").split(":")
        for garbage in (
            b"\x00\xff" * 500,
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST /parse HTTP/1.1\r\n\r\n",
        ):
            with socket.create_connection((host, int(port)), timeout=10) as connection:
                connection.sendall(garbage)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(1000).startswith(b"HTTP/1.1 4")
        ten = b" " * 10_000_000
        headers = {"content-type": "application/json"}
        assert httpx.post(f"{address}/parse", content=ten, headers=headers).status_code == 413
        rebound = httpx.get(f"{address}/health", headers={"host": "evil.example"})
        assert rebound.status_code == 400
        assert httpx.get(f"{address}/health").status_code == 200


def test_a_port_that_is_taken_is_one_line(model_file: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = subprocess.run(
            [sys.executable, "-m", "turbotree", "serve", str(model_file), "--port", port],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert result.returncode == 2
    assert result.stderr.startswith("turbotree: error: cannot listen at 127.0.0.1:")
    assert result.stderr.count("\n") == 1


def ended(connection: socket.socket) -> bytes:
    """Read until the other side closes; what does not close in a minute is a failure."""
    connection.settimeout(60)
    pieces = []
    while piece := connection.recv(1000):
        pieces.append(piece)
    return b"".join(pieces)


def send_slowly(connection: socket.socket, data: bytes) -> None:
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(0.02)


def answered(connection: socket.socket) -> bytes:
    """Read one answer of JSON."""
    answer = b""
    while not answer.endswith(b"}") and (more := connection.recv(1000)):
        answer += more
    return answer


def test_headers_that_do_not_come_are_not_waited_for(model_file: Path) -> None:
    whole = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    with server(model_file, "--time-limit", "0.5") as (_, address):
        host, port = address.removeprefix("http://").split(":")
        place = (host, int(port))
        with socket.create_connection(place) as idle, socket.create_connection(place) as half:
            half.sendall(whole[:30])
            assert ended(half).startswith(b"HTTP/1.1 408 ")
            assert ended(idle) == b""
        # A byte now and then gains no time: the connection is closed long before they are all sent.
        trickle = b"GET /" + b"x" * 10_000
        with socket.create_connection(place) as slow_one, pytest.raises(ConnectionError):
            send_slowly(slow_one, trickle)
        with socket.create_connection(place) as second:
            second.settimeout(60)
            second.sendall(whole)
            assert answered(second).startswith(b"HTTP/1.1 200 ")
            # The connection is kept for longer than headers may take; but not once some are there.
            time.sleep(0.8)
            second.sendall(whole)
            assert answered(second).startswith(b"HTTP/1.1 200 ")
            second.sendall(whole[:30])
            assert ended(second).startswith(b"HTTP/1.1 408 ")
        slow_body = b"POST /parse HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n"
        with socket.create_connection(place) as waiting:
            waiting.settimeout(60)
            waiting.sendall(slow_body)
            answer = answered(waiting)
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"took longer than 0.5 seconds" in answer
        assert httpx.get(f"{address}/health").status_code == 200


def test_a_workbench_started_cold_and_killed_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    queue = tmp_path / "queue.conllu"
    write_conllu(treebank(8, seed=3), queue)
    gold = {str(one.sent_id): one for one in read_conllu(queue)}
    options = ["--cold-start", "--annotate", str(tmp_path / "saved"), "--queue", str(queue)]
    kept: set[str] = set()
    for _ in range(2):
        with server(None, *options) as (process, address):
            for _ in range(2):
                offer = httpx.post(f"{address}/queue/next", json={"annotator": "Ann"}).json()
                name = offer["name"]
                assert name not in kept
                body = {"annotator": "Ann", "name": name, "conllu": gold[name].to_text()}
                assert httpx.post(f"{address}/queue/save", json=body).status_code == 200
                kept.add(name)
            skipped = httpx.post(f"{address}/queue/next", json={"annotator": "Ann"}).json()["name"]
            httpx.post(f"{address}/queue/skip", json={"annotator": "Ann", "name": skipped})
            process.send_signal(signal.SIGKILL)
            process.wait()
        with Annotations(tmp_path / "saved" / "annotators" / "Ann") as store:
            assert store.names == kept
    with server(None, *options) as (_, address):
        status = httpx.get(f"{address}/queue", params={"annotator": "Ann"}).json()
        assert (status["done"], status["skipped"]) == (4, 2)


def test_a_review_needs_no_model_and_survives_a_kill(tmp_path: Path) -> None:
    (sentence,) = treebank(1, seed=1)
    path, findings = tmp_path / "train.conllu", tmp_path / "findings.jsonl"
    write_conllu([sentence], path)
    (sentence,) = read_conllu(path)
    word = sentence.words[0]
    old = Annotation(word.upos, word.xpos, word.feats, word.head or 0, word.deprel)
    line, name = sentence.place(1)[1], str(sentence.sent_id)
    write_findings([Finding("train.conllu", line, 0, name, 1, word.form, 0.5, old, old)], findings)
    options = ["--review", str(findings), "--treebank", str(path)]
    for decided in (0, 1):
        with server(None, *options) as (process, address):
            assert httpx.get(f"{address}/review/status").json()["decided"] == decided
            body = {"index": 0, "verdict": "acknowledge"}
            assert httpx.post(f"{address}/review/decide", json=body).status_code == 200
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert [one.sent_id for one in read_exceptions(exceptions_path(path))] == [name]


def test_a_client_that_offers_http_2_gets_its_body_read(model_file: Path) -> None:
    """Clients in Java do so, INCEpTION's among them."""
    body = json.dumps(BIRDS).encode()
    head = (
        "POST /parse HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, HTTP2-Settings\r\n"
        "upgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    ).encode()
    with server(model_file) as (process, address):
        port = int(address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            for part in (head, body):  # as Java sends them
                connection.sendall(part)
                time.sleep(0.05)
            assert answered(connection).startswith(b"HTTP/1.1 200 ")
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60)[0] == "Stopped.\n"


def test_inception_is_told_its_address_and_gets_its_suggestions(model_file: Path) -> None:
    pytest.importorskip("cassis")
    from oracles.cas import cas_of, predict_request, suggested

    cas = cas_of([["Birds", "sing"]], tags=[["NOUN", "VERB"]])
    with server(model_file, "--inception") as (_, address):
        answer = httpx.post(f"{address}/inception/predict", json=predict_request(cas), timeout=60)
        assert answer.status_code == 200
        assert len(suggested(answer.json()["document"], cas.typesystem)) >= 2
