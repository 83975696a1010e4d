"""``turbotree package`` and ``turbotree models``: packages written, and models listed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import turbotree as tt
from turbotree.cli.options import completion
from turbotree.text import treebank

NAMED = ("--name", "turbotree-pt", "--model-version", "1.0")
WHEEL = "turbotree_pt-1.0-py3-none-any.whl"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_wheel_goes_to_a_folder_that_is_made(
    run: Callable[..., Any], files: Any, folder: Path
) -> None:
    result = run("package", files.model, *NAMED)
    assert result.exit_code == 0, result.output
    first, second = result.stdout.splitlines()
    assert first.startswith(f"dist/{WHEEL}: ")
    assert second == f"pip install dist/{WHEEL} makes it known as pt"
    before = (folder / "dist" / WHEEL).read_bytes()
    assert run("package", files.model, *NAMED, "-o", "dist", "-q").output == ""
    assert (folder / "dist" / WHEEL).read_bytes() == before


def test_an_installed_package_is_listed_and_completed(
    run: Callable[..., Any], files: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completion.models("p") == []
    assert run("package", files.model, *NAMED).exit_code == 0
    zipfile.ZipFile(folder / "dist" / WHEEL).extractall(folder / "site")
    monkeypatch.syspath_prepend(folder / "site")
    assert completion.models("p") == ["pt"]
    shown = run("models").stdout
    assert "en  pipeline, " in shown
    assert "pt  parser, " in shown
    assert ", turbotree-pt 1.0\n    trained on 150 sentences, " in shown
    assert " words; CC0\n    dev: UAS " in shown
    listed = json.loads(run("models", "--json").stdout)
    assert [one["name"] for one in listed] == ["en", "pt"]
    again = run("package", "pt", "--name", "acme", "--model-version", "2")
    assert again.exit_code == 0, again.output
    assert run("inspect", "pt").exit_code == run("parse", "pt", files.test).exit_code == 0
    (folder / "site" / "turbotree_pt" / "pt.safetensors").unlink()
    assert (
        "    cannot be used by its name: pt: the package turbotree-pt 1.0 " in run("models").stdout
    )


def test_a_name_that_is_bundled_is_pointed_out(
    run: Callable[..., Any], files: Any, folder: Path
) -> None:
    result = run("package", files.model, *NAMED, "--short", "en")
    assert result.exit_code == 0
    assert "the bundled model en comes before the one of this package" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--name", "-", "--model-version", "1"), "'-' is not the name of a package; expected"),
        (("--name", "json", "--model-version", "1"), "would take the place of the module 'json'"),
        (("--name", "x", "--model-version", "v1"), "'v1' is not the version of a package; expecte"),
        ((*NAMED, "--short", "a/b"), "'a/b' cannot be the name of a model; expected letters"),
        ((*NAMED, "--short", ""), "--short: expected a name"),
        ((*NAMED, "--licence", "MIT"), "names another licence than 'MIT': 'CC0'"),
        (("--name", "x"), "missing --model-version (version of the package)"),
        (("--model-version", "1"), "missing --name (name of the package, such as turbotree-pt)"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    fails: Callable[..., str], files: Any, folder: Path, arguments: tuple[str, ...], line: str
) -> None:
    assert line in fails("package", files.model, *arguments)
    assert list(folder.iterdir()) == []


def test_a_model_that_is_missing_or_damaged_leaves_nothing(
    fails: Callable[..., str], files: Any, folder: Path
) -> None:
    assert fails("package", "xx", *NAMED).startswith("xx: no such file, and no model of that name")
    assert fails("package", "xx.bin", *NAMED) == "xx.bin: no such file"
    assert list(folder.iterdir()) == []
    (folder / "bad").write_bytes(files.model.read_bytes()[:-1])
    assert "truncated" in fails("package", "bad", *NAMED)
    tt.Parser.train(treebank(20, seed=1), model="arc", epochs=1).save("bare")
    assert fails("package", "bare", *NAMED) == (
        "bare: names no licence, and a package has to; give that of its data with --licence"
    )
    assert not (folder / "dist").exists()


def test_the_output_is_a_folder(fails: Callable[..., str], files: Any, folder: Path) -> None:
    (folder / "dist").write_text("")
    assert fails("package", files.model, *NAMED) == (
        f"dist: is a file, expected the folder for {WHEEL}"
    )
    (folder / "dist").unlink()
    (folder / "dist" / WHEEL).mkdir(parents=True)
    assert fails("package", files.model, *NAMED) == (
        f"dist/{WHEEL}: is a folder, expected the name of a file"
    )


def test_the_output_never_takes_the_place_of_the_model(
    fails: Callable[..., str], files: Any, folder: Path
) -> None:
    (folder / "dist").mkdir()
    (folder / "dist" / WHEEL).write_bytes(files.model.read_bytes())
    model = Path("dist") / WHEEL
    assert "would take the place of the input" in fails("package", model, *NAMED)
    assert model.read_bytes() == files.model.read_bytes()
