"""Outputs of all commands: no input is destroyed, and what cannot be written is said at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from turbotree.files.outputs import work_folder

Fails = Callable[..., str]


@pytest.fixture
def inputs(files, tmp_path):
    """Copies of everything that commands read, to be destroyed if they are careless."""
    shutil.copy(files.train, tmp_path / "train.conllu")
    shutil.copy(files.dev, tmp_path / "dev.conllu")
    shutil.copy(files.model, tmp_path / "model")
    (tmp_path / "rules").write_text("one root: sum(h, arc(0, h)) <= 1\n")
    (tmp_path / "templates").write_text("h.upos m.upos\n")
    (tmp_path / "chunks.txt").write_text("The DT B-NP\ndog NN I-NP\n\n" * 3)
    return tmp_path


LEARN = ("train", "train.conllu", "--epochs", "1")
TRAIN = (*LEARN, "--model", "arc")
SELECT = ("select", "train.conllu", "--budget", "2", "--epochs", "1")
PARSE = ("parse", "model", "dev.conllu")
ENGINE = (*PARSE, "--engine", "processes", "--workers", "1")
#: Verbs with something that they read, each of which could also be named as the output.
READING = [
    (TRAIN, "train.conllu"),
    ((*TRAIN, "--dev", "dev.conllu"), "dev.conllu"),
    ((*TRAIN, "--templates", "arc=templates"), "templates"),
    ((*TRAIN, "--rules", "rules"), "rules"),
    ((*LEARN, "--task", "tag"), "train.conllu"),
    ((*LEARN, "--task", "tag", "--dev", "dev.conllu"), "dev.conllu"),
    (("train", "chunks.txt", "--task", "chunk"), "chunks.txt"),
    ((*TRAIN, "--task", "pipeline"), "train.conllu"),
    ((*TRAIN, "--engine", "processes"), "train.conllu"),
    (SELECT, "train.conllu"),
    ((*SELECT, "--dev", "dev.conllu"), "dev.conllu"),
    ((*SELECT, "--templates", "templates"), "templates"),
    (PARSE, "dev.conllu"),
    (PARSE, "model"),
    ((*PARSE, "--rules", "rules"), "rules"),
    (ENGINE, "dev.conllu"),
    (ENGINE, "model"),
    ((*ENGINE, "--rules", "rules"), "rules"),
    (("suggest", "model", "dev.conllu"), "dev.conllu"),
    (("suggest", "model", "dev.conllu"), "model"),
    (("trace", "model", "dev.conllu"), "dev.conllu"),
    (("trace", "model", "dev.conllu"), "model"),
    (("reproduce", "--train", "train.conllu", "--test", "dev.conllu"), "train.conllu"),
    (("reproduce", "--train", "train.conllu", "--test", "dev.conllu"), "dev.conllu"),
    (("reproduce", "--data", "."), "train.conllu"),
    (("reproduce", "--small", "--chunks", "."), "chunks.txt"),
]


def contents_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("alias", ["itself", "symbolic", "hard"])
@pytest.mark.parametrize(
    ("command", "read"), READING, ids=lambda x: x if isinstance(x, str) else x[0]
)
def test_no_output_takes_the_place_of_an_input(
    fails: Fails, inputs, monkeypatch, command, read, alias
):
    monkeypatch.chdir(inputs)
    if alias == "symbolic":
        Path("symbolic").symlink_to(read)
    elif alias == "hard":
        Path("hard").hardlink_to(read)
    before = contents_of(inputs)
    said = fails(*command, "-o", read if alias == "itself" else alias)
    assert "would take the place of the input" in said
    assert contents_of(inputs) == before
    assert not [path for path in inputs.iterdir() if path.is_dir()]  # no work was begun


def test_a_plot_is_neither_input_nor_model(fails: Fails, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    assert "place of the input" in fails(*SELECT, "-o", "new", "--plot", "train.conllu")
    assert "two outputs would be this one file" in fails(
        *SELECT, "-o", "a.svg", "--plot", "./a.svg"
    )


def test_a_cache_that_cannot_be_made_is_said_at_once(fails: Fails, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    said = fails("reproduce", "--small", "-o", "report.html", "--cache", "model/below")
    assert said == "model/below: Not a directory"


def test_folders_of_files_are_watched_too(fails: Fails, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    Path("corpus").mkdir()
    for name in ("a.conllu", "b.conllu"):
        shutil.copy("dev.conllu", Path("corpus", name))
    before = contents_of(inputs / "corpus")
    said = fails("parse", "model", "corpus", "-o", "corpus", "--engine", "processes")
    assert "corpus/a.conllu: the output would take the place of the input corpus/a.conllu" in said
    Path("out").mkdir()
    Path("out", "a.conllu").symlink_to(inputs / "corpus" / "b.conllu")
    said = fails("parse", "model", "corpus", "-o", "out", "--engine", "processes")
    assert "would take the place of the input corpus/b.conllu" in said
    assert contents_of(inputs / "corpus") == before


def test_state_of_training_deletes_nothing_of_the_users(fails: Fails, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    Path("new.checkpoint").mkdir()
    shutil.move("train.conllu", "new.checkpoint/train.conllu")
    said = fails("train", "new.checkpoint/train.conllu", "-o", "new")
    assert "lies in new.checkpoint, where the state of the run goes" in said
    said = fails("train", "dev.conllu", "-o", "new")
    assert "new: the state of the run goes to new.checkpoint, which holds train.conllu" in said
    assert Path("new.checkpoint/train.conllu").exists()


def turbotree(*arguments, **streams):
    command = [sys.executable, "-m", "turbotree", *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)


def test_what_the_shell_redirects_is_looked_at(files, inputs):
    data = inputs / "dev.conllu"
    before = data.read_bytes()
    with open(data, "rb") as stdin:
        done = turbotree("parse", files.model, "-o", data, stdin=stdin)
    assert done.returncode == 2
    assert done.stderr == (
        f"turbotree: error: {data}: the output would take the place of the input "
        "on standard input\n"
    )
    with open(data, "ab") as stdout:
        done = turbotree("parse", files.model, data, stdout=stdout)
    assert done.returncode == 2
    assert done.stderr == (
        "turbotree: error: the output would go to the input; choose another file\n"
    )
    assert data.read_bytes() == before


WRITING = [
    TRAIN,
    (*LEARN, "--task", "tag"),
    (*TRAIN, "--task", "pipeline"),
    (*TRAIN, "--engine", "processes"),
    SELECT,
    PARSE,
    ENGINE,
    ("suggest", "model", "dev.conllu"),
    ("trace", "model", "dev.conllu"),
    ("reproduce", "--train", "train.conllu", "--test", "dev.conllu"),
]


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("no/where", "there is no folder"),
        ("model/below", "is not a folder"),
        ("n" * 300, "File name too long"),
        ("folder", "is a folder|is not a folder|: File exists"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_read(
    fails: Fails, inputs, monkeypatch, command, output, reason
):
    if command is ENGINE and output == "folder":
        pytest.skip("an engine writes to folders")
    monkeypatch.chdir(inputs)
    Path("folder").mkdir()
    # Whoever reads the data first complains of them.
    Path("train.conllu").write_text("garbage\n")
    Path("dev.conllu").write_text("garbage\n")
    said = fails(*command, "-o", output)
    assert output in said
    assert any(word in said for word in reason.split("|")), said


@pytest.mark.parametrize(
    "command", [TRAIN, (*TRAIN, "--engine", "processes"), SELECT], ids=" ".join
)
def test_the_second_of_two_trainings_is_told_of_the_first(
    fails: Fails, inputs, monkeypatch, command
):
    monkeypatch.chdir(inputs)
    Path("train.conllu").write_text("garbage\n")
    Path("link").symlink_to("new")
    with work_folder(inputs / "new.checkpoint", "new", ()):
        for name in ("new", "link", inputs / "new"):
            assert fails(*command, "-o", name) == (
                f"{name}: another run is writing it; wait for its end, or choose another output"
            )
    assert not os.path.exists("new.checkpoint")


def test_the_second_of_two_engines_is_told_of_the_first(fails: Fails, run, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    Path("corpus").mkdir()
    shutil.copy("dev.conllu", "corpus/a.conllu")
    Path("out").mkdir()
    with work_folder(inputs / ".new.pieces", "new", ()):
        assert fails(*ENGINE, "-o", "new").startswith("new: another run is writing it")
    with work_folder(inputs / "out" / ".pieces", "out", ()):
        said = fails("parse", "model", "corpus", "-o", "out", "--engine", "processes")
        assert said.startswith("out: another run is writing it")
    assert sorted(os.listdir("out")) == []


def test_a_name_with_no_room_for_the_state_is_refused_before_training(
    fails: Fails, inputs, monkeypatch
):
    monkeypatch.chdir(inputs)
    Path("train.conllu").write_text("garbage\n")
    assert "File name too long" in fails(*TRAIN, "-o", "n" * 250)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_one_line(files):
    with open("/dev/full", "wb") as stdout:
        done = turbotree("parse", files.model, files.test, stdout=stdout)
    assert done.returncode == 2
    assert done.stderr == "turbotree: error: standard output: No space left on device\n"
    done = turbotree("parse", files.model, files.test, "-o", "/dev/full", stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == "turbotree: error: /dev/full: No space left on device\n"
