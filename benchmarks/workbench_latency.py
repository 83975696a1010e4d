"""How soon a saved tree is learnt, and how fast the server answers meanwhile.

Usage: python benchmarks/workbench_latency.py MODEL TREEBANK.conllu [--trees 60] [--pause 1.0]

A server process with a queue; one client annotates it with gold trees, a second one asks for pages,
the state of the queue and parses all the time, as open pages do. Learning is timed by the server,
from the save to the model that knows the tree; the answers are timed by the second client.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from turbotree.text import read_conllu, write_conllu

_EVERY_SECONDS = 0.1


def asked(address: str, path: str, body: object = None) -> Any:
    """Ask the server; a body is sent as JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{address}/{path}", data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        content = answer.read()
    return json.loads(content) if content.startswith((b"{", b"[")) else content


def at(times: list[float], share: float) -> float:
    """Return the time that a share of them do not exceed."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def main() -> None:
    """Print both distributions."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("model")
    options.add_argument("treebank", type=Path)
    options.add_argument("--trees", type=int, default=60)
    options.add_argument("--pause", type=float, default=1.0)
    arguments = options.parse_args()
    folder = Path(tempfile.mkdtemp())
    sentences = list(itertools.islice(read_conllu(arguments.treebank), 10 * arguments.trees))
    write_conllu(sentences, folder / "queue.conllu")
    gold = {str(one.sent_id): one for one in sentences}
    command = [sys.executable, "-m", "turbotree", "serve", arguments.model, "--port", "0"]
    command += ["--annotate", str(folder / "saved"), "--queue", str(folder / "queue.conllu")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = ""
    while not address:
        said = process.stdout.readline()
        address = next((word for word in said.split() if word.startswith("http")), "")
    answers: list[float] = []
    stop = threading.Event()
    sample = sentences[0].to_text()

    def look() -> None:
        paths = [("annotate", None), ("queue?annotator=Bob", None)]
        paths.append(("parse", {"conllu": sample, "marginals": True}))
        for path, body in itertools.cycle(paths):
            if stop.is_set():
                return
            began = time.perf_counter()
            asked(address, path, body)
            answers.append(time.perf_counter() - began)
            stop.wait(_EVERY_SECONDS)

    looker = threading.Thread(target=look)
    looker.start()
    learnt: list[float] = []
    try:
        for number in range(1, arguments.trees + 1):
            offer = asked(address, "queue/next", {"annotator": "Ann"})
            body = {"annotator": "Ann", "name": offer["name"]}
            asked(address, "queue/save", {**body, "conllu": gold[offer["name"]].to_text()})
            while True:
                model = asked(address, "queue?annotator=Ann")["model"]
                if model["learnt"] >= number:
                    break
                time.sleep(0.02)
            learnt.append(model["last_seconds"])
            time.sleep(arguments.pause)
    finally:
        stop.set()
        looker.join()
        process.terminate()
        process.wait()
    for name, times in (("learning", learnt), ("answers", answers)):
        shares = ", ".join(f"p{round(100 * q)} {at(times, q):.3f} s" for q in (0.5, 0.95, 0.99))
        print(f"{name:9} {len(times):5}: {shares}", flush=True)


if __name__ == "__main__":
    main()
