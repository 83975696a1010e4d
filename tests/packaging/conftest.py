"""A small model, and its package where Python finds it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import turbotree as tt
from turbotree.packaging import PackageNames, write_package
from turbotree.text import treebank

NAMES = PackageNames("turbotree-pt", "1.0")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser that names its licence."""
    path = tmp_path_factory.mktemp("model") / "small.safetensors"
    dev = list(treebank(10, seed=2))
    options = {"model": "arc", "epochs": 1, "licence": "CC BY-SA 4.0 (Português, Bosque)"}
    tt.Parser.train(treebank(60, seed=1), dev=dev, **options).save(path)
    return path


@pytest.fixture(scope="session")
def wheel(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of that parser."""
    return write_package(model, tmp_path_factory.mktemp("dist"), NAMES)


@pytest.fixture
def site(wheel: Path, tmp_path: Path) -> Path:
    """A folder where the package is installed, as pip would do it."""
    folder = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture
def found(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder, where this process finds what is installed."""
    monkeypatch.syspath_prepend(site)
    return site


@pytest.fixture
def python(site: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Give a function that runs Python where the package is installed, in an empty folder."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=empty,
            env={**os.environ, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
        )

    return run
