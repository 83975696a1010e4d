"""A small model, trained once by the command line itself, and the files it comes from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner, Result

from turbotree.cli.app import app
from turbotree.text import treebank, write_conllu

#: What the small model is trained with, whoever trains it.
TRAINING = ("--model", "arc", "--epochs", "2", "--licence", "CC0")

Run = Callable[..., Result]


class Files(NamedTuple):
    """Paths of the session's files."""

    train: Path
    dev: Path
    test: Path
    model: Path
    training: tuple[str, ...]
    """Options that make the model again."""


@pytest.fixture(scope="session")
def run() -> Run:
    """Give a function that runs the command in this process."""
    runner = CliRunner()

    def invoke(*arguments: object, input: str | bytes | None = None) -> Result:
        return runner.invoke(app, [str(argument) for argument in arguments], input=input)

    return invoke


@pytest.fixture
def fails(run: Run) -> Callable[..., str]:
    """Give a function that runs a command that has to fail, and gives its one line."""

    def invoke(*arguments: object, **options: Any) -> str:
        result = run(*arguments, **options)
        assert result.exit_code == 2, result.output
        assert isinstance(result.exception, SystemExit)
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("turbotree: error: ")
        return lines[0].removeprefix("turbotree: error: ")

    return invoke


@pytest.fixture(scope="session")
def files(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Give the small treebanks and the model."""
    folder = tmp_path_factory.mktemp("cli")
    paths = {name: folder / f"{name}.conllu" for name in ("train", "dev", "test")}
    for seed, (path, count) in enumerate(zip(paths.values(), (150, 20, 40), strict=True), 1):
        write_conllu(treebank(count, seed=seed), path)
    model = folder / "small.safetensors"
    options = ("--dev", str(paths["dev"]), *TRAINING)
    result = run("train", paths["train"], "-o", model, *options)
    assert result.exit_code == 0, result.output
    return Files(paths["train"], paths["dev"], paths["test"], model, options)
