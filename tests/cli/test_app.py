"""The command as a whole: help, version, errors, the demo."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import turbotree
from turbotree.cli.app import app
from turbotree.cli.commands import demo, evaluate
from turbotree.parsing import Parser
from turbotree.text import read_conllu

COMMANDS = [command.name for command in app.registered_commands if command.name]


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_or_docs_show_the_command(command: str) -> None:
    root = Path(__file__).parents[2]
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    assert any(f"turbotree {command} " in text or f"make {command}" in text for text in texts)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_an_example(run: Callable[..., Any], command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"  turbotree {command}" in result.stdout.partition("Example")[2]


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "turbotree", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"turbotree {turbotree.__version__}\n"


def test_without_a_command_the_help_is_shown(run: Callable[..., Any]) -> None:
    assert "explain" in run().output


def test_an_unknown_command_or_option_is_one_line(fails: Callable[..., str]) -> None:
    assert fails("pares") == "unknown command 'pares'; did you mean 'parse'?"
    assert fails("zebra").startswith("unknown command 'zebra'; there are check, demo, eval,")
    assert fails("parse", "m", "--thread", "2") == (
        "unknown option '--thread'; did you mean '--threads'? (see turbotree parse --help)"
    )
    assert fails("--quick", "demo") == "unknown option '--quick' (see turbotree --help)"


def test_a_missing_argument_is_explained(fails: Callable[..., str]) -> None:
    assert fails("suggest", "en") == (
        "missing INPUT (sentences to choose from, with tags but no trees); "
        "expected turbotree suggest MODEL INPUT (see turbotree suggest --help)"
    )
    assert fails("explain", "en", "x.conllu") == (
        "missing --arc (head and word, by their numbers) (see turbotree explain --help)"
    )


def test_a_bad_number_is_told_with_its_option(fails: Callable[..., str]) -> None:
    assert fails("parse", "en", "--threads", "x").startswith("--threads: ")
    assert fails("parse", "en", "--threads", "0").startswith("--threads: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("parse", "--decoder", "mts"), "--decoder: unknown value 'mts'; did you mean 'mst'?"),
        (("parse", "-f", "HTLM"), "--format: unknown value 'HTLM'; did you mean 'html'?"),
        (("train", "x", "-o", "y", "--task", "prase"), "--task: unknown value 'prase'; did you m"),
        (("train", "x", "-o", "y", "--model", "stadard"), "did you mean 'standard'?"),
        (("train", "x", "-o", "y", "--loss", "perceptorn"), "did you mean 'perceptron'?"),
        (("train", "x", "-o", "y", "--parts", "arc,sibbling"), "did you mean 'sibling'?"),
        (("train", "x", "-o", "y", "--templates", "grandparnt=f"), "did you mean 'grandparent'?"),
        (("reproduce", "koo201"), "unknown experiment 'koo201'; did you mean 'koo2010'?"),
        (("inspect", "english"), "english: no such file, and no model of that name"),
    ],
)
def test_what_may_be_meant_is_said(
    fails: Callable[..., str], arguments: tuple[str, ...], message: str
) -> None:
    assert message in fails(*arguments)


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (turbotree.InputError("x:1: bad"), 2, "turbotree: error: x:1: bad\n"),
        (
            PermissionError(13, "Permission denied", "x"),
            2,
            "turbotree: error: x: Permission denied\n",
        ),
        (OSError(28, "No space left on device"), 2, "turbotree: error: No space left on device\n"),
        (MemoryError(), 2, "turbotree: error: out of memory\n"),
        (KeyboardInterrupt(), 130, "turbotree: interrupted\n"),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
    ],
)
def test_whatever_happens_is_one_line(
    run: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
    line: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(evaluate, "layout_at", fail)
    result = run("eval", "x", "y")
    assert (result.exit_code, result.stderr) == (status, line)


def test_a_bug_is_not_hidden(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "layout_at", None)
    assert isinstance(run("eval", "x", "y").exception, TypeError)


def test_the_demo_shows_scores_and_trees(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_EPOCHS", 2)
    result = run("demo", "--sentences", 300)
    assert result.exit_code == 0, result.output
    assert "UAS" in result.stdout
    assert "crossing arcs: yes; all " in result.stdout
    assert "crossing arcs: no; all " in result.stdout
    assert "1 of " in result.stdout


def test_the_verdict_names_wrong_heads(files: Any) -> None:
    sentence = next(read_conllu(files.test))
    parser = Parser.load(files.model)
    parse = parser.parse(sentence)
    right = parser.parse(sentence.with_tree(parse.heads, parse.labels))
    assert f"all {len(sentence)} heads right" in demo.verdict(right)
    others = [1 if head != 1 and word != 1 else head for word, head in enumerate(parse.heads, 1)]
    changed = sum(a != b for a, b in zip(others, parse.heads, strict=True))
    verdict = demo.verdict(parser.parse(sentence.with_tree(others, parse.labels)))
    assert f"{changed} of {len(sentence)} heads wrong" in verdict
    assert len(verdict.splitlines()) == 1 + changed
