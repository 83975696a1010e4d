"""Standard streams that are closed: one line if they are needed, nothing if they are not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from turbotree.text import read_conllu


def shell(command: str, files: Any, folder: Path) -> tuple[int, list[str]]:
    """Run a command with MODEL and TEST in it; give its status and the lines of stderr."""
    turbotree = f"'{sys.executable}' -m turbotree"
    command = command.replace("MODEL", f"'{files.model}'").replace("TEST", f"'{files.test}'")
    done = subprocess.run(
        ["sh", "-c", f"{turbotree} {command}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize(
    "command",
    [
        "parse MODEL TEST >&-",
        "parse MODEL TEST --format text >&-",
        "eval TEST TEST >&-",
        "inspect MODEL >&-",
        "explain MODEL TEST --arc 2,1 >&-",
        "suggest MODEL TEST >&-",
        "trace MODEL TEST >&-",
        "--version >&-",
        "parse --help >&-",
    ],
)
def test_an_output_that_is_closed_is_told_in_one_line(
    files: Any, tmp_path: Path, command: str
) -> None:
    assert shell(command, files, tmp_path) == (2, ["turbotree: error: standard output is closed"])


@pytest.mark.parametrize("command", ["parse MODEL <&-", "parse MODEL - <&-", "eval TEST - <&-"])
def test_an_input_that_is_closed_is_told_in_one_line(
    files: Any, tmp_path: Path, command: str
) -> None:
    status, lines = shell(command, files, tmp_path)
    assert status == 2
    assert len(lines) == 1
    assert lines[0].endswith("standard input is closed")


def test_what_needs_no_stream_works_without_all_of_them(files: Any, tmp_path: Path) -> None:
    # A file that is opened must not get the number of a closed stream, or errors land in it.
    assert shell("parse MODEL TEST -o out.conllu <&- >&- 2>&-", files, tmp_path) == (0, [])
    found, given = read_conllu(tmp_path / "out.conllu"), read_conllu(files.test)
    assert [s.forms for s in found] == [s.forms for s in given]


def test_a_model_that_was_trained_is_there_though_nobody_hears_of_it(
    files: Any, tmp_path: Path
) -> None:
    status, lines = shell("train TEST -o new --model arc --epochs 1 >&-", files, tmp_path)
    assert (status, lines[-1]) == (2, "turbotree: error: standard output is closed")
    assert shell("inspect new > /dev/null", files, tmp_path) == (0, [])
