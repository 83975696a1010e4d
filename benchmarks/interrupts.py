"""SIGINT and SIGTERM at random moments: answered in half a second, nothing left behind.

Usage: python benchmarks/interrupts.py [--signals 100] [--seed 1] [--seconds 0.5]

Commands on the built-in treebank are run and interrupted in turn, at moments drawn over the time
that each of them takes: parsing (files, long text without punctuation, several trees, an engine),
training (a parser, a pipeline), evaluation, selection, and the start of the server if it is
installed. Each has to end in time with status 130 or 143, one line and no traceback, and without
hidden temporary files. A command that was done already may end with status 0; a server that runs
ends by itself with status 0 as well.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from turbotree.text import treebank, write_conllu

_TURBOTREE = [sys.executable, "-m", "turbotree"]
#: Before this Python itself starts, and has its own way with signals; longer where cores are busy.
_STARTED_SECONDS = 0.5
_LONGEST_SECONDS = 20.0


def commands(folder: Path) -> dict[str, list[str]]:
    """Return what is interrupted, by name."""
    words = [form.lower() for s in treebank(400, seed=3) for form in s.forms if form.isalpha()]
    long = " ".join(words[:1500])
    model, train, test = (str(folder / name) for name in ("model", "train.conllu", "in.conllu"))
    engine = ["--engine", "processes", "--workers", "2"]
    scenes = {
        "parse": ["parse", "en", test, "-o", str(folder / "a.conllu"), "--input-format", "conllu"],
        "parse a long text": ["parse", "--text", long, "-o", str(folder / "b.conllu")],
        "parse in threads": ["parse", "--text", long, "--threads", "2", "--exact"],
        "parse --k": ["parse", model, test, "--k", "5", "-o", str(folder / "c.conllu")],
        "parse --engine": ["parse", model, test, "-o", str(folder / "d.conllu"), *engine],
        "train": ["train", train, "-o", str(folder / "e"), "--model", "standard", "--threads", "2"],
        "train a network": ["train", train, "-o", str(folder / "n"), "--threads", "2"],
        "train a pipeline": ["train", train, "-o", str(folder / "f"), "--task", "pipeline"],
        "train --engine": ["train", train, "-o", str(folder / "g"), *engine],
        "eval": ["eval", test, test],
        "select": ["select", train, "-o", str(folder / "h"), "--budget", "20", "--epochs", "1"],
    }
    if importlib.util.find_spec("uvicorn") is not None:
        scenes["serve"] = ["serve", "en", "--port", "0"]
    return scenes


def interrupt(
    command: Sequence[str], moment: float, number: signal.Signals, patience: float
) -> tuple[float, int, str]:
    """Run a command and send it a signal; give how long it took to end, its status, its words."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [*_TURBOTREE, *command],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        time.sleep(moment)
        sent = time.perf_counter()
        process.send_signal(number)
        try:
            process.wait(timeout=20 * patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return float("inf"), -9, "no answer"
        took = time.perf_counter() - sent
        time.sleep(0.2)  # helpers may say something after the end
        errors.seek(0)
        return took, process.returncode, errors.read()


def complaint(took: float, status: int, said: str, number: int, patience: float) -> str:
    """Say what is wrong with an answer, if anything."""
    if took > patience:
        return f"took {took:.2f} s"
    if status not in (0, 128 + number):
        return f"status {status}"
    if "Traceback" in said or "Exception ignored" in said or "Warning" in said:
        return "a traceback or a warning"
    lines = [line for line in said.splitlines() if line.startswith("turbotree:")]
    if status != 0 and not any("interrupted" in line or "terminated" in line for line in lines):
        return "not a word"
    return ""


def _tidy(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name in ("train.conllu", "in.conllu", "model"):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def main() -> None:
    """Interrupt everything, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--signals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--only", help="Only commands with this in their names.", default="")
    options = parser.parse_args()
    # A shell has its background jobs ignore SIGINT, and so would the commands started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp())
    write_conllu(treebank(150, seed=1), folder / "train.conllu")
    write_conllu(treebank(2000, seed=2), folder / "in.conllu")
    model = ["train", str(folder / "train.conllu"), "-o", str(folder / "model"), "--epochs", "1"]
    subprocess.run([*_TURBOTREE, *model, "--model", "standard", "--quiet"], check=True)
    scenes = {name: own for name, own in commands(folder).items() if options.only in name}
    longest = {}
    for name, command in scenes.items():
        started = time.perf_counter()
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [*_TURBOTREE, *command], timeout=_LONGEST_SECONDS, capture_output=True, check=True
            )
        longest[name] = min(_LONGEST_SECONDS, time.perf_counter() - started)
    _tidy(folder)  # what was killed for being slow left its files
    answers: dict[str, list[float]] = {name: [] for name in scenes}
    failed = 0
    for count in range(options.signals):
        name = list(scenes)[count % len(scenes)]
        number = signal.SIGINT if chance.random() < 0.7 else signal.SIGTERM
        moment = chance.uniform(_STARTED_SECONDS, longest[name])
        took, status, said = interrupt(scenes[name], moment, number, options.seconds)
        wrong = complaint(took, status, said, number, options.seconds)
        hidden = [path.name for path in folder.rglob(".*.tmp")]
        if not wrong and hidden:
            wrong = f"left {hidden[0]} behind"
        answers[name].append(took)
        if wrong:
            failed += 1
            print(f"{name} after {moment:.2f} s: {wrong}\n{said}", flush=True)
        _tidy(folder)
    for name, took in answers.items():
        if took:
            print(f"{name:20} {len(took):3} signals, answered in {max(took):5.2f} s at most")
    shutil.rmtree(folder)
    print(f"{options.signals} signals: {failed} FAILED" if failed else "every signal was answered")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
