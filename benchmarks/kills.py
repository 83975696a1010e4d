"""``kill -9`` at random moments: nothing is corrupt, and nothing is lost that was acknowledged.

Usage: python benchmarks/kills.py [--kills 50] [--seed 1] [--only SCENE]

Six things are killed in turn, at moments drawn over the time that each of them takes, on the
built-in treebank: training, training in two shards, parsing to a file, parsing with an engine,
saving corrected trees, and a server on which annotators save and skip sentences of a queue while
somebody reviews findings. After each kill the files are looked at: an output is absent or has
the bytes of a run that nobody killed, a checkpoint can be read, every tree that was acknowledged
is there. Then the run is taken up again, to be killed again or to end with those same bytes; no
worker outlives the process that started it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from turbotree.modelfile import read_model
from turbotree.text import read_conllu, treebank, write_conllu

_TURBOTREE = [sys.executable, "-m", "turbotree"]
_SAVER = """
import sys
from turbotree.serving.annotations import Annotations
from turbotree.text import Sentence
first = int(sys.argv[2])
with Annotations(sys.argv[1]) as annotations:
    for n in range(first, first + 100_000):
        name = f"sent_id = {n % 300}"
        annotations.save(Sentence.from_words(["Go"], heads=[0], labels=[f"r{n}"], comments=[name]))
        print(n, flush=True)
"""


def killed(command: Sequence[str], seconds: float) -> bool:
    """Run a command and kill it after a while; tell whether it was still running."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        _, complaint = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        _nobody_is_left(process.pid)
        return True
    assert process.returncode == 0, complaint.decode()
    return False


def _nobody_is_left(group: int) -> None:
    """Wait for the workers of a killed process to go."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(group, signal.SIGKILL)
    raise AssertionError("workers outlived the process that had started them")


def kill_often(
    command: Sequence[str],
    output: Path,
    kills: int,
    chance: random.Random,
    *,
    check: Callable[[], None] = lambda: None,
    resume: Sequence[str] = (),
) -> int:
    """Kill a command that writes a file until it was hit so often; give how often it had to start.

    What `check` finds wrong it raises.
    """
    started = time.perf_counter()
    assert not killed(command, 1e6)
    usual = time.perf_counter() - started
    expected = output.read_bytes()
    hits = starts = 0
    output.unlink()
    while hits < kills or not output.exists():
        # Most moments are drawn from the part where files are written, not from the start.
        moment = chance.uniform(0.1, 1.0) * usual if hits < kills else 1e6
        hits += killed([*command, *(resume if starts else ())], moment)
        starts += 1
        if output.exists():
            assert output.read_bytes() == expected, f"{output} differs after {hits} kills"
            if hits < kills:
                output.unlink()
        check()
    return starts


def kill_training(folder: Path, kills: int, chance: random.Random, *engine: str) -> int:
    """Kill `turbotree train`."""
    output = folder / "model"
    checkpoints = folder / "model.checkpoint"

    def check() -> None:
        if checkpoints.is_dir():
            for file in checkpoints.glob("*.checkpoint"):
                read_model(file, kind="checkpoint")

    command = [*_TURBOTREE, "train", str(folder / "train.conllu"), "-o", str(output)]
    command += ["--model", "arc", "--epochs", "3", "--quiet", *engine]
    starts = kill_often(command, output, kills, chance, check=check, resume=["--resume"])
    assert not checkpoints.exists()
    return starts


def kill_parsing(folder: Path, kills: int, chance: random.Random, *engine: str) -> int:
    """Kill `turbotree parse`."""
    output = folder / "out.conllu"
    command = [*_TURBOTREE, "parse", str(folder / "model"), str(folder / "in.conllu")]
    starts = kill_often([*command, "-o", str(output), *engine], output, kills, chance)
    if engine:
        assert not (folder / ".out.conllu.pieces").exists()
    return starts


def kill_annotating(folder: Path, kills: int, chance: random.Random) -> int:
    """Kill a process that saves one tree after the other and says so."""
    from turbotree.serving.annotations import Annotations

    told: dict[int, int] = {}
    first = 0
    for _ in range(kills):
        command = [sys.executable, "-c", _SAVER, str(folder / "trees"), str(first)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told[first % 300] = int(process.stdout.readline())  # it runs
        time.sleep(chance.uniform(0, 0.12))
        process.kill()
        rest, _ = process.communicate()
        for line in rest.splitlines(keepends=True):
            if line.endswith("\n"):
                told[int(line) % 300] = int(line)
        with Annotations(folder / "trees") as annotations:
            assert not annotations.damaged
            kept = list(read_conllu(folder / "trees" / "annotations.conllu"))
        found = {int(s.sent_id or ""): int(s.labels[0][1:]) for s in kept}
        assert all(found[name] >= number for name, number in told.items()), "a tree was lost"
        assert len(found) <= len(told) + 1
        told, first = found, max(found.values()) + 1
    return kills


def kill_workbench(folder: Path, kills: int, chance: random.Random) -> int:
    """Kill a server while two annotators and a reviewer work; look for all that it acknowledged."""
    from turbotree.checking import Annotation, Doubt, Finding, write_findings
    from turbotree.serving import Annotations
    from turbotree.serving.review import Review

    queue, findings, place = folder / "queue.conllu", folder / "findings.jsonl", folder / "bench"
    write_conllu(treebank(6000, seed=3), queue)  # more than anybody gets to
    gold = {str(one.sent_id): one for one in read_conllu(queue)}
    found = []
    for one in list(gold.values())[:3000]:
        first = one.words[0]
        old = Annotation(first.upos, first.xpos, first.feats, first.head or 0, first.deprel)
        doubt = Doubt("upos", first.upos, 0.1, "X", 0.9)
        line = one.place(1)[1]
        name = str(one.sent_id)
        found.append(Finding(str(queue), line, 0, name, 1, first.form, 0.5, old, old, (doubt,)))
    write_findings(found, findings)
    saved: dict[str, set[str]] = {"Ann": set(), "Bob": set()}
    decided = 0
    command = [*_TURBOTREE, "serve", str(folder / "model"), "--annotate", str(place), "--port", "0"]
    command += ["--queue", str(queue), "--review", str(findings)]
    for _ in range(kills):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        address = ""
        while not address:
            said = process.stdout.readline()
            address = next((word for word in said.split() if word.startswith("http")), "")
        ends = threading.Timer(chance.uniform(0.2, 2.0), process.kill)
        ends.start()
        try:
            while True:
                for who, names in saved.items():
                    name = _asked(address, "queue/next", {"annotator": who})["name"]
                    body = {"annotator": who, "name": name, "conllu": gold[name].to_text()}
                    _asked(address, "queue/save", body)
                    names.add(name)
                index = _asked(address, "review/next", {})["index"]
                _asked(address, "review/decide", {"index": index, "verdict": "accept"})
                decided += 1
        except OSError:
            pass  # it was killed
        process.wait()
        for who, names in saved.items():
            with Annotations(place / "annotators" / who) as store:
                assert not store.damaged, "a journal is damaged"
                assert names <= store.names, "a tree was lost"
        review = Review(findings, place)
        assert review.status()["decided"] >= decided, "a decision was lost"
        decided = review.status()["decided"]
        review.close()
    return kills


def _asked(address: str, path: str, body: object) -> Any:
    request = urllib.request.Request(
        f"{address}/{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except (http.client.HTTPException, ValueError) as error:
        raise ConnectionError(str(error)) from None


def main() -> None:
    """Kill everything, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one of the scenes, say 'annotation and review'")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    engine = ("--engine", "processes", "--workers", "2")
    folder = Path(tempfile.mkdtemp())
    write_conllu(treebank(150, seed=1), folder / "train.conllu")
    write_conllu(treebank(4000, seed=2), folder / "in.conllu")
    share, rest = divmod(options.kills, 6)
    scenes: list[tuple[str, Callable[[int], int]]] = [
        ("training", lambda n: kill_training(folder, n, chance)),
        ("training in shards", lambda n: kill_training(folder, n, chance, *engine)),
        ("parsing to a file", lambda n: kill_parsing(folder, n, chance)),
        ("parsing with an engine", lambda n: kill_parsing(folder, n, chance, *engine)),
        ("saving trees", lambda n: kill_annotating(folder, n, chance)),
        ("annotation and review", lambda n: kill_workbench(folder, n, chance)),
    ]
    if options.only:
        train = [*_TURBOTREE, "train", str(folder / "train.conllu"), "-o", str(folder / "model")]
        subprocess.run([*train, "--model", "arc", "--epochs", "2", "--quiet"], check=True)
        scenes = [scene for scene in scenes if scene[0] == options.only]
        share, rest = divmod(options.kills, len(scenes))
    for number, (name, kill) in enumerate(scenes):
        kills = share + (number < rest)
        started = time.perf_counter()
        starts = kill(kills) if kills else 0
        seconds = time.perf_counter() - started
        print(f"{name:24} {kills:3} kills, {starts:3} starts, {seconds:5.0f} s: whole", flush=True)
    shutil.rmtree(folder)
    print(f"{options.kills} kills: nothing corrupt, nothing lost")


if __name__ == "__main__":
    main()
