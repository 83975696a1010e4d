"""Full disks, and two runs at once: nothing is corrupt, and each complaint is one line.

Usage: python benchmarks/mishaps.py [--rounds 50] [--seed 1]

Training, parsing to a file and parsing with an engine, on the built-in treebank, in two scenes:

- The disk fills up: the output goes to a file system in memory (to mount one takes root) whose
  size is drawn again each time. What was there before stays as it was until the new file is whole,
  nothing half-written is left, and with more room the run ends with the bytes of one that nobody
  disturbed.
- Two at once: a second run with the same output begins at a moment drawn over the time that the
  first takes. It is told of the first, or comes so late that it does the work again; sometimes the
  first is killed, and the next run finds no lock. In the end the output has the same bytes.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turbotree.text import treebank, write_conllu

_TURBOTREE = [sys.executable, "-m", "turbotree"]
_FORMER = b"what was there before\n"


@dataclass(frozen=True)
class Job:
    """A command that writes one file."""

    name: str
    command: Sequence[str]
    resume: Sequence[str] = ()

    def to(self, output: Path, *, again: bool = False) -> list[str]:
        """Return the command line."""
        return [*_TURBOTREE, *self.command, "-o", str(output), *(self.resume if again else ())]


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a command; give its status and what it complained of."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def _is_one_line(complaint: str) -> bool:
    return complaint.startswith("turbotree: error: ") and complaint.count("\n") == 1


def _check_only(folder: Path, *names: str) -> None:
    found = {path.name for path in folder.iterdir()}
    assert found <= set(names), f"{folder} holds {', '.join(sorted(found - set(names)))}"


def fill_disk(job: Job, folder: Path, rounds: int, chance: random.Random) -> int:
    """Run a job on disks that are too small; give how many of them were."""
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    plain = folder / "plain"
    assert run(job.to(plain))[0] == 0
    expected = plain.read_bytes()
    plain.unlink()
    too_small = 0
    for _ in range(rounds):
        # Up to what a run takes at most: state or pieces, and the output twice.
        size = max(4096, int(chance.uniform(0, 1.0) * 4 * len(expected)))
        _mount(disk, size)
        try:
            output = disk / "out"
            output.write_bytes(_FORMER)
            status, complaint = run(job.to(output))
            if status:
                too_small += 1
                assert status == 2, complaint
                assert _is_one_line(complaint), complaint
                assert output.read_bytes() == _FORMER, "the former version is gone"
                _check_only(disk, "out", "out.checkpoint", ".out.pieces")
                subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True)
                status, complaint = run(job.to(output, again=(disk / "out.checkpoint").exists()))
            assert status == 0, complaint
            assert output.read_bytes() == expected, "another output than on a large disk"
            _check_only(disk, "out")
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    return too_small


def _mount(disk: Path, size: int) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    subprocess.run(command, check=True)


def run_twice(job: Job, folder: Path, rounds: int, chance: random.Random) -> int:
    """Run a job twice at once; give how often the second was told of the first."""
    place = folder / "twice"
    place.mkdir(exist_ok=True)
    output = place / "out"
    started = time.perf_counter()
    assert run(job.to(output))[0] == 0
    usual = time.perf_counter() - started
    expected = output.read_bytes()
    refused = 0
    for number in range(rounds):
        output.write_bytes(_FORMER)
        is_killed = number % 3 == 2
        first = subprocess.Popen(job.to(output), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(chance.uniform(0, usual))
        if is_killed:
            first.kill()
        status, complaint = run(job.to(output))
        _, said = first.communicate()
        if status:
            refused += 1
            assert status == 2, complaint
            assert _is_one_line(complaint), complaint
            assert "another run is writing it" in complaint, complaint
            assert not is_killed, "the lock of a killed run is still there"
        if not is_killed and first.returncode:  # the second was quicker to the lock
            assert b"another run is writing it" in said, said
            refused += 1
            assert status == 0, complaint
        assert output.read_bytes() == expected, "another output than alone"
        # A killed run may leave the file that it was about to rename.
        for path in place.glob(".out.*.tmp"):
            assert is_killed, f"{path} was left"
            path.unlink()
        _check_only(place, "out")
    return refused


def main() -> None:
    """Let everything go wrong, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="jobs whose name begins so")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp())
    write_conllu(treebank(20, seed=1), folder / "train.conllu")
    write_conllu(treebank(300, seed=2), folder / "few.conllu")
    write_conllu(treebank(1700, seed=2), folder / "many.conllu")  # more than one piece
    train = ("train", str(folder / "train.conllu"), "--model", "arc", "--epochs", "2", "--quiet")
    assert run([*_TURBOTREE, *train, "-o", str(folder / "model")])[0] == 0
    parse, engine = ("parse", str(folder / "model")), ("--engine", "processes", "--workers", "2")
    jobs = [
        Job("training", train, ("--resume",)),
        Job("parsing to a file", (*parse, str(folder / "few.conllu"))),
        Job("parsing with an engine", (*parse, str(folder / "many.conllu"), *engine)),
    ]
    for job in jobs:
        if options.only is not None and not job.name.startswith(options.only):
            continue
        if os.geteuid() == 0:
            started = time.perf_counter()
            too_small = fill_disk(job, folder, options.rounds, chance)
            seconds = time.perf_counter() - started
            print(
                f"{job.name:24} {options.rounds} disks, {too_small} too small, {seconds:4.0f} s: "
                "whole",
                flush=True,
            )
        started = time.perf_counter()
        refused = run_twice(job, folder, options.rounds, chance)
        seconds = time.perf_counter() - started
        print(
            f"{job.name:24} {options.rounds} pairs, {refused} refused, {seconds:4.0f} s: whole",
            flush=True,
        )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
