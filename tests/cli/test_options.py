"""Options: declared once, shown in panels, completed by shells, refused in one wording."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from turbotree.cli.options import completion
from turbotree.cli.options.declaring import PANELS, TREES, Options, argument, option
from turbotree.cli.options.parsing import ParseOptions
from turbotree.cli.options.training import SelectOptions, TrainOptions
from turbotree.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Greeting(Options):
    name: str = argument("Whom to greet.", metavar="NAME")
    loud: bool = option(False, "Shout.", fits=("tagger",))
    tree: bool = option(False, "Show a tree.", "--tree -t", fits=TREES)
    times: int | None = option(None, "How often.", needs="loud")
    pause: str | None = option(None, "Between two.", needs="echo=long")
    echo: str | None = option(None, "How long.", clashes=("loud",))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"times": 2}, "--times needs --loud"),
        ({"pause": "x"}, "--pause needs --echo long"),
        ({"pause": "x", "echo": "short"}, "--pause needs --echo long"),
        ({"echo": "long", "loud": True}, "--echo and --loud: give only one of them"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        Greeting(name="x", **given).check()


def test_what_does_not_fit_the_model_is_one_sentence() -> None:
    Greeting(name="x", loud=True, times=2).check()
    Greeting(name="x", loud=True).check_fit("tagger")
    Greeting(name="x").check_fit("parser")
    with pytest.raises(InputError, match=r"^--loud is for taggers; this is a parser$"):
        Greeting(name="x", loud=True).check_fit("parser")
    with pytest.raises(
        InputError, match=r"^--tree is for parsers and pipelines; this is a tagger$"
    ):
        Greeting(name="x", tree=True).check_fit("tagger")


def test_something_else_may_stand_for_an_option() -> None:
    with pytest.raises(InputError, match=r"^--echo and noise: give only one of them$"):
        Greeting(name="x", echo="long").check(loud="noise")


@pytest.mark.parametrize("options", [ParseOptions, TrainOptions, SelectOptions])
def test_options_name_only_options_that_are_there(options: type[Options]) -> None:
    declared = {each.name: each.metadata["declared"] for each in fields(options)}  # type: ignore[arg-type]
    for one in declared.values():
        named = {*one.clashes, *([one.needs.partition("=")[0]] if one.needs else [])}
        assert named <= set(declared)
        assert one.panel in PANELS
        assert one.help.endswith(".")


def test_help_has_panels_in_order(run: Callable[..., Any]) -> None:
    text = run("train", "--help").stdout
    titles = re.findall(r"^(\w+):$", text, re.MULTILINE)
    assert titles == ["Arguments", *(name for name in PANELS if name != "Search")]
    assert "Usage: turbotree train [OPTIONS] TRAIN\n" in text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder with files of all kinds."""
    for name in ("a.conllu", "b.txt", "mine.safetensors", "sub/deep/c.conllu.gz", ".d.conllu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_models_and_treebanks_are_completed(folder: Path) -> None:
    sub = f"sub{os.sep}"
    assert completion.models("") == ["en", "mine.safetensors", sub]
    assert completion.models("m") == ["mine.safetensors"]
    assert completion.treebanks("") == ["a.conllu", sub]
    assert completion.treebanks(".") == [".d.conllu"]
    assert completion.treebanks("s") == [os.path.join("sub", "deep", "c.conllu.gz")]
    assert completion.treebanks("absent/x") == []
    inside = str(folder / "a")
    assert completion.treebanks(inside) == [f"{inside}.conllu"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("turbotree parse e", ["en"]),
        ("turbotree train --dev a", ["a.conllu"]),
        ("turbotree sel", ["select"]),
    ],
)
def test_a_shell_completes(folder: Path, words: str, offered: list[str]) -> None:
    program = "import sys; sys.argv[0] = 'turbotree'; from turbotree.cli import main; main()"
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **asked, "_TURBOTREE_COMPLETE": "complete_bash"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == offered, done.stderr
