"""Outputs: checked before the work, and one run at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.files.outputs import LOCK, check_outputs, clear, identity, work_folder

_HOLDER = """
import sys, time
from pathlib import Path
from turbotree.files.outputs import work_folder
with work_folder(Path(sys.argv[1]), "model", ["*.checkpoint"]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.conllu"
    path.write_text("precious")
    return path


def _relative(data: Path) -> Path:
    return Path(os.path.relpath(data))


def _dotted(data: Path) -> Path:
    return data.parent / "x" / ".." / data.name


def _symbolic(data: Path) -> Path:
    link = data.with_name("symbolic")
    link.symlink_to(data)
    return link


def _hard(data: Path) -> Path:
    link = data.with_name("hard")
    link.hardlink_to(data)
    return link


def _through_a_folder(data: Path) -> Path:
    link = data.with_name("elsewhere")
    link.symlink_to(data.parent, target_is_directory=True)
    return link / data.name


@pytest.mark.parametrize(
    "alias",
    [Path, _relative, _dotted, _symbolic, _hard, _through_a_folder],
    ids=lambda f: f.__name__,
)
def test_an_input_is_known_under_all_its_names(data: Path, alias: Callable[[Path], Path]) -> None:
    (data.parent / "x").mkdir()
    output = alias(data)
    with pytest.raises(InputError, match="would take the place of the input"):
        check_outputs([output], [None, data])
    with pytest.raises(InputError, match="would take the place of the input"):
        check_outputs([data], [output])


def test_an_open_file_is_an_input_too(data: Path) -> None:
    with (
        open(data) as stream,
        pytest.raises(InputError, match="place of the input on standard input"),
    ):
        check_outputs([data], [stream.fileno()])


def test_what_is_no_ordinary_file_stands_in_nobodys_way(tmp_path: Path) -> None:
    check_outputs([os.devnull], [os.devnull])
    check_outputs([tmp_path / "new"], [tmp_path / "missing", tmp_path])
    assert list(tmp_path.iterdir()) == []  # trying has left nothing


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two outputs would be this one file"):
        check_outputs([tmp_path / "new", tmp_path / "." / "new"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is a folder, expected the name of a file"),
        ("no/where", "there is no folder"),
        ("data.conllu/below", "is not a folder"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
def test_what_cannot_be_written_is_refused(data: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        check_outputs([data.parent / name])
    assert data.read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_permissions_are_asked_for(data: Path) -> None:
    data.chmod(0o444)
    with pytest.raises(InputError, match="is read-only"):
        check_outputs([data])
    data.parent.chmod(0o555)
    try:
        with pytest.raises(InputError, match="no permission to write in"):
            check_outputs([data.parent / "new"])
    finally:
        data.parent.chmod(0o755)


def test_a_second_run_is_told_of_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    with work_folder(folder, "model", ["*.checkpoint"]):
        (folder / "parts.checkpoint").write_text("state")
        for _ in range(2):  # being refused changes nothing
            with (
                pytest.raises(InputError, match="model: another run is writing it"),
                work_folder(folder, "model", ["*.checkpoint"]),
            ):
                pass
    # The state stays for a run that goes on, and nobody is at work.
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "parts.checkpoint": "state"
    }
    with work_folder(folder, "model", ["*.checkpoint"]):
        (folder / ".parts.checkpoint.0123.tmp").write_text("half of it")
        clear(folder)
        assert os.listdir(folder) == [LOCK]
    assert not folder.exists()


def test_the_lock_of_a_killed_run_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    command = [sys.executable, "-c", _HOLDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match="another run"), work_folder(folder, "model", []):
            pass
        process.kill()
    with work_folder(folder, "model", []):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_vanishes_with_its_run_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run ends between the second's opening the lock and getting it."""
    folder = tmp_path / "work"
    first = work_folder(folder, "out", [])
    first.__enter__()
    really_open = os.open

    def end_first(path: Path, *arguments: int) -> int:
        descriptor = really_open(path, *arguments)
        monkeypatch.undo()
        first.__exit__(None, None, None)
        assert not folder.exists()
        return descriptor

    monkeypatch.setattr(os, "open", end_first)
    with work_folder(folder, "out", []):
        assert identity(folder / LOCK) is not None
        with pytest.raises(InputError, match="another run"), work_folder(folder, "out", []):
            pass
    assert not folder.exists()


def test_somebody_elses_folder_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    folder.mkdir()
    (folder / "thesis.tex").write_text("precious")
    with (
        pytest.raises(InputError, match=r"which holds thesis.tex, no file of ours"),
        work_folder(folder, "model", ["*.checkpoint"]),
    ):
        pass
    assert (folder / "thesis.tex").read_text() == "precious"


def test_what_the_system_puts_into_folders_is_in_nobodys_way(tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    folder.mkdir()
    (folder / ".DS_Store").write_text("")
    with work_folder(folder, "model", ["*.checkpoint"]):
        (folder / "parts.checkpoint").write_text("state")
        clear(folder)
    assert os.listdir(folder) == [".DS_Store"]


def test_a_folder_that_was_moved_and_made_again_is_left_to_the_other_run(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    with work_folder(folder, "out", []):
        folder.rename(tmp_path / "moved")
        other = work_folder(folder, "out", [])
        other.__enter__()
    assert (folder / LOCK).exists()
    other.__exit__(None, None, None)
    assert not folder.exists()


def test_inputs_do_not_lie_where_state_goes(tmp_path: Path) -> None:
    folder = tmp_path / "model.checkpoint"
    folder.mkdir()
    (folder / "old.checkpoint").write_text("precious")
    with (
        pytest.raises(InputError, match=r"lies in .*, where the state of the run goes"),
        work_folder(folder, "model", ["*.checkpoint"], [folder / "old.checkpoint"]),
    ):
        pass
    assert (folder / "old.checkpoint").read_text() == "precious"


@pytest.mark.parametrize("link", [False, True])
def test_a_place_that_is_no_folder_is_refused(tmp_path: Path, link: bool) -> None:
    place = tmp_path / "model.checkpoint"
    if link:
        place.symlink_to(tmp_path / "nowhere")
    else:
        place.write_text("precious")
    with pytest.raises(InputError, match="model: "), work_folder(place, "model", []):
        pass
    assert os.path.lexists(place)


def test_a_place_that_cannot_be_made_is_refused(data: Path) -> None:
    for place, reason in [
        (data / "work", "Not a directory"),
        (data.parent / "no" / "work", "No such file"),
        (data.parent / ("x" * 300), "too long"),
    ]:
        with pytest.raises(InputError, match=reason), work_folder(place, "out", []):
            pass
