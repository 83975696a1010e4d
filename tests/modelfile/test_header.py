"""The header of a model file is read without its arrays, and as carefully as the whole."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from turbotree.errors import ModelFileError
from turbotree.modelfile import ModelHeader, read_header, read_model, write_model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file with a header and some weights."""
    path = tmp_path / "mine.safetensors"
    write_model(path, {"weights": np.arange(100.0)}, {"labels": ["obj"]}, kind="parser")
    return path


def test_header_and_whole_file_say_the_same(model: Path) -> None:
    header, file = read_header(model), read_model(model)
    assert header.kind == "parser"
    assert header.size == model.stat().st_size
    for field in fields(ModelHeader):
        assert getattr(header, field.name) == getattr(file, field.name)


def test_the_arrays_are_not_looked_at(model: Path) -> None:
    data = model.read_bytes()
    model.write_bytes(data[:-800] + b"\xff" * 800)
    assert read_header(model).header == {"labels": ["obj"]}


def test_a_header_that_is_cut_short_or_foreign_is_refused(model: Path) -> None:
    data = model.read_bytes()
    table = len(data) - 800
    for length in range(table):
        model.write_bytes(data[:length])
        with pytest.raises(ModelFileError, match="truncated"):
            read_header(model)
    for wrong in (b"\xff" * 8 + data[8:], b"\x03" + b"\0" * 7 + data[8:], b"text\n" * 100):
        model.write_bytes(wrong)
        with pytest.raises(ModelFileError, match=r"truncated|not a turbotree model"):
            read_header(model)


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="absent: no such file"):
        read_header(tmp_path / "absent")
    with pytest.raises(ModelFileError, match="is a folder"):
        read_header(tmp_path)
