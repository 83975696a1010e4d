"""A server on a free port, and a Chromium that looks at it."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turbotree.parsing import Parser
from turbotree.serving import Annotations, Engine, Limits
from turbotree.serving.running import LOOPBACK
from turbotree.text import treebank

# A fresh profile, and no word to anybody else.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Chromium logs answers of 4xx and lost connections; tests look at those where they expect them.
LOGGED = re.compile(r"status of 4\d\d|net::ERR_FAILED")


class Served(NamedTuple):
    """Where the server is, and where it saves trees."""

    address: str
    folder: Path


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Run an application in a thread, and give its address."""
    uvicorn = pytest.importorskip("uvicorn")
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@contextmanager
def watched(browser: Any, address: str) -> Iterator[Any]:
    """Open a page; in the end, it asked no other host and had nothing to complain of."""
    page = browser.new_page()
    elsewhere: list[str] = []
    complaints: list[str] = []

    def asked(request: Any) -> None:
        if not request.url.startswith((address, "blob:", "data:")):
            elsewhere.append(request.url)

    page.on("request", asked)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if message.type in ("error", "warning") and not LOGGED.search(message.text)
            else None
        ),
    )
    yield page
    page.close()
    assert elsewhere == []
    assert complaints == []


@pytest.fixture(scope="session")
def run_app() -> Callable[[Any], AbstractContextManager[str]]:
    return running


@pytest.fixture(scope="session")
def watch() -> Callable[[Any, str], AbstractContextManager[Any]]:
    return watched


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium")
    if found is None:
        if os.environ.get("TURBOTREE_TEST_ALL"):
            pytest.fail("make test-all needs chromium; Debian has it: apt-get install chromium")
        pytest.skip("there is no chromium")
    return found


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    pytest.importorskip("fastapi")
    from turbotree.serving import create_app

    parser = Parser.train(treebank(150, seed=1), model="arc", epochs=2, pruner_epochs=1)
    engine = Engine(parser, "small", Limits())
    folder = tmp_path_factory.mktemp("saved")
    with Annotations(folder) as annotations:
        app = create_app(engine, annotations=annotations, hosts=LOOPBACK)
        with running(app) as address:
            yield Served(address, folder)


@pytest.fixture(scope="session")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=chromium,
            headless=True,
            args=FLAGS,
            accept_downloads=True,
            viewport={"width": 1200, "height": 900},
        )
        context.set_default_timeout(30_000)
        yield context
        context.close()


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    """A page that is ready; in the end, it asked no other host and had nothing to complain of."""
    with watched(browser, served.address) as page:
        page.goto(served.address)
        page.wait_for_selector("body[data-ready]")
        yield page
