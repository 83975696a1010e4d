"""``turbotree solve``: networks in files, and what is printed about them."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from turbotree.cli.commands import solve as command
from turbotree.cli.options import completion
from turbotree.cli.outputs.solving import shown_solving
from turbotree.graphs import FactorGraph, read_network

#: Two variables: 0.4 * 0.9, 0.4 * 0.1, 0, 0.6 * 0.3, 0.6 * 0.3, 0.6 * 0.4.
COIN = "BAYES\n2\n2 3\n2\n1 0\n2 0 1\n\n2\n0.4 0.6\n\n6\n0.9 0.1 0\n0.3 0.3 0.4\n"
#: Costs 3 + 0, 0 + 4, or 99.
COSTS = "t 2 2 3 99\n2 2\n1 0 0 1\n0 3\n1 1 0 1\n1 4\n2 0 1 0 2\n0 1 99\n1 0 99\n"
NAMES = {
    "problem": {"name": "menu", "mustbe": ">0.0"},
    "variables": {"drink": ["tea", "coffee"], "food": ["cake", "soup"]},
    "functions": {
        "likes": {"scope": ["drink"], "costs": [1.5, 1.0]},
        "pairs": {"scope": ["drink", "food"], "costs": [2.0, 0.25, 0.5, 0.5]},
    },
}


@pytest.fixture
def network(tmp_path: Path) -> Callable[[str, Any], Path]:
    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def rows(text: str) -> dict[str, str]:
    return dict(line.split(None, 1) for line in text.splitlines() if line.strip())


def test_costs_are_printed_as_the_file_has_them(run: Callable[..., Any], network: Any) -> None:
    result = run("solve", network("a.wcsp", COSTS))
    assert result.exit_code == 0, result.output
    found = rows(result.stdout)
    assert found["status"] == "optimal (proven best)"
    assert (found["cost"], found["bound"], found["gap"]) == ("3", "3", "0")
    assert result.stdout.splitlines()[-2:] == ["0 = 0", "1 = 0"]


def test_names_are_those_of_the_file(run: Callable[..., Any], network: Any) -> None:
    result = run("solve", network("menu.cfn", NAMES), "--json")
    found = json.loads(result.stdout)
    assert found["assignment"] == {"drink": "tea", "food": "cake"}
    assert found["measure"] == "value"
    assert found["value"] == pytest.approx(3.5)
    assert found["bound"] == pytest.approx(3.5)
    assert found["status"] == "optimal"


@pytest.mark.parametrize(
    "solver",
    ["auto", "branch_and_bound", "admm", "linear_program", "belief_propagation", "brute_force"],
)
def test_evidence_and_every_solver(run: Callable[..., Any], network: Any, solver: str) -> None:
    path, evidence = network("a.uai", COIN), network("a.uai.evid", "1 0 1")
    given = ("--evidence", evidence, "--solver", solver, "--json", "--time-limit", "60")
    found = json.loads(run("solve", path, *given).stdout)
    assert found["assignment"] == {"0": 1, "1": 2}
    assert found["value"] == pytest.approx(math.log(0.24))
    assert found["bound"] == pytest.approx(math.log(0.24), abs=1e-4)


def test_a_saved_graph_is_solved(run: Callable[..., Any], tmp_path: Path) -> None:
    graph = FactorGraph()
    graph.exactly_one(graph.variables([1.0, 2.0], names=["left", "right"]))
    graph.save(tmp_path / "a.npz")
    result = run("solve", tmp_path / "a.npz")
    assert rows(result.stdout)["score"] == "2"
    assert result.stdout.splitlines()[-2:] == ["left = 0", "right = 1"]


def test_the_answer_goes_to_a_file(run: Callable[..., Any], network: Any, tmp_path: Path) -> None:
    result = run("solve", network("a.wcsp", COSTS), "--json", "-o", tmp_path / "out.json")
    assert result.exit_code == 0
    assert json.loads((tmp_path / "out.json").read_text())["assignment"] == {"0": 0, "1": 0}
    assert result.stdout.startswith("optimal: cost 3, bound 3, gap 0")


def hard(rng: np.random.Generator, variables: int, values: int) -> str:
    lines = [f"hard {variables} {values} {variables * (variables - 1) // 2} 999999999"]
    lines.append(" ".join([str(values)] * variables))
    for first in range(variables):
        for second in range(first):
            costs = rng.integers(0, 1000, size=(values, values))
            lines.append(f"2 {second} {first} 0 {values * values}")
            lines += [f"{x} {y} {costs[x, y]}" for x in range(values) for y in range(values)]
    return "\n".join(lines)


def test_a_limit_leaves_a_bound(run: Callable[..., Any], network: Any) -> None:
    path = network("a.wcsp", hard(np.random.default_rng(1), 12, 4))
    found = json.loads(run("solve", path, "--time-limit", "0.2", "--json").stdout)
    assert found["status"] in ("limit", "optimal")
    assert found["bound"] <= found["value"]
    assert found["gap"] == found["value"] - found["bound"]
    assert found["value"] == int(found["value"])


def test_a_gap_is_enough(run: Callable[..., Any], network: Any) -> None:
    path = network("a.wcsp", hard(np.random.default_rng(2), 6, 3))
    best = json.loads(run("solve", path, "--json").stdout)
    assert best["status"] == "optimal"
    found = json.loads(run("solve", path, "--gap", "0.9", "--json").stdout)
    assert found["bound"] <= best["value"] <= found["value"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_gives_the_best_so_far(
    run: Callable[..., Any],
    network: Any,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    status: int,
) -> None:
    if number == signal.SIGTERM:  # as `main` has it
        monkeypatch.setattr("turbotree.cli.process.signals._raise", signal.getsignal(number))
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    real = command.solve_anytime

    def interrupted(*arguments: Any, **options: Any) -> Any:
        os.kill(os.getpid(), number)
        return real(*arguments, **options)

    monkeypatch.setattr(command, "solve_anytime", interrupted)
    path = network("a.wcsp", hard(np.random.default_rng(3), 40, 5))
    try:
        result = run("solve", path, "--json")
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert result.exit_code == status
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert result.stderr == f"turbotree: {word}; this is the best so far\n"
    found = json.loads(result.stdout)
    assert found["status"] == "limit"
    assert found["value"] is None or found["value"] >= found["bound"]


def test_what_is_wrong_is_one_line(fails: Callable[..., str], network: Any, tmp_path: Path) -> None:
    assert "a.uai:1: expected MARKOV or BAYES" in fails("solve", network("a.uai", "GAUSS"))
    assert "unknown ending" in fails("solve", network("a.txt", ""))
    assert "No such file" in fails("solve", tmp_path / "none.wcsp")
    path = network("b.wcsp", "t 2 2 2 5\n2 2\n1 0 3 0\n1 1 2 0\n")
    assert fails("solve", path) == "no assignment has a cost below 5, the limit of the file"
    path = network("a.wcsp", COSTS)
    assert "unknown value 'magic'" in fails("solve", path, "--solver", "magic")
    assert fails("solve", path, "-o", path)
    assert path.read_text() == COSTS


def test_progress_is_one_line_in_a_terminal(
    network: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read_network(network("a.wcsp", COSTS))
    with shown_solving(found, 60.0, quiet=True) as told:
        assert told is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with shown_solving(found, 60.0, quiet=False) as told:
        assert told is not None
        told(found.graph.solve("brute_force"))


def test_logs_get_a_line_now_and_then(
    network: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read_network(network("a.wcsp", COSTS))
    solution = found.graph.solve("brute_force")
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with shown_solving(found, 60.0, quiet=False) as told:
        assert told is not None
        for now in (1.0, 11.0, 12.0, 19.0, 90.0, 95.0):  # noqa: B007
            told(solution)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["11 s: cost 3, bound 3, gap 0", "90 s: cost 3, bound 3, gap 0"]


def test_the_shell_completes_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.uai", "a.txt", "b.wcsp.gz", "c.cfn.xz", "d.npz"):
        (tmp_path / name).touch()
    assert completion.networks("") == ["a.uai", "b.wcsp.gz", "c.cfn.xz", "d.npz"]
