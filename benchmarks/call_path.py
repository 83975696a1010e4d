"""Count what a reader has to walk through: calls, files and depth of our Python code.

    python benchmarks/call_path.py

A parse of one sentence with a `standard` model, and the training of a small parser, both on the
built-in treebank. Only functions under ``src/turbotree`` count; comprehensions do not.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import turbotree
from turbotree import Parser
from turbotree.text import treebank

ROOT = str(Path(turbotree.__file__).parent)
_INNER = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>")


class CallPath:
    """Calls of our functions while something runs, in all of its threads."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.deepest = 0

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of one event of the interpreter."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(ROOT) or code.co_name in _INNER:
            return
        self.calls[code.co_filename[len(ROOT) + 1 :], code.co_qualname] += 1
        depth, above = 0, frame
        while above is not None:
            inside = above.f_code.co_filename.startswith(ROOT)
            depth += inside and above.f_code.co_name not in _INNER
            above = above.f_back  # type: ignore[assignment]
        self.deepest = max(self.deepest, depth)

    def during(self, run: Callable[[], object]) -> CallPath:
        """Run something and count."""
        threading.setprofile(self.record)
        sys.setprofile(self.record)
        try:
            run()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]
        return self

    def __str__(self) -> str:
        files = {file for file, _ in self.calls}
        return f"{self.calls.total():7,} calls, {len(files):3} files, depth {self.deepest:2}"


def main() -> None:
    """Print one line for each, and with --list the functions in the order of their first call."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--list", action="store_true", help="list the functions of the parse")
    given = arguments.parse_args()
    parser = Parser.train(treebank(60, seed=1), model="standard", epochs=1, pruner_epochs=1)
    sentence = next(s for s in treebank(20, seed=2) if len(s) > 8)
    parser.parse(sentence)  # what is made once is made now
    # The core asks for signals every 20 ms: a busy machine makes more calls than a quiet one.
    parse = min(
        (CallPath().during(lambda: parser.parse(sentence)) for _ in range(5)),
        key=lambda path: path.calls.total(),
    )
    print("parse   ", parse)
    small = list(treebank(20, seed=1))
    train = CallPath().during(
        lambda: Parser.train(small, model="standard", epochs=1, pruner_epochs=1)
    )
    print("train   ", train)
    if given.list:
        for (file, name), count in parse.calls.items():
            print(f"{count:4}  {file:40} {name}")


if __name__ == "__main__":
    main()
