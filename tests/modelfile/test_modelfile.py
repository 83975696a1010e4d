"""Model files: lossless, deterministic, whole; one clear error for anything else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from hypothesis import given
from hypothesis import strategies as st

import turbotree
from turbotree.errors import InputError, ModelFileError
from turbotree.modelfile import FORMAT_VERSION, read_model, write_model

ARRAYS = {
    "keys": np.arange(7, dtype=np.uint64),
    "weights": np.linspace(-1, 1, 7, dtype=np.float32),
    "flags": np.array([True, False, True]),
    "none": np.zeros((0, 4), dtype=np.float64),
    "scalar": np.array(5, dtype=np.int16),
    "matrix": np.arange(6, dtype=np.int8).reshape(2, 3),
}
HEADER = {"templates": ["h.form m.upos"], "labels": ["主语", "obj"], "record": {"epochs": 10}}
TYPES = "?bBhHiIqQefd"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mine.safetensors"
    write_model(path, ARRAYS, HEADER, kind="parser")
    return path


def rewritten(path: Path, change: Any, *, seal: bool = True) -> Path:
    """Change the table of a model file by hand; `seal` puts a fitting checksum in."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    table = json.loads(data[8 : 8 + length])
    table = change(table) or table
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()
    data = len(text).to_bytes(8, "little") + text + data[8 + length :]
    if seal:
        at = data.index(b"crc32:")
        value = zlib.crc32(data[at + 14 :], zlib.crc32(data[:at]))
        data = data[:at] + b"crc32:%08x" % value + data[at + 14 :]
    path.write_bytes(data)
    return path


def test_what_was_written_is_read(model: Path) -> None:
    read = read_model(model, kind="parser")
    assert read.header == HEADER
    assert read.kind == "parser"
    assert read.format_version == FORMAT_VERSION
    assert read.package_version == turbotree.__version__
    assert read.size == model.stat().st_size
    assert read.path == str(model)
    assert set(read.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert read.arrays[name].dtype == array.dtype
        assert read.arrays[name].shape == array.shape
        np.testing.assert_array_equal(read.arrays[name], array)


def test_the_safetensors_library_reads_it_too(model: Path) -> None:
    with safetensors.safe_open(model, framework="numpy") as file:
        assert set(file.keys()) == set(ARRAYS)
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(file.get_tensor(name), array)
        assert json.loads(file.metadata()["header"]) == HEADER


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        st.tuples(st.sampled_from(TYPES), st.lists(st.integers(0, 4), max_size=3)),
        max_size=5,
    ),
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters(exclude_categories=["Cs"])),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=6,
        ),
        max_size=4,
    ),
)
def test_any_arrays_and_header_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    shapes: dict[str, tuple[str, list[int]]],
    header: dict[str, Any],
) -> None:
    path = tmp_path_factory.mktemp("any") / "m"
    random = np.random.default_rng(0)
    arrays = {
        name: random.integers(0, 2, shape).astype(code) for name, (code, shape) in shapes.items()
    }
    write_model(path, arrays, header, kind="x")
    read = read_model(path)
    assert read.header == header
    assert {name: (a.dtype.str, a.tolist(), a.shape) for name, a in read.arrays.items()} == {
        name: (a.dtype.str, a.tolist(), a.shape) for name, a in arrays.items()
    }
    assert all(array.flags.aligned for array in read.arrays.values())
    with safetensors.safe_open(path, framework="numpy") as file:
        assert set(file.keys()) == set(arrays)


def test_the_bytes_depend_on_the_contents_alone(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    write_model(
        other, dict(reversed(ARRAYS.items())), dict(reversed(HEADER.items())), kind="parser"
    )
    assert other.read_bytes() == model.read_bytes()


def test_layout_and_byte_order_of_the_given_arrays_do_not_matter(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    variants = [
        array,
        np.asfortranarray(array),
        array.astype(">i4"),
        np.repeat(array, 2, 1)[:, ::2],
    ]
    files = [tmp_path / str(number) for number in range(len(variants))]
    for file, variant in zip(files, variants, strict=True):
        write_model(file, {"a": variant}, {}, kind="x")
    assert len({file.read_bytes() for file in files}) == 1


def test_arrays_are_aligned_read_only_views_of_one_copy(model: Path) -> None:
    arrays = read_model(model).arrays
    for array in arrays.values():
        assert array.flags.aligned
        assert not array.flags.writeable
        assert array.base is not None
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert arrays["keys"].ctypes.data % 64 == 0


def test_arrays_outlive_the_replacement_of_their_file(model: Path) -> None:
    weights = read_model(model).arrays["weights"]
    write_model(model, {"weights": np.zeros(7, np.float32)}, {}, kind="parser")
    np.testing.assert_array_equal(weights, ARRAYS["weights"])


_READER = """
import sys
from turbotree.modelfile import read_model
weights = read_model(sys.argv[1]).arrays["weights"]
before = weights.tolist()
with open(sys.argv[1], "r+b") as file:
    file.write(b"x" * 1000)
assert weights.tolist() == before
open(sys.argv[1], "wb").close()
assert weights.tolist() == before
"""


def test_arrays_outlive_a_file_that_is_overwritten_and_cut_short(model: Path) -> None:
    # In a process of its own: a mapped file that is cut short would end this one.
    command = [sys.executable, "-c", _READER, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_any_flipped_bit_is_found(model: Path) -> None:
    data = model.read_bytes()
    random = np.random.default_rng(1)
    for at in {*range(120), *random.integers(0, len(data), 200).tolist(), len(data) - 1}:
        damaged = bytearray(data)
        damaged[at] ^= 1 << int(random.integers(8))
        model.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            read_model(model)


def test_any_truncation_is_found(model: Path) -> None:
    data = model.read_bytes()
    for length in range(len(data)):
        model.write_bytes(data[:length])
        with pytest.raises(ModelFileError):
            read_model(model)
    model.write_bytes(data[:-1])
    with pytest.raises(ModelFileError, match=r"mine\.safetensors: truncated: "):
        read_model(model)
    model.write_bytes(data[:20])
    with pytest.raises(ModelFileError, match="truncated: only 20 bytes"):
        read_model(model)


def test_added_bytes_are_found(model: Path) -> None:
    model.write_bytes(model.read_bytes() + b"\0")
    with pytest.raises(ModelFileError, match="damaged: "):
        read_model(model)


def test_a_changed_header_with_the_old_checksum_is_found(model: Path) -> None:
    rewritten(model, lambda t: t["__metadata__"].update(header="{}"), seal=False)
    with pytest.raises(ModelFileError, match="damaged: the checksum"):
        read_model(model)


def test_a_resealed_file_is_read(model: Path) -> None:
    rewritten(model, lambda t: t["__metadata__"].update(header='{"a":1}'))
    assert read_model(model).header == {"a": 1}


def test_a_newer_format_asks_for_an_upgrade(model: Path) -> None:
    rewritten(model, lambda t: t["__metadata__"].update(format_version="3"))
    with pytest.raises(ModelFileError, match=r"newer turbotree \(format 3; .* up to 1\): upgrade"):
        read_model(model)


def test_another_kind_is_named(model: Path) -> None:
    with pytest.raises(ModelFileError, match="is a 'parser' model, expected 'tagger'"):
        read_model(model, kind="tagger")


@pytest.mark.parametrize(
    "content", [b"hello, world, this is a text file of some length", b"\x80\x04" + bytes(100)]
)
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="foreign: not a turbotree model"):
        read_model(path)


def test_other_programs_safetensors_files_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "foreign.safetensors"
    save_file({"a": np.zeros(3)}, path, metadata={"format": "pt"})
    with pytest.raises(ModelFileError, match="not a turbotree model"):
        read_model(path)


def test_missing_empty_and_odd_paths_have_their_own_words(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, reason in [
        (tmp_path / "missing", "missing: no such file"),
        (tmp_path, "is a folder"),
        (empty, "truncated: the file is empty"),
        (pipe, "is not a regular file"),
        ("zero\0byte", "no such file"),
    ]:
        with pytest.raises(ModelFileError, match=reason):
            read_model(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_an_unreadable_file_says_so(model: Path) -> None:
    model.chmod(0)
    with pytest.raises(ModelFileError, match="cannot be read: Permission denied"):
        read_model(model)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [7], "data_offsets": [0, 28]},  # overlaps
        {"dtype": "F32", "shape": [7], "data_offsets": [10**15, 10**15 + 28]},
        {"dtype": "F32", "shape": [7], "data_offsets": [28, 0]},
        {"dtype": "F32", "shape": [-7], "data_offsets": [0, -28]},
        {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [0, 2**80], "data_offsets": [0, 0]},
        {"dtype": "F32", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]},
        {"dtype": "F32", "shape": [1] * 65, "data_offsets": [0, 4]},
        {"dtype": "BF16", "shape": [0], "data_offsets": [0, 0]},
        {"dtype": ["F32"], "shape": [0], "data_offsets": [0, 0]},
        {"dtype": "F32", "shape": "7", "data_offsets": [0, 28]},
        {"dtype": "F32", "shape": [7.0], "data_offsets": [0, 28]},
        {"dtype": "F32", "shape": [7], "data_offsets": [0, 28, 56]},
        {"dtype": "F32", "shape": [7]},
        [],
        None,
        "weights",
    ],
)
def test_nonsense_in_the_table_is_refused(model: Path, entry: Any) -> None:
    rewritten(model, lambda table: table.update(weights=entry))
    with pytest.raises(ModelFileError, match=r"damaged|truncated"):
        read_model(model)


@pytest.mark.parametrize(
    "header", ["[" * 100_000, "[]", "", "{", "9" * 5000, None, 3, "nul", '{"a":' * 50_000]
)
def test_a_header_that_is_no_json_object_is_refused(model: Path, header: Any) -> None:
    rewritten(model, lambda table: table["__metadata__"].update(header=header))
    with pytest.raises(ModelFileError, match="damaged: the model's header"):
        read_model(model)


def test_an_absurd_header_length_is_refused(model: Path) -> None:
    model.write_bytes(b"\xff" * 8 + model.read_bytes()[8:])
    with pytest.raises(ModelFileError, match="truncated"):
        read_model(model)


def test_what_a_model_file_cannot_hold_is_refused_before_writing(tmp_path: Path) -> None:
    path = tmp_path / "m"
    for arrays, header, reason in [
        ({"a": np.array(["text"])}, {}, "array 'a' has type <U4"),
        ({"a": np.array([None])}, {}, "array 'a' has type object"),
        ({"a": np.zeros(2, complex)}, {}, "complex128"),
        ({"__metadata__": np.zeros(2)}, {}, "cannot be the name"),
        ({}, {"a": {1, 2}}, "JSON"),
        ({}, {"a": float("nan")}, "JSON"),
        ({}, {1: 2, "a": 3}, "JSON"),
        ({}, {"a": "\ud800"}, "not Unicode"),
    ]:
        with pytest.raises(InputError, match=reason):
            write_model(path, arrays, header, kind="x")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_place_gives_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "such" / "folder", tmp_path):
        with pytest.raises(ModelFileError, match="cannot be written: "):
            write_model(path, {}, {}, kind="x")
