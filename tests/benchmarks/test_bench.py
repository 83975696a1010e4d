"""The command of `make bench`, with contests that need no time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "benchmarks"
_SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import bench
from contests import simple
from history import Measured
bench.all_contests = lambda data: [simple("a thing", "a peer", int, int)]
bench.measure = lambda contest, repeats: Measured(contest.name, tuple([{ratio}] * repeats))
sys.exit(bench.main({arguments!r}))
"""


def run(history: Path, ratio: float, *arguments: str) -> subprocess.CompletedProcess[str]:
    given = ["--history", str(history), *arguments]
    script = _SCRIPT.format(folder=str(_FOLDER), ratio=ratio, arguments=given)
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def recorded(history: Path) -> list[float]:
    runs = json.loads(history.read_text(encoding="utf-8"))["runs"]
    return [run["ratios"]["a thing"] for run in runs]


def test_a_regression_gives_status_1_and_is_not_recorded_unless_it_is_accepted(tmp_path: Path):
    history = tmp_path / "history.json"
    first = run(history, 2.0)
    assert first.returncode == 0, first.stderr
    assert "new" in first.stdout
    assert recorded(history) == [2.0]

    slower = run(history, 1.0)
    assert slower.returncode == 1, slower.stderr
    assert "SLOWER" in slower.stdout
    assert "1 slower than before: a thing" in slower.stdout
    assert recorded(history) == [2.0]

    meant = run(history, 1.0, "--accept")
    assert meant.returncode == 0, meant.stderr
    assert recorded(history) == [1.0]  # the same machine, day and commit


def test_comparing_alone_leaves_the_history_as_it_is(tmp_path: Path):
    history = tmp_path / "history.json"
    assert run(history, 2.0, "--no-record").returncode == 0
    assert not history.exists()


def test_nothing_to_measure_and_wrong_options_are_no_success(tmp_path: Path):
    history = tmp_path / "history.json"
    assert run(history, 2.0, "--only", "absent").returncode == 2
    assert run(history, 2.0, "--repeats", "1").returncode == 2
    assert run(history, 2.0, "--data", str(tmp_path / "absent")).returncode == 2
