"""An installed package gives its model a name, which works wherever a model is asked for."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import turbotree as tt
from turbotree import models
from turbotree.errors import ModelFileError
from turbotree.models import BUNDLED, absent, located, names
from turbotree.packaging import list_models
from turbotree.text import treebank, write_conllu

Python = Callable[..., subprocess.CompletedProcess[str]]


def second_package(site: Path) -> Path:
    """Install another package whose model has the same name; give its file."""
    about = shutil.copytree(site / "turbotree_pt-1.0.dist-info", site / "acme-2.dist-info")
    text = (about / "METADATA").read_text("utf-8").replace("turbotree-pt", "acme", 1)
    (about / "METADATA").write_text(text, "utf-8")
    (about / "entry_points.txt").write_text("[turbotree.models]\npt = acme.models:PATH\n")
    return Path(shutil.copytree(site / "turbotree_pt", site / "acme" / "models"), "pt.safetensors")


def test_it_is_loaded_without_running_code_of_the_package(python: Python) -> None:
    done = python(
        "-c",
        "import sys, turbotree as tt; print(type(tt.load('pt')).__name__);"
        "print('turbotree_pt' in sys.modules); import turbotree_pt; print(turbotree_pt.PATH.name)",
    )
    assert done.stdout.split() == ["Parser", "False", "pt.safetensors"], done.stderr


def test_paths_and_bundled_models_do_not_wait_for_a_search_of_packages(
    python: Python, model: Path
) -> None:
    program = (
        "import sys, turbotree as tt; tt.load(sys.argv[1]); tt.load('en');"
        "print('importlib.metadata' in sys.modules)"
    )
    done = python("-c", program, model)
    assert done.stdout.split() == ["False"], done.stderr


def test_commands_take_the_name(python: Python, site: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.conllu"
    write_conllu(treebank(3, seed=3), file)
    by_name = python("-m", "turbotree", "parse", "pt", file)
    by_path = python("-m", "turbotree", "parse", site / "turbotree_pt" / "pt.safetensors", file)
    assert by_name.stdout == by_path.stdout != ""
    assert "CC BY-SA 4.0" in python("-m", "turbotree", "inspect", "pt").stdout
    assert python("-m", "turbotree", "models").stdout.count("turbotree-pt 1.0") == 1


def test_the_name_is_among_all_names(found: Path) -> None:
    assert names() == [*BUNDLED, "pt"]
    assert located("pt") == str(found / "turbotree_pt" / "pt.safetensors")
    assert located(Path("some") / "pt") == str(Path("some") / "pt")


def test_a_file_of_the_name_comes_first(
    found: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pt").write_bytes(b"mine")
    assert located("pt") == "pt"


def test_a_bundled_model_comes_before_an_installed_one(
    found: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = found / "turbotree_pt-1.0.dist-info" / "entry_points.txt"
    entries.write_text("[turbotree.models]\nen = turbotree_pt:PATH\n")
    file = (found / "turbotree_pt" / "pt.safetensors").rename(
        found / "turbotree_pt" / "en.safetensors"
    )
    assert located("en") == models.bundled_path("en")
    bundled, installed = list_models()
    assert (bundled.problem, bundled.package) == (None, "turbotree")
    assert installed.problem == "the bundled model of that name comes first"
    # And it stands in where the bundled one is missing.
    monkeypatch.setattr(models, "bundled_path", lambda name: str(found / "absent"))
    assert located("en") == str(file)


def test_a_package_without_its_file_is_told_in_a_line(found: Path) -> None:
    (found / "turbotree_pt" / "pt.safetensors").unlink()
    with pytest.raises(ModelFileError) as told:
        tt.load("pt")
    line = str(told.value)
    assert line.startswith("pt: the package turbotree-pt 1.0 is installed without its model file")
    assert line.endswith("; install it again")
    broken = list_models()[-1]
    assert (broken.about, broken.problem) == (None, line)


def test_a_package_without_metadata_still_has_its_model(found: Path) -> None:
    (found / "turbotree_pt-1.0.dist-info" / "METADATA").unlink()
    assert tt.load("pt")
    assert list_models()[-1].package == "turbotree_pt"


def test_a_damaged_file_is_told_with_its_path(found: Path) -> None:
    file = found / "turbotree_pt" / "pt.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ModelFileError, match=r"pt\.safetensors: truncated"):
        tt.load("pt")
    assert "truncated" in str(list_models()[-1].problem)


def test_two_packages_with_one_name_are_told_apart(found: Path) -> None:
    other = second_package(found)
    with pytest.raises(ModelFileError, match=r"^pt: installed by acme 1.0 and turbotree-pt 1.0; u"):
        located("pt")
    first, second = list_models()[-2:]
    assert "turbotree-pt 1.0 has a model of that name" in str(first.problem)
    assert "acme 1.0 has a model of that name" in str(second.problem)
    assert first.path == str(other)
    assert tt.load(first.path)
    assert names() == [*BUNDLED, "pt"]


def test_a_missing_name_says_what_there_is(found: Path) -> None:
    line = (
        "xx: no such file, and no model of that name "
        "(there are en, pt; turbotree train makes more, pip install adds model packages)"
    )
    assert absent("xx") == line
    with pytest.raises(ModelFileError) as told:
        tt.load("xx")
    assert str(told.value) == line
    assert "no model of that name; did you mean 'pt'? (there are" in absent("PT")


@pytest.mark.parametrize("path", ["xx.safetensors", "some/xx", "./pt/", "xx.conllu"])
def test_a_missing_path_is_no_name(path: str) -> None:
    with pytest.raises(ModelFileError) as told:
        tt.load(path)
    assert str(told.value) == f"{path}: no such file"


def test_the_list_is_ready_for_json(found: Path) -> None:
    listed: list[dict[str, Any]] = json.loads(json.dumps([one.to_dict() for one in list_models()]))
    english, portuguese = listed
    assert (english["name"], english["kind"], english["version"]) == (
        *("en", "pipeline"),
        tt.__version__,
    )
    assert portuguese["name"] == "pt"
    assert portuguese["package"] == "turbotree-pt"
    assert portuguese["licence"].startswith("CC BY-SA 4.0")
    assert portuguese["bytes"] == Path(portuguese["path"]).stat().st_size
    assert set(portuguese["dev_scores"]) == {"UAS", "label accuracy"}
