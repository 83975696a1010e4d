"""``turbotree serve``: what goes wrong before there is a server is one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_without_the_extra_the_error_names_it(
    run: Callable[..., Any], files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, "turbotree.serving.app", raising=False)
    result = run("serve", files.model)
    assert result.exit_code == 2
    assert "pip install 'turbotree[serve]'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_model_that_is_not_there_is_one_line(run: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    result = run("serve", tmp_path / "nothing.safetensors")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_options_out_of_range_are_refused(run: Callable[..., Any], files: Any) -> None:
    for options in (["--port", "70000"], ["--max-words", "0"], ["--time-limit", "0"]):
        assert run("serve", files.model, *options).exit_code == 2


def test_options_that_need_others_say_so(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    pytest.importorskip("fastapi")
    result = run("serve", files.model, "--queue", files.model)
    assert result.exit_code == 2
    assert "--queue needs --annotate" in result.stderr
    options = ["--annotate", tmp_path / "saved", "--queue", tmp_path / "none.conllu"]
    result = run("serve", files.model, *options)
    assert result.exit_code == 2
    assert "none.conllu" in result.stderr
    assert result.stderr.count("\n") == 1
    result = run("serve", files.model, *options, "--cold-start")
    assert result.exit_code == 2
    assert "--cold-start" in result.stderr
    result = run("serve", "--review", tmp_path / "none.jsonl")
    assert result.exit_code == 2
    assert "none.jsonl: No such file" in result.stderr
