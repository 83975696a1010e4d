"""atomic_path: whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from turbotree.files.atomic import atomic_path


def test_a_failed_block_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")

    def fail() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half of the n")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_target_is_untouched_until_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
        assert temporary.parent == tmp_path
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_gets_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    with atomic_path(tmp_path / "out") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "out").stat().st_mode == plain.stat().st_mode


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.touch()
    target.chmod(0o640)
    with atomic_path(target) as temporary:
        temporary.write_text("x")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_symbolic_link_stays_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder / "file")
    with atomic_path(link) as temporary:
        temporary.write_text("x")
    assert link.is_symlink()
    assert (folder / "file").read_text() == "x"


def test_a_device_is_written_to_directly() -> None:
    with atomic_path(os.devnull) as temporary:
        temporary.write_text("x")
        assert temporary == Path(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 250)
    with atomic_path(target) as temporary:
        temporary.write_text("x")
    assert target.read_text() == "x"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no paths here")
def test_an_open_pipe_is_written_to_directly() -> None:
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as reader, atomic_path(f"/dev/fd/{write_end}") as path:
        path.write_bytes(b"all of it")
        os.close(write_end)
        assert reader.read() == b"all of it"
