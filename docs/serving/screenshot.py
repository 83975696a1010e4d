"""Make the picture of ``docs/serving``: ``screenshot.py http://127.0.0.1:8000 page.png``.

For a running server with the bundled model: ``turbotree serve en``.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
TEXT = "I saw the man with a telescope."


def show(page: Any) -> None:
    """Bring the page to where there is something to see."""
    page.wait_for_selector("body[data-ready]")
    page.fill("#input", TEXT)
    page.click("#parse")
    page.wait_for_selector("#proof svg")
    page.click('[data-at="7"]')
    page.click("#inspector .chip >> nth=0")
    page.wait_for_selector(".chips .pin")
    page.wait_for_selector("#proof svg")
    page.wait_for_timeout(2000)  # until nothing flashes any more
    page.mouse.move(5, 5)


def main(address: str, path: str) -> None:
    """Take the picture."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path="/usr/bin/chromium",
            headless=True,
            args=FLAGS,
            viewport={"width": 1120, "height": 800},
        )
        page = context.pages[0]
        page.goto(address)
        show(page)
        page.screenshot(path=path, full_page=True)
        context.close()
    Image.open(path).quantize(96).save(path, optimize=True)  # few colours, half the size


if __name__ == "__main__":
    main(*sys.argv[1:])
