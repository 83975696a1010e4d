"""The wheel of a model is one that pip takes, and always the same."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import turbotree as tt
from turbotree.errors import InputError, ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.packaging import PackageNames, write_package
from turbotree.packaging.records import licence_of
from turbotree.text import treebank

NAMES = PackageNames("turbotree-pt", "1.0")
LICENCE = "CC BY-SA 4.0 (Português, Bosque)"


def texts(wheel: Path) -> dict[str, str]:
    """Return the files of a wheel that are text."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith(".safetensors")]
        return {name: archive.read(name).decode() for name in names}


def test_the_same_model_gives_the_same_bytes(model: Path, wheel: Path, tmp_path: Path) -> None:
    again = write_package(model, tmp_path / "a" / "b", NAMES)
    assert again == tmp_path / "a" / "b" / "turbotree_pt-1.0-py3-none-any.whl"
    assert again.read_bytes() == wheel.read_bytes()
    assert [file.name for file in again.parent.iterdir()] == [again.name]


def test_the_wheel_holds_the_bytes_of_the_model(model: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        assert archive.read("turbotree_pt/pt.safetensors") == model.read_bytes()
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_record_lists_every_file_with_its_hash(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        record = archive.read("turbotree_pt-1.0.dist-info/RECORD").decode()
        rows = list(csv.reader(io.StringIO(record)))
        assert [name for name, _, _ in rows] == archive.namelist()
        assert rows.pop() == ["turbotree_pt-1.0.dist-info/RECORD", "", ""]
        for name, digest, size in rows:
            data = archive.read(name)
            code = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={code}", len(data))


def test_the_metadata_name_licence_and_turbotree(wheel: Path) -> None:
    files = texts(wheel)
    about = message_from_string(files["turbotree_pt-1.0.dist-info/METADATA"])
    assert (about["Name"], about["Version"]) == ("turbotree-pt", "1.0")
    assert about["License"] == LICENCE
    assert about["Requires-Dist"] == f"turbotree>={tt.__version__}"
    assert about["Description-Content-Type"] == "text/markdown"
    assert about.get_payload() == files["turbotree_pt/README.md"]
    entries = files["turbotree_pt-1.0.dist-info/entry_points.txt"]
    assert entries == "[turbotree.models]\npt = turbotree_pt:PATH\n"
    assert "Tag: py3-none-any\n" in files["turbotree_pt-1.0.dist-info/WHEEL"]


def test_the_card_tells_what_the_record_has(model: Path, wheel: Path) -> None:
    card = texts(wheel)["turbotree_pt/README.md"]
    file = read_model(model)
    record = file.header["training"]
    score = record["parts"][-1]["scores"]["dev UAS"]
    for told in (
        "# turbotree-pt 1.0",
        'tt.load("pt")',
        f"{record['sentences']} sentences, {record['words']} words",
        LICENCE,
        f"| UAS | {score:.2f} |",
        file.checksum,
        f"turbotree {tt.__version__}",
        "`epochs 1`",
    ):
        assert told in card


@pytest.mark.parametrize(
    ("components", "promised"),
    [
        ({"tokenizer": {}, "lemmatizer": {}}, "from text to tags, lemmas and dependency trees"),
        ({}, "from words to tags and dependency trees"),
    ],
)
def test_the_card_promises_what_the_pipeline_can_do(
    components: dict[str, object], promised: str, tmp_path: Path
) -> None:
    path = tmp_path / "pipeline.safetensors"
    write_model(path, {}, components, kind="pipeline")
    files = texts(write_package(path, tmp_path, NAMES, licence="CC0"))
    about = message_from_string(files["turbotree_pt-1.0.dist-info/METADATA"])
    assert about["Summary"].endswith(promised)
    assert ('model("...")' in about.get_payload()) == bool(components)


def test_pip_installs_it(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("pip")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*command, "--target", tmp_path, wheel], check=True, capture_output=True)
    assert (tmp_path / "turbotree_pt" / "pt.safetensors").is_file()


def test_a_model_without_a_licence_needs_one(model: Path, tmp_path: Path) -> None:
    file = read_model(model)
    training = json.loads(json.dumps(file.header["training"]))
    training["options"]["licence"] = None
    bare = tmp_path / "bare.safetensors"
    write_model(bare, file.arrays, {**file.header, "training": training}, kind=file.kind)
    with pytest.raises(InputError, match=r"bare\.safetensors: names no licence"):
        write_package(bare, tmp_path / "dist", NAMES)
    assert not (tmp_path / "dist").exists()
    wheel = write_package(bare, tmp_path / "dist", NAMES, licence=LICENCE)
    zipfile.ZipFile(wheel).extractall(tmp_path)
    licensed = tmp_path / "turbotree_pt" / "pt.safetensors"
    assert licence_of(read_model(licensed)) == LICENCE
    assert tt.load(licensed).record["sentences"] == 60


def test_a_licence_is_not_replaced(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"names another licence than 'MIT': 'CC BY-SA 4\.0"):
        write_package(model, tmp_path, NAMES, licence="MIT")
    assert write_package(model, tmp_path, NAMES, licence=LICENCE).is_file()


def test_a_licence_stays_in_its_line(tmp_path: Path) -> None:
    path = tmp_path / "odd.safetensors"
    licence = "mine\nRequires-Dist: evil | `x`"
    tagger = tt.Tagger.train(treebank(10, seed=1), task="tag", epochs=1, licence=licence)
    tagger.save(path)
    files = texts(write_package(path, tmp_path, NAMES))
    about = message_from_string(files["turbotree_pt-1.0.dist-info/METADATA"])
    assert about.get_all("Requires-Dist") == [f"turbotree>={tt.__version__}"]
    assert "| licence of the data | mine Requires-Dist: evil / 'x' |\n" in about.get_payload()


@pytest.mark.parametrize("training", [None, [], {"options": 3, "parts": [[]], "stages": {"x": 1}}])
def test_a_record_of_another_kind_counts_as_none(training: object, tmp_path: Path) -> None:
    path = tmp_path / "foreign.safetensors"
    write_model(path, {}, {"training": training}, kind="pipeline")
    card = texts(write_package(path, tmp_path, NAMES, licence="CC0"))["turbotree_pt/README.md"]
    assert "not recorded" in card


def test_a_component_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "part.safetensors"
    write_model(path, {}, {}, kind="tokenizer")
    with pytest.raises(ModelFileError, match="is a 'tokenizer' model, expected a parser, a tagger"):
        write_package(path, tmp_path, NAMES)
