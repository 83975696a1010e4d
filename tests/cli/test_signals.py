"""Ctrl-C and SIGTERM: the usual status, one line, nothing left behind."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

_START = """
import sys, time
import numpy as np
import turbotree.cli.app as commands
from turbotree import trees
from turbotree.files.atomic import atomic_path
from turbotree.cli import main

def in_the_core():
    trees.marginals(np.zeros((3001, 3001)))  # takes minutes

def deaf():
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass

def work(prog_name):
    with atomic_path(sys.argv[1]):
        print("begun", flush=True)
        {what}()

commands.app = work
main()
"""


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGINT, 130, "turbotree: interrupted\n"),
        (signal.SIGTERM, 143, "turbotree: terminated\n"),
    ],
)
@pytest.mark.parametrize("what", ["in_the_core", "deaf"])
def test_signals_end_a_command_in_one_line(
    tmp_path: Path, what: str, number: signal.Signals, status: int, said: str
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _START.format(what=what), str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert len(list(tmp_path.iterdir())) == 1
    process.send_signal(number)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (status, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGINT, 130, "turbotree: interrupted\n"),
        (signal.SIGTERM, 143, "turbotree: terminated\n"),
    ],
)
def test_signals_outside_a_command_are_answered_alike(
    number: signal.Signals, status: int, said: str
) -> None:
    # While the arguments are read: Typer would end with 130 and not a word.
    script = (
        "import os, signal\n"
        "import turbotree.cli.process.failures as failures\n"
        "from turbotree.cli import main\n"
        f"failures.CarefulGroup.parse_args = lambda *_: os.kill(os.getpid(), {int(number)})\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (status, said)


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from turbotree.cli.process import signals\n"
        "signals.listen()\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\n"
        "assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
